// Tests how a nightly dump is loaded and checked.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { Dump } from "../src/backup/dump.ts";

const folder = mkdtempSync(path.join(tmpdir(), "assay-dump-"));
after(() => rmSync(folder, { recursive: true }));

/** A dump as the platform writes it: rows before the rows that they reference, and triggers last. */
const GOOD = [
  "PRAGMA defer_foreign_keys=TRUE;",
  "CREATE TABLE records (ref TEXT PRIMARY KEY, ledger TEXT REFERENCES ledgers (id)) STRICT;",
  `INSERT INTO "records" ("ref","ledger") VALUES('r;1','l''1');`,
  "CREATE TABLE ledgers (id TEXT PRIMARY KEY) STRICT;",
  `INSERT INTO "ledgers" ("id") VALUES('l''1');`,
  "CREATE TABLE backups (day INTEGER PRIMARY KEY, started_at INTEGER NOT NULL) STRICT;",
  `INSERT INTO "backups" ("day","started_at") VALUES(7,604800000);`,
  "CREATE INDEX by_ledger ON records (ledger);",
  "CREATE TRIGGER added AFTER INSERT ON records BEGIN INSERT INTO ledgers (id) VALUES (NEW.ref); END;",
];

let number = 0;
function load(lines) {
  number += 1;
  const file = path.join(folder, `${number}.sql`);
  writeFileSync(file, lines.join("\n"));
  return Dump.load(file, path.join(folder, `${number}.sqlite`));
}

test("a dump is loaded with its rows, and knows its time", async () => {
  const dump = await load(GOOD);
  dump.check();
  assert.equal(dump.madeAt(), 604_800_000);
  assert.deepEqual(await dump.query(["SELECT ref, ledger FROM records", "SELECT count(*) AS n FROM ledgers"]), [[{ ref: "r;1", ledger: "l'1" }], [{ n: 1 }]]);
  // Statements of one call are one transaction.
  await assert.rejects(dump.query(["DELETE FROM records", "SELECT 1 FROM missing"]), /no such table/);
  assert.equal((await dump.query(["SELECT 1 FROM records"]))[0].length, 1);
  await dump.close();
});

test("a dump that ends early, is damaged or is empty is refused", async () => {
  const cut = GOOD.join("\n").slice(0, GOOD.slice(0, 3).join("\n").length - 5);
  for (const lines of [[cut], [...GOOD, "INSERT INTO missing VALUES (1);"], ["<html>"]]) await assert.rejects(load(lines), /is damaged or incomplete/);
  const empty = await load([]);
  assert.throws(() => empty.madeAt(), /no such table: backups/);
  const other = await load(["CREATE TABLE backups (started_at INTEGER);"]);
  assert.throws(() => other.madeAt(), /the dump has no time/);
});

test("a reference to a missing row is found", async () => {
  const dump = await load(GOOD.filter((line) => !line.includes('INTO "ledgers"')));
  assert.throws(() => dump.check(), /a row of `records` references a row of `ledgers` that is missing/);
});
