import init, { initSync } from "bindings";
import { fromBase64 } from "bytes";
import text from "./wasm.js";
import { loadWith } from "./claims.js";

// For Node and every host without an entry of its own. The WebAssembly is part of a module, so bundlers cannot lose it.
loadWith(async () => {
  const module = fromBase64(text);
  try {
    // In Node, this saves 30 ms, because functions are compiled when they are called.
    initSync({ module });
  } catch {
    // Older browsers limit how much a page may compile at once.
    await init({ module_or_path: module });
  }
});

export * from "./index.js";
