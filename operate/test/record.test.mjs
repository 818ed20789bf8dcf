// Tests the record of deployments.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { lastDeployed, lastTested, passed } from "../src/record.ts";

test("the last tested version other than the active one is found", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "assay-record-"));
  const record = path.join(folder, "staging.log");
  assert.equal(lastTested(record, null), null);
  assert.throws(() => lastDeployed(record), /wrote no deployment/);
  for (const version of ["one", "two", "three"]) {
    const targets = ["schedule: * * * * *", `https://${version}.example.workers.dev`];
    appendFileSync(record, `${JSON.stringify({ type: "deploy", version_id: version, targets })}\nnot JSON\n{"type":"wrangler-session"}\n`);
    if (version !== "three") passed(record, { version, address: "https://example.org" });
  }
  assert.equal(lastTested(record, "three").version, "two");
  assert.equal(lastTested(record, "two").version, "one");
  assert.deepEqual(lastDeployed(record), { version: "three", address: "https://three.example.workers.dev" });
  rmSync(folder, { recursive: true });
});
