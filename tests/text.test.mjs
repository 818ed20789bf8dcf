// The text that the pages and the elements show, with the vectors of docs/spec/text.md. cert-core/tests/text.rs tests the service and the command with them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { visible } from "../www/lib/visible.js";

const { texts, units } = JSON.parse(readFileSync(new URL("vectors/text/vectors.json", import.meta.url), "utf8"));

for (const { name, text, shown } of texts) test(`text: ${name}`, () => assert.equal(visible(text), shown));

for (const { name, units: codes, shown } of units) test(`code units: ${name}`, () => assert.equal(visible(String.fromCharCode(...codes)), shown));

test("a text of hidden characters only is escaped in one pass", () => {
  const long = "\u200d".repeat(200_000);
  assert.equal(visible(long), "\\u{200d}".repeat(200_000));
});
