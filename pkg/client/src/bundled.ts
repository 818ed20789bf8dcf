import init from "bindings";
import { fromBase64 } from "bytes";
import text from "./wasm.js";
import { loadWith } from "./claims.js";

// For bundlers of pages that have no condition of their own. Vite replaces `import.meta.env`, copies the file that `new URL` names, and leaves
// out the other module. Rollup and Parcel do not. They get the WebAssembly as a module.
const find = import.meta.env?.PROD ? () => new URL("./client_bg.wasm", import.meta.url) : () => fromBase64(text);
loadWith(async () => {
  await init({ module_or_path: find() });
});

export * from "./index.js";
