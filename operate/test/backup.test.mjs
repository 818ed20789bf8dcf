// Tests the rows, lines and statements of backups.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { mergedLines } from "../src/backup/export.ts";
import { Appended } from "../src/backup/folder.ts";
import { cellsOf, compareKeys, insertStatements, lineOf, pageStatement, parseLine, partsOf, readSchema, textLiteral } from "../src/backup/table.ts";
import { linesIn } from "../src/lines.ts";

const column = (table, name, type, pk) => ({ table, name, type, pk });

const [assets] = readSchema([[], [column("assets", "note", "TEXT", 0), column("assets", "id", "INTEGER", 2), column("assets", "ledger_id", "TEXT", 1)], []]).tables;

test("tables follow the tables that they reference", () => {
  const columns = ["a", "b", "c"].map((table) => column(table, "id", "TEXT", 1));
  const references = (...pairs) => pairs.map(([table, parent]) => ({ table, parent }));
  const { tables } = readSchema([[], columns, references(["a", "c"], ["c", "b"])]);
  assert.deepEqual(
    tables.map(({ name }) => name),
    ["b", "c", "a"],
  );
  assert.throws(() => readSchema([[], columns, references(["a", "c"], ["c", "a"])]), /form a circle/);
});

test("a column of an unsupported type is refused", () => {
  assert.throws(() => readSchema([[], [column("a", "bytes", "BLOB", 0)], []]), /`bytes` of `a`/);
});

test("a page starts after a key of several columns", () => {
  assert.equal(
    pageStatement(assets, ["it's", 7n], 10),
    'SELECT CAST("note" AS TEXT) AS "0", CAST("id" AS TEXT) AS "1", CAST("ledger_id" AS TEXT) AS "2" FROM "assets" WHERE ("ledger_id", "id") > (\'it\'\'s\', 7) ORDER BY "ledger_id", "id" LIMIT 10',
  );
});

test("values keep their types and all their digits", () => {
  const cells = cellsOf(assets, { 0: null, 1: "9007199254740993", 2: "0x1" });
  assert.equal(lineOf(cells), '[null,9007199254740993,"0x1"]');
  assert.deepEqual(parseLine(assets, lineOf(cells)), cells);
  assert.throws(() => cellsOf(assets, { 0: null, 1: "x", 2: "0x1" }), /`assets.id` is not INTEGER/);
  for (const wrong of ["[null]", "[1.5,1,1]", "{}", "[null,true,1]"]) assert.throws(() => parseLine(assets, wrong), wrong);
});

test("keys have the order of the database: null, integers, bytes of texts", () => {
  // In UTF-16, the surrogates of U+1F600 come before U+FF5E.
  const sorted = [[null], [-1n], [9007199254740992n], [9007199254740993n], [""], ["a"], ["\uff5e"], ["\u{1f600}"]];
  assert.deepEqual(sorted.toReversed().sort(compareKeys), sorted);
});

test("a long text is inserted in parts between characters", () => {
  const text = "é'".repeat(30_000);
  const statements = insertStatements(assets, [text, 1n, "l"]);
  assert.equal(statements.length, 3);
  assert.ok(statements.every((statement) => Buffer.byteLength(statement) < 100_000));
  assert.match(statements[1], /WHERE "ledger_id" = 'l' AND "id" = 1$/);
  assert.equal(partsOf(text, 40_000).join(""), text);
  assert.equal(textLiteral("a\0'b"), "'a'||char(0)||'''b'");
});

test("rows are merged with their last changes in the order of keys", async () => {
  const [table] = readSchema([[], [column("t", "id", "INTEGER", 1), column("t", "text", "TEXT", 0)], []]).tables;
  const changes = [
    [1n, "new, before all"],
    [3n, null],
    [4n, null],
    [5n, "new"],
    [10n, "changed"],
    [11n, "new, after all"],
  ].map(([key, text]) => ({ key: [key], line: text === null ? null : lineOf([key, text]) }));
  const lines = await Array.fromAsync(mergedLines(table, ['[2,"b"]', '[4,"d"]', '[10,"j"]'], changes));
  assert.deepEqual(lines, ['[1,"new, before all"]', '[2,"b"]', '[5,"new"]', '[10,"changed"]', '[11,"new, after all"]']);
});

test("only a line feed ends a line", async () => {
  const text = ['["a\u2028b"]', '["c\u2029\r"]', "last"];
  const bytes = Buffer.from(text.join("\n"));
  // Chunks end inside of characters.
  const chunks = Array.from({ length: Math.ceil(bytes.length / 3) }, (_, index) => bytes.subarray(index * 3, index * 3 + 3));
  assert.deepEqual(await Array.fromAsync(linesIn(chunks)), text);
});

test("bytes that were not recorded are cut off, and a shorter file is refused", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "assay-appended-"));
  const file = path.join(folder, "rows.ndjson");
  const appended = new Appended(file, 0);
  appended.add("[1]");
  const bytes = appended.close();
  appendFileSync(file, "[2]\n[3");
  const again = new Appended(file, bytes);
  again.add("[2]");
  assert.equal(again.close(), 8);
  assert.equal(readFileSync(file, "utf8"), "[1]\n[2]\n");
  assert.throws(() => new Appended(file, 9), /shorter than recorded/);
  rmSync(folder, { recursive: true });
});
