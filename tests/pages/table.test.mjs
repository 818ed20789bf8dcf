// The tables of the pages: the border to WebAssembly, and the rest that is JavaScript. The crate `cert-tables` tests the rules.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { documents, doubtsOfDocument, doubtsOfRows, fieldsOf, guessFields, initSync, questions, readTable as readFileOf, writeTable } from "../../cert-tables/dist/tables.js";
import { progressOf } from "../../www/lib/batches.ts";
import { valueOf } from "../../pkg/view/src/values.ts";

const read = (path) => readFile(new URL(path, import.meta.url));
initSync({ module: await read("../../cert-tables/dist/tables_bg.wasm") });
const vectors = JSON.parse(await read("../vectors/batch/table.json"));
const english = JSON.parse(await read("../../pkg/view/texts/en.issue.json"));
const hasText = (key) => typeof key.split(".").reduce((at, step) => at?.[step], english) === "string";

const readTable = (text, choices = {}) =>
  JSON.parse(readFileOf(typeof text === "string" ? new TextEncoder().encode(text) : text, JSON.stringify({ encoding: null, delimiter: null, sheet: null, maxRows: 2000, ...choices })));
const ask = (task, input) => JSON.parse(task(JSON.stringify(input)));

/** Asserts that a call is refused with this key, and that the English texts have a sentence for it. */
function refuses(call, key, values = {}) {
  assert.throws(call, (error) => {
    const refusal = JSON.parse(error);
    assert.deepEqual([refusal.key, { ...refusal.values, ...values }], [key, refusal.values]);
    assert.ok(hasText(key), key);
    return true;
  });
}

test("a table is read with its problems, and a question is a refusal", async () => {
  assert.deepEqual(readTable("Liste\n\na;b\n1;2\n3\n"), {
    delimiter: ";",
    sheet: null,
    header: 3,
    columns: ["a", "b"],
    rows: [{ row: 4, cells: ["1", "2"] }],
    errors: [{ row: 5, column: null, key: "table.cells", values: { count: 1, columns: 2 } }],
  });
  refuses(() => readTable("a;b,c\n1;2,3\n"), "table.delimiter");
  assert.deepEqual(readTable("a;b,c\n1;2,3\n", { delimiter: ";" }).columns, ["a", "b,c"]);
  const old = Buffer.from("name\nJosé\n", "latin1");
  refuses(() => readTable(old), "table.encoding", { encoding: "windows-1252", sample: "José" });
  assert.equal(readTable(old, { encoding: "windows-1252" }).rows[0].cells[0], "José");
  refuses(() => readTable(`a\n${"1\n".repeat(2001)}`), "table.rows", { most: 2000 });
  const sheets = await read("../vectors/batch/workbooks/sheets.xlsx");
  refuses(() => readTable(sheets), "table.sheet", { names: ["Spring", "Autumn", "Secret"] });
  assert.deepEqual(readTable(sheets, { sheet: "Autumn" }).rows, [{ row: 2, cells: ["Ada", "Autumn"] }]);
});

test("fields keep the order and the names of the schema, even `__proto__`", () => {
  const schema = JSON.parse('{"properties":{"z":{"title":"Z"},"__proto__":{"title":"P"},"a":{"properties":{"b":{}}}}}');
  const paths = ask(fieldsOf, schema);
  assert.deepEqual(paths, [
    { path: ["z"], title: "Z" },
    { path: ["__proto__"], title: "P" },
    { path: ["a", "b"], title: null },
  ]);
  assert.deepEqual(JSON.parse(guessFields('["p","x","B"]', JSON.stringify(schema))), [1, null, 2]);
  const made = documents(JSON.stringify({ schema, rows: [{ row: 2, cells: ["1", "2"] }], paths: [["__proto__"], null], readings: [null, null], key: null }));
  assert.equal(made, '{"documents":[{"__proto__":"1"}],"keys":["1"],"errors":[]}');
});

test("rows become documents, with a reading for each column", () => {
  const schema = { properties: { day: { type: "string", format: "date" }, points: { type: "number" } } };
  const rows = [
    { row: 2, cells: ["03.11.2026", "24,5", "a"] },
    { row: 3, cells: ["04.11.2026", "x", "a"] },
  ];
  const paths = [["day"], ["points"], null];
  const [question] = ask(questions, { schema, rows: rows.slice(0, 1), paths: [["day"], null, null] });
  assert.deepEqual(question, {
    column: 0,
    examples: ["03.11.2026"],
    readings: [
      { name: "day-month-year", texts: ["2026-11-03"] },
      { name: "month-day-year", texts: ["2026-03-11"] },
    ],
  });
  for (const { name } of question.readings) assert.ok(hasText(`many.means.${name}`));
  assert.deepEqual(ask(documents, { schema, rows, paths, readings: ["day-month-year", "decimal-comma", null], key: 2 }), {
    documents: [{ day: "2026-11-03", points: 24.5 }, null],
    keys: ["a", "a"],
    errors: [
      { row: 3, column: 1, key: "cell.number", values: { cell: "x" } },
      { row: 3, column: 2, key: "cell.keyTwice", values: { first: 2 } },
    ],
  });
});

test("doubts have their kinds, and equal rows name the first one", () => {
  const schema = { properties: { name: { type: "string" } } };
  const rows = [2, 3].map((row) => ({ row, cells: [" Ada"], document: { name: " Ada" } }));
  const now = Date.parse("2026-11-03T00:00:00Z");
  assert.deepEqual(ask(doubtsOfRows, { schema, rows, paths: [["name"]], now }), [
    { row: 3, path: [], kind: "equal-rows", code: "equal", first: 2 },
    { row: 2, path: ["name"], kind: "spaces", code: "around" },
    { row: 3, path: ["name"], kind: "spaces", code: "around" },
  ]);
  const found = ask(doubtsOfDocument, { schema: {}, document: { validUntil: "2026-11-02" }, now });
  assert.deepEqual(found, [{ path: ["validUntil"], kind: "dates", code: "expired" }]);
});

test("a result can be read back, and none of its cells is a formula", () => {
  const text = writeTable(
    JSON.stringify([
      ["name", "note"],
      ["Müller; Ada", 'say "x"'],
      ["two\r\nlines", "=1+1"],
    ]),
    ";",
  );
  assert.ok(text.startsWith("\ufeff"));
  assert.deepEqual(
    readTable(text).rows.map(({ cells }) => cells),
    [
      ["Müller; Ada", 'say "x"'],
      ["two\r\nlines", "'=1+1"],
    ],
  );
});

test("a text of a form becomes the value of a cell with the same text", () => {
  const key = (call) => {
    try {
      return call();
    } catch (error) {
      return error.key;
    }
  };
  for (const [cell, type, value] of vectors.values) assert.deepEqual(valueOf(cell, { schema: { type } }), value, cell);
  // A form has no spreadsheet that shows a percentage.
  for (const [cell, type, code] of vectors.refused.filter(([, , code]) => code !== "cell.percent"))
    assert.equal(
      key(() => valueOf(cell, { schema: { type } })),
      code,
      cell,
    );
  for (const { schema, values, refused } of vectors.described) {
    for (const [cell, value] of values) assert.deepEqual(valueOf(cell, { schema }), value, `${cell} of ${JSON.stringify(schema)}`);
    for (const [cell, code] of refused)
      assert.equal(
        key(() => valueOf(cell, { schema })),
        code,
        `${cell} of ${JSON.stringify(schema)}`,
      );
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
