// Tests the database of a state folder.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Local } from "../src/backup/database.ts";

test("texts with all line separators pass through the database of a state folder", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "assay-local-"));
  assert.throws(() => new Local(path.join(folder, "none"), false), /has no database/);
  const database = new Local(path.join(folder, "state"), true);
  try {
    const text = "a\u2028b\u2029c\nd\re";
    const [, , rows] = await database.query(["CREATE TABLE t (text TEXT)", `INSERT INTO t VALUES ('${text}')`, "SELECT text FROM t"]);
    assert.deepEqual(rows, [{ text }]);
    await assert.rejects(database.query(["SELECT * FROM missing"]), /no such table: missing/);
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
});

test("a state folder takes a part of 20,000 small rows in one transaction", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "assay-local-"));
  const database = new Local(path.join(folder, "state"), true);
  try {
    await database.load(["CREATE TABLE t (number INTEGER)", ...Array.from({ length: 20_000 }, (_, number) => `INSERT INTO t VALUES (${number})`)]);
    assert.deepEqual(await database.query(["SELECT count(*) AS count FROM t"]), [[{ count: 20_000 }]]);
    await assert.rejects(database.load(["INSERT INTO t VALUES (20000)", "INSERT INTO missing VALUES (1)"]), /no such table: missing/);
    assert.deepEqual(await database.query(["SELECT max(number) AS most FROM t"]), [[{ most: 19_999 }]]);
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
});
