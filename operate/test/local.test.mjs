// Tests the database of a state folder.
import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Local } from "../src/backup/database.ts";

/** Runs a test with the database of a new state folder, and deletes the folder. */
async function withDatabase(run) {
  const folder = await mkdtemp(path.join(tmpdir(), "assay-local-"));
  const state = path.join(folder, "state");
  const database = new Local(state, true);
  try {
    await run(database, state);
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
}

test("texts with all line separators pass through the database of a state folder", () =>
  withDatabase(async (database, state) => {
    assert.throws(() => new Local(path.join(state, "none"), false), /has no database/);
    const text = "a\u2028b\u2029c\nd\re";
    const [, , rows] = await database.query(["CREATE TABLE t (text TEXT)", `INSERT INTO t VALUES ('${text}')`, "SELECT text FROM t"]);
    assert.deepEqual(rows, [{ text }]);
    await assert.rejects(database.query(["SELECT * FROM missing"]), /no such table: missing/);
  }));

test("a state folder takes a part of 20,000 small rows in one transaction", () =>
  withDatabase(async (database) => {
    await database.load(["CREATE TABLE t (number INTEGER)", ...Array.from({ length: 20_000 }, (_, number) => `INSERT INTO t VALUES (${number})`)]);
    assert.deepEqual(await database.query(["SELECT count(*) AS count FROM t"]), [[{ count: 20_000 }]]);
    await assert.rejects(database.load(["INSERT INTO t VALUES (20000)", "INSERT INTO missing VALUES (1)"]), /no such table: missing/);
    assert.deepEqual(await database.query(["SELECT max(number) AS most FROM t"]), [[{ most: 19_999 }]]);
  }));

/** Returns the ports on which a process and its children listen. `argument` is an argument of the process. Linux only. */
async function portsOf(argument) {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const processes = await Promise.all(
    ids.map(async (id) => {
      const [command, status] = await Promise.all(["cmdline", "status"].map((name) => readFile(`/proc/${id}/${name}`, "utf8").catch(() => "")));
      return { id, parent: /^PPid:\s*(\d+)/m.exec(status)?.[1], isWanted: command.split("\0").includes(argument) };
    }),
  );
  const wanted = new Set(processes.filter(({ isWanted }) => isWanted).map(({ id }) => id));
  // A child can have a smaller number than its parent.
  for (let before = -1; before < wanted.size; ) {
    before = wanted.size;
    for (const { id, parent } of processes) if (wanted.has(parent)) wanted.add(id);
  }
  const links = await Promise.all(
    [...wanted].map(async (id) => {
      const files = await readdir(`/proc/${id}/fd`);
      return Promise.all(files.map((file) => readlink(`/proc/${id}/fd/${file}`).catch(() => "")));
    }),
  );
  const sockets = new Set(links.flat());
  const lines = (await readFile("/proc/net/tcp", "utf8")).trim().split("\n").slice(1);
  const listening = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , state, , , , , , inode]) => state === "0A" && sockets.has(`socket:[${inode}]`));
  return listening.map(([, local]) => Number.parseInt(local.split(":")[1], 16));
}

test("no other program can run statements in the database of a state folder", { skip: process.platform !== "linux" && "the ports are read from /proc" }, () =>
  withDatabase(async (database, state) => {
    await database.query(["CREATE TABLE t (number INTEGER)"]);
    const answers = await Promise.all(
      (await portsOf(state)).map(async (port) => {
        const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: '["INSERT INTO t VALUES (1)"]' }).catch(() => undefined);
        return answer?.status;
      }),
    );
    assert.ok(answers.includes(401), `${answers}`);
    assert.deepEqual(await database.query(["SELECT * FROM t"]), [[]]);
  }),
);
