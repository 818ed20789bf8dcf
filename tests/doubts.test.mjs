// Dates that can hardly be true, which the issuer confirms before issuing. cert-cli/src/batch/dates.rs is tested with the same vectors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { doubtsOf } from "../www/lib/doubts.js";

const { now, schema, documents } = JSON.parse(readFileSync(new URL("vectors/text/dates.json", import.meta.url), "utf8"));

for (const { name, document, doubts } of documents) {
  test(`dates: ${name}`, () => assert.deepEqual(doubtsOf(schema, document, Date.parse(now)).map(({ path, code }) => [path.join("."), code]), doubts));
}
