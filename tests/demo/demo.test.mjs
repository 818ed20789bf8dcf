// The demonstration is what a newcomer runs first: it must hold from the first line to the last, in the real runtime.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Cert } from "@assay/cert";
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

test("what it hides cannot be guessed from what it publishes", async () => {
  await kept(async (output) => {
    const [metadata, evidence, schema] = await Promise.all(
      ["public metadata", "evidence", "schema"].map((name) => addressed(output, name).then((response) => response.json())),
    );
    assert.equal(metadata.holder, undefined);
    // Under public nonces, the right values give exactly the published hashes.
    const { holder } = JSON.parse(await readFile(new URL("metadata.json", import.meta.url), "utf8"));
    const [proof] = await new Cert({ schema }).disclose({ ...metadata, holder }, [["name"]]);
    const published = new Set(evidence.data.flatMap(({ nodes }) => nodes.map(({ hash }) => hash)));
    assert.ok(proof.nodes.length > 0);
    assert.deepEqual(proof.nodes.filter(({ hash }) => published.has(hash)), []);
  });
});

test("the addresses that it prints work until its user has seen them", async () => {
  const code = await kept(async (output) => {
    for (const name of ["badge", "value by value", "public metadata", "evidence"]) assert.equal((await addressed(output, name)).status, 200, name);
  });
  assert.equal(code, 0);
});

/** The text at an address that the demonstration has printed. */
function addressed(output, name) {
  return fetch(new RegExp(`^ +${name} +(http\\S+)$`, "m").exec(output)[1]);
}

/** Runs the demonstration with --keep, looks at what it has printed while it waits, and lets it end. */
async function kept(look) {
  const child = spawn(process.execPath, [DEMO, "--url", server.url, "--keep"], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  try {
    let output = "";
    for await (const line of createInterface({ input: child.stdout })) {
      output += `${line}\n`;
      if (line.includes("Press Enter")) break;
    }
    await look(output);
  } finally {
    child.stdin.end("\n");
  }
  const [code] = await exited;
  return code;
}

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
