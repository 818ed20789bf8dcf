// The client inside a Worker. The Worker loads the package's `workerd` entry, which is for hosts that compile the WebAssembly themselves.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";
// Configures the workerd that the simulator starts.
import "../../edge-api/host/runtime.mjs";
import { startServer } from "../support/server.mjs";
import { RESULT } from "./story.mjs";

const MAIN = `
import * as assay from "./workerd.js";
import { runStory } from "./story.js";
export default { fetch: async (request) => Response.json(await runStory(assay, await request.text())) };
`;

let server;
let worker;
before(async () => {
  const dist = new URL("../../pkg/client/dist/", import.meta.url);
  const own = (name) => readFile(new URL(name, dist));
  const modules = {
    "main.js": { type: "esm", contents: MAIN },
    "story.js": { type: "esm", contents: await readFile(new URL("story.mjs", import.meta.url), "utf8") },
    "workerd.js": { type: "esm", contents: (await own("workerd.js")).toString() },
    "client_bg.wasm": { type: "wasm", contents: new Uint8Array(await own("client_bg.wasm")) },
  };
  const home = fileURLToPath(dist);
  server = await startServer({ vars: { ENVIRONMENT: "development", DEPOSITS: "test" } });
  worker = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    telemetry: { enabled: false },
    log: new Log(LogLevel.WARN),
    workers: [{ config: { name: "user", compatibilityDate: "2026-10-01", manifest: { mainModule: "main.js", modulesRoot: home, modules }, env: {}, triggers: [] }, dev: { rootPath: home } }],
  });
});
after(() => Promise.all([worker?.dispose(), server?.stop()]));

test("accounts exchange, sign, cancel and approve, from a Worker", async () => {
  const { origin } = await worker.ready;
  const answer = await fetch(origin, { method: "POST", body: server.url });
  assert.deepEqual(await answer.json(), RESULT);
});
