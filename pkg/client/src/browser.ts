import init from "bindings";
import { loadWith } from "./claims.js";

// In this form bundlers see the file, and browsers without one find it beside this module.
loadWith(async () => {
  await init({ module_or_path: new URL("./client_bg.wasm", import.meta.url) });
});

export * from "./index.js";
