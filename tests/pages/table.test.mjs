// Tables and their columns: the page reads the same tables as `cert batch`, and refuses other files with a sentence.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { progressOf } from "../../www/lib/batches.js";
import { documentOf, fieldsOf, guessFields, keysOf, valueOf } from "../../www/lib/mapping.js";
import { decodeTable, harmless, readTable, writeTable } from "../../www/lib/table.js";

const vectors = JSON.parse(await readFile(new URL("../vectors/batch/table.json", import.meta.url), "utf8"));
const english = JSON.parse(await readFile(new URL("../../www/texts/en.issue.json", import.meta.url), "utf8"));
const hasText = (key) => typeof key.split(".").reduce((at, step) => at?.[step], english) === "string";

/** Asserts that a call is refused with this key, and that the English texts have a sentence for the key. */
function refuses(call, key, name) {
  assert.throws(call, (error) => {
    assert.equal(error.key, key, name);
    assert.ok(hasText(key), key);
    return true;
  }, name);
}

test("the bytes of a table are decoded, and other files are refused", () => {
  for (const { bytes, encoding, text } of vectors.decoded) assert.equal(decodeTable(Buffer.from(bytes, "hex"), encoding), text);
  for (const { bytes, encoding, key } of vectors.undecoded) refuses(() => decodeTable(Buffer.from(bytes, "hex"), encoding), key, bytes);
  refuses(() => decodeTable(new Uint8Array(5 * 1024 * 1024 + 1).fill(65)), "table.size");
});

// Without linear readers, these calls would take hours.
test("tables of one long word or of many columns are read in linear time", () => {
  const word = Buffer.alloc(5_000_000, "a");
  word[0] = 0xff;
  assert.throws(() => decodeTable(word), ({ key, values }) => key === "table.encoding" && values.sample === `ÿ${"a".repeat(39)}`);
  const columns = Array.from({ length: 700_000 }, (_, index) => `${index}`);
  refuses(() => readTable([...columns, "0"].join(","), parse), "table.twice");
});

test("the sample of a Windows-1252 table has its words with special characters", () => {
  assert.throws(() => decodeTable(Buffer.from("name;town\nJos\xe9;K\xf6ln\nAda;Rom\nJos\xe9;Z\xfcrich\n", "latin1")), ({ values }) => values.sample === "José Köln Zürich");
});

test("a table is read with its delimiter and its row numbers", () => {
  for (const { text, delimiter, columns, rows } of vectors.tables) {
    const expected = { delimiter, columns, rows: rows.map(([row, cells]) => ({ row, cells })), errors: [] };
    assert.deepEqual(readTable(text, parse), expected, text);
  }
  assert.deepEqual(readTable("a;b,c\n1;2\n", parse, ";").columns, ["a", "b,c"]);
});

test("broken tables are refused, and broken rows are all reported", () => {
  for (const { text, key } of vectors.broken) refuses(() => readTable(text, parse), key, text);
  for (const { text, rows } of vectors.brokenRows) assert.deepEqual(readTable(text, parse).errors.map(({ row, key }) => [row, key]), rows.map((row) => [row, "table.cells"]));
  refuses(() => readTable(`a\n${"1\n".repeat(2001)}`, parse), "table.rows");
  assert.throws(() => readTable('a,b\n1,2\n\nx,"y"z"\n3,"4"\n"', parse), ({ key, values }) => key === "table.inside" && values.row === 4);
});

test("columns are mapped to fields by name, and cells are converted to values", () => {
  for (const { schema, columns } of [vectors.guesses, vectors.followed]) {
    const fields = fieldsOf(schema);
    for (const [column, path] of columns) assert.equal(guessFields([column], fields)[0]?.path.join(".") ?? null, path, column);
  }
  for (const [cell, type, value] of vectors.values) assert.deepEqual(valueOf(cell, { schema: { type } }), value, cell);
  for (const [cell, type, key] of vectors.refused) refuses(() => valueOf(cell, { schema: { type } }), key, cell);
});

test("cells are converted to values that their schemas accept", () => {
  for (const { schema, values, refused } of vectors.described) {
    for (const [cell, value] of values) assert.deepEqual(valueOf(cell, { schema }), value, `${cell} of ${JSON.stringify(schema)}`);
    for (const [cell, key] of refused) refuses(() => valueOf(cell, { schema }), key, `${cell} of ${JSON.stringify(schema)}`);
  }
});

test("a row is converted to a document, or to an error for each wrong cell", () => {
  const columns = ["Course", "Holder.Name", "Born", "Points", "passed", "remarks"];
  const mapped = guessFields(columns, fieldsOf(vectors.guesses.schema));
  const made = (...cells) => documentOf({ row: 7, cells }, columns, mapped);
  assert.deepEqual(made("Merkle trees", "Ada", "", "97.5", "true", "x"), { document: { name: "Merkle trees", holder: { name: "Ada" }, points: 97.5, passed: true }, errors: [] });
  assert.deepEqual(made("", "", "", "97,5", "yes", "").errors, [
    { row: 7, column: "Points", key: "cell.number", values: { cell: "97,5" } },
    { row: 7, column: "passed", key: "cell.boolean", values: { cell: "yes" } },
  ]);
});

test("empty and repeated keys are reported as errors of their rows", () => {
  const rows = ["a", "b", " ", "a "].map((cell, index) => ({ row: index + 2, cells: [cell] }));
  const { keys, errors } = keysOf(rows, ["E-Mail"], 0);
  assert.deepEqual([keys, errors.map(({ row, column, key }) => [row, column, key])], [["a", "b", "", "a"], [[4, "E-Mail", "cell.keyEmpty"], [5, "E-Mail", "cell.keyTwice"]]]);
  assert.deepEqual(keysOf(rows, ["E-Mail"], null).keys, ["1", "2", "3", "4"]);
  for (const { key } of errors) assert.ok(hasText(key), key);
});

test("a result can be read back, and none of its cells is a formula", () => {
  for (const [cell, written] of vectors.cells) assert.equal(harmless(cell), written);
  const lines = [["name", "note"], ["Müller; Ada", 'say "x"'], ["two\r\nlines", "=1+1"]];
  const text = writeTable(lines, ";");
  assert.deepEqual(readTable(decodeTable(new TextEncoder().encode(text)), parse).rows.map(({ cells }) => cells), [lines[1], [lines[2][0], "'=1+1"]]);
});

test("a spreadsheet that expects another delimiter finds no formula either", () => {
  const attacks = [";", ",", "\t", "\n", "\r\n", '"', ';"', ',""', ";\t"].flatMap((before) => ["=1+1", "@SUM(A1)", "+A1", "-A1", "＝A1"].map((formula) => `Max${before}${formula}`));
  for (const written of [",", ";", "\t"]) {
    const lines = attacks.map((cell) => ["Ada", cell, "issued"]);
    const text = writeTable([["name", "note", "status"], ...lines], written).slice(1);
    for (const delimiter of [",", ";", "\t"]) {
      const cells = parse(text, { delimiter, record_delimiter: ["\r\n", "\n", "\r"], relax_quotes: true, relax_column_count: true }).flat();
      assert.deepEqual(cells.filter((cell) => /^"*[=@+\-＝]/.test(cell)), [], `${JSON.stringify(written)} read with ${JSON.stringify(delimiter)}`);
    }
  }
});

test("a row counts as sent until its order fails", () => {
  const lines = [
    { kind: "batch" },
    ...["a", "b", "c", "d"].map((key, index) => ({ kind: "row", key, asset: String(index) })),
    ...["a", "b", "c"].map((key) => ({ kind: "order", id: `order-${key}`, rows: [key] })),
    { kind: "final", id: "order-a" },
    { kind: "failed", id: "order-b" },
  ];
  const { issued, sent } = progressOf(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  assert.deepEqual([[...issued], [...sent]], [["a"], ["a", "c"]]);
});
