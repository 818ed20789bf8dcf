// The Worker of this tree on the tables of a later release, as during an upgrade to that release and after a rollback from it.
import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as assay from "@assay/client";
import { Miniflare } from "miniflare";
import { applyMigrations } from "../edge-api/host/migrations.mjs";
import { home, readConfiguration, simulatorOptions } from "../edge-api/host/runtime.mjs";
import { RESULT, runStory } from "./client/story.mjs";

const DIST = fileURLToPath(new URL("../edge-api/dist", import.meta.url));
const VARS = { ENVIRONMENT: "development", DEPOSITS: "test", PAYMENTS: "on", RATE_LIMIT_ADDRESS: "off", RATE_LIMIT_ACCOUNT: "off" };

let folder;
let configuration;
let simulator;
let database;
/** The lines of the Worker's log. */
const log = [];
const inFolder = (...names) => path.join(folder, ...names);

const migrate = () => applyMigrations(database, inFolder("migrations"), configuration.d1_databases[0].migrations_table);

/**
 * Tables that never store a row: a statement inserts into them to make its transaction fail. These statements name no columns, so a migration
 * must not add columns to these tables.
 */
const GUARDS = ["guards", "quota_guards"];

/** Returns a migration that adds a nullable column with an index to each table, as migrations may. */
async function extension() {
  const { results } = await database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'").all();
  const tables = results.map(({ name }) => name).filter((name) => !/^(d1_|sqlite_|_cf_)/.test(name) && !GUARDS.includes(name));
  assert.ok(tables.length > 10, `${tables}`);
  return tables.map((table) => `ALTER TABLE "${table}" ADD COLUMN of_a_later_release TEXT;\nCREATE INDEX "${table}_of_a_later_release" ON "${table}" (of_a_later_release);`).join("\n");
}

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "assay-upgrade-"));
  configuration = await readConfiguration();
  await cp(path.join(home, "migrations"), inFolder("migrations"), { recursive: true });
  const options = await simulatorOptions(configuration, { dist: DIST, vars: VARS, privateNetwork: true });
  simulator = new Miniflare({ host: "127.0.0.1", port: 0, handleStructuredLogs: ({ message }) => log.push(message), ...options });
  await simulator.ready;
  database = await simulator.getD1Database(configuration.d1_databases[0].binding);
});
after(async () => {
  await simulator?.dispose();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test("the service answers while a later release extends its tables, and afterwards", async () => {
  await migrate();
  const { origin } = await simulator.ready;
  const running = runStory(assay, origin);
  await writeFile(inFolder("migrations", "9999_extension.sql"), await extension());
  assert.deepEqual(await migrate(), ["9999_extension.sql"]);
  assert.deepEqual(await running, RESULT, "while the migration ran");
  assert.deepEqual(await runStory(assay, origin), RESULT, "after the migration");
  // No statement failed. Responses do not always show a failed statement.
  assert.deepEqual(
    log.filter((line) => line.includes("SQLITE_ERROR")),
    [],
  );
});
