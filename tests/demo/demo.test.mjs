// The demonstration is what a newcomer runs first: it must hold from the first line to the last, in the real runtime.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startServer } from "../support/server.mjs";

const DEMO = fileURLToPath(new URL("demo.mjs", import.meta.url));
const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1" };

let server;
before(async () => {
  server = await startServer({ vars: SETTINGS, sweepEvery: 1 });
});
after(() => server.stop());

function run(...options) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DEMO, "--url", server.url, ...options], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    child.once("error", reject).once("exit", (code) => resolve({ code, output }));
  });
}

test("a certificate is certified, issued, shown valid, forged and found out", async () => {
  const { code, output } = await run();
  assert.equal(code, 0, output);
  const verdicts = output.match(/verdict +(\w+)/g).map((line) => line.split(/ +/)[1]);
  assert.deepEqual(verdicts, ["valid", "invalid"], output);
});

test("a document of the user's own goes the same way, without any of the customary keys", async () => {
  const own = (name) => fileURLToPath(new URL(`own-${name}.json`, import.meta.url));
  const { code, output } = await run("--metadata", own("metadata"), "--schema", own("schema"));
  assert.equal(code, 0, output);
});

test("what is wrong with the input is said in a sentence", async () => {
  const missing = await run("--metadata", "/nowhere.json");
  assert.deepEqual([missing.code, /cannot read \/nowhere\.json/.test(missing.output)], [1, true], missing.output);
  const broken = await run("--metadata", DEMO);
  assert.deepEqual([broken.code, /is not JSON/.test(broken.output)], [1, true], broken.output);
});
