import { initSync } from "bindings";
// @ts-expect-error Node's types are not part of a package that also runs in browsers.
import { readFile } from "node:fs/promises";
import { loadWith } from "./claims.js";

loadWith(async () => {
  initSync({ module: await readFile(new URL("./client_bg.wasm", import.meta.url)) });
});

export * from "./index.js";
