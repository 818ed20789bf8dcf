// Values that can hardly be meant, which the issuer confirms before issuing. cert-cli/src/batch/doubts.rs is tested with the same vectors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { codesOf, doubtsConfirmation, doubtsOf, doubtsOfRows, kindOf } from "../www/lib/doubts.js";
import { pathText } from "../www/lib/json.js";
import { documentOf, fieldsOf, guessFields } from "../www/lib/mapping.js";
import { readTable } from "../www/lib/table.js";

const vectors = (name) => JSON.parse(readFileSync(new URL(`vectors/${name}.json`, import.meta.url), "utf8"));
const dates = vectors("text/dates");
const { now, texts, tables } = vectors("batch/doubts");
const namedPath = (path) => (path.length === 0 ? "" : pathText(path));

for (const { name, document, doubts } of dates.documents) {
  test(`dates: ${name}`, () => assert.deepEqual(doubtsOf(dates.schema, document, Date.parse(dates.now)).map(({ path, code }) => [namedPath(path), code]), doubts));
}

test("doubtful texts are those of the vectors", () => {
  for (const [text, codes] of texts) assert.deepEqual(codesOf(text), codes, JSON.stringify(text));
});

for (const { name, schema, csv, doubts } of tables) {
  test(`tables: ${name}`, () => {
    const { columns, rows } = readTable(csv, parse);
    const mapped = guessFields(columns, fieldsOf(schema));
    const made = rows.map((row) => ({ ...row, ...documentOf(row, columns, mapped) }));
    assert.deepEqual(made.flatMap(({ errors }) => errors), []);
    const found = doubtsOfRows(schema, made, mapped, Date.parse(now));
    assert.deepEqual(found.map((doubt) => ({ kind: kindOf(doubt), ...doubt, path: namedPath(doubt.path) })), doubts);
  });
}

test("each kind is confirmed once for the same content, with its first rows", () => {
  const confirm = doubtsConfirmation({ say: (key, { row, list, count, field }) => [key, row, list, count, field].filter((part) => part !== undefined).join(" "), listText: (items) => items.join(" and ") });
  const doubts = [{ row: 2, path: ["until"], code: "old" }, { row: 2, path: ["from"], code: "old" }, ...Array.from({ length: 11 }, (_, index) => ({ row: index + 3, path: ["name"], code: "around" }))];
  const refused = (content) => {
    try {
      confirm({}, doubts, content);
    } catch ({ key, values }) {
      return [key, values.list.replaceAll(/[\u2068\u2069]/g, "")];
    }
    return null;
  };
  const first = ["doubt.confirm.dates", "doubt.row 2 doubt.old until and doubt.old from"];
  assert.deepEqual(refused("A"), first);
  const [key, list] = refused("A");
  assert.equal(key, "doubt.confirm.spaces");
  assert.match(list, /^doubt\.row 3 doubt\.around name; .*doubt\.row 12 doubt\.around name; certificate\.more 1$/);
  assert.equal(refused("A"), null);
  assert.deepEqual(refused("B"), first);
  assert.doesNotThrow(() => confirm({}, [], "C"));
});

test("a long text of spaces is read in linear time", () => assert.deepEqual(codesOf(`a${" ".repeat(4_000_000)}a`), []));
