import { initSync } from "bindings";
// Edge functions such as Next.js's import WebAssembly as a compiled module, by this query.
import module from "./client_bg.wasm?module";
import { loadWith } from "./claims.js";

loadWith(async () => {
  initSync({ module });
});

export * from "./index.js";
