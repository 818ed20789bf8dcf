// Runs the demonstration on a chain: the service, its relayer and its index in the real runtime, with the original contracts.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { anvil } from "../chain/contracts.mjs";
import { startChain } from "../support/chain.mjs";
import { DEMO } from "../support/demo.mjs";
import { startServer } from "../support/server.mjs";

const SETTINGS = { ENVIRONMENT: "development", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "1" };

/** Runs the demonstration. Returns its exit code and output. */
function run(...options) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [DEMO, ...options], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    child.once("error", reject).once("exit", (code) => resolve({ code, output }));
  });
}

/** Returns all values that the demonstration printed under a name. */
const said = (output, name) => [...output.matchAll(new RegExp(`^   ${name.padEnd(16)} (.*)$`, "gm"))].map(([, text]) => text);

test("the demonstration issues a certificate on a chain and rebuilds the database", { skip: !anvil() && "npm has no anvil for this machine" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "assay-demo-"));
  const chain = await startChain("--state", folder, "--block-time", "1");
  let server;
  try {
    server = await startServer({ vars: { ...chain.ready.vars, ...SETTINGS }, sweepEvery: 1 });
    const { code, output } = await run("--url", server.url, "--chain", join(folder, "chain.json"));
    assert.equal(code, 0, `${output}\n${server.log()}`);
    assert.deepEqual(said(output, "verdict"), ["valid", "invalid"], output);
    assert.match(said(output, "deployment").at(-1), /is FINALIZED$/, output);

    // The service, the contract and the second service give the same owner and imprint.
    const [owner] = said(output, "owner");
    const [certified, onChain] = said(output, "imprint");
    assert.deepEqual(said(output, "ownerOf"), [owner]);
    assert.equal(onChain, certified.slice(-64));
    const [first] = said(output, "asset 1");
    for (const answer of [`owner ${owner}`, onChain, "valid true"]) assert.ok(first.includes(answer), output);
    assert.match(said(output, "asset 2")[0], /valid false/);
    assert.notEqual(new URL(said(output, "new service")[0].split(",")[0]).origin, new URL(server.url).origin);
  } finally {
    await server?.stop();
    await chain.stop();
    await rm(folder, { recursive: true });
  }
});
