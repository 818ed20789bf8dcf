// If the server does not start, the conformance test fails with the server's error, and ends.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PATIENCE } from "../support/until.mjs";
import { skip } from "./python.mjs";

test("if the server does not start, the conformance test ends with its error", { skip }, async () => {
  const file = fileURLToPath(new URL("conformance.test.mjs", import.meta.url));
  // `ASSAY_NODE` makes the server's program fail. With NODE_TEST_CONTEXT, Node would treat the child as a part of this test run.
  const env = { ...process.env, ASSAY_NODE: "false" };
  delete env.NODE_TEST_CONTEXT;
  const child = spawn(process.execPath, ["--test", file], { stdio: ["ignore", "pipe", "pipe"], timeout: PATIENCE, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const [code, signal] = await once(child, "close");
  assert.equal(signal, null, `the conformance test did not end: ${output}`);
  assert.notEqual(code, 0, output);
  assert.match(output, /the server ended/);
});
