import init from "bindings";
import { fromBase64 } from "bytes";
import text from "./wasm.js";
import { loadWith } from "./claims.js";

// For Node and every host without an entry of its own. The WebAssembly is part of a module, so bundlers cannot lose it. It is compiled
// asynchronously, because browsers limit how much a page may compile at once.
loadWith(async () => {
  await init({ module_or_path: fromBase64(text) });
});

export * from "./index.js";
