// The conformance test where the server does not start: it fails with the server's words, and ends.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { skip } from "./python.mjs";

/** Milliseconds after which a process that has nothing to do any more has not ended. */
const PATIENCE = 60_000;

test("a server that does not start ends the test with its error", { skip }, async () => {
  const file = fileURLToPath(new URL("conformance.test.mjs", import.meta.url));
  // The program that is to run the server fails; without this variable, Node would take itself for a part of this run.
  const env = { ...process.env, ASSAY_NODE: "false" };
  delete env.NODE_TEST_CONTEXT;
  const child = spawn(process.execPath, ["--test", file], { stdio: ["ignore", "pipe", "pipe"], timeout: PATIENCE, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const [code, signal] = await once(child, "close");
  assert.equal(signal, null, `it did not end: ${output}`);
  assert.notEqual(code, 0, output);
  assert.match(output, /the server ended/);
});
