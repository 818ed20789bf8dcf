import init from "bindings";
import { loadWith } from "./claims.js";

// Bundlers recognize this expression. Without a bundler, browsers load the file beside this module.
loadWith(async () => {
  await init({ module_or_path: new URL("./client_bg.wasm", import.meta.url) });
});

export * from "./index.js";
