import { initSync } from "bindings";
// The host compiles the WebAssembly when the Worker is deployed.
import module from "./client_bg.wasm";
import { loadWith } from "./claims.js";

loadWith(async () => {
  initSync({ module });
});

export * from "./index.js";
