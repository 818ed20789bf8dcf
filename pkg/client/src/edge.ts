import init from "bindings";
// Edge functions such as Next.js's import WebAssembly as a compiled module, by this query.
import module from "./client_bg.wasm?module";
import { loadWith } from "./claims.js";

loadWith(async () => {
  // `initSync` refuses a module of another realm, and a development server runs the function in a realm of its own.
  await init({ module_or_path: module });
});

export * from "./index.js";
