// The Worker of the previous release on the tables of this tree, as during an upgrade and after a rollback.
import assert from "node:assert/strict";
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as assay from "@assay/client";
import { Miniflare } from "miniflare";
import { applyMigrations } from "../../edge-api/host/migrations.mjs";
import { home, readConfiguration, simulatorOptions } from "../../edge-api/host/runtime.mjs";
import { TOLD, tell } from "./0.1.0/story.mjs";
import { RELEASE, knownTo } from "./release.mjs";

const NEW = fileURLToPath(new URL("../../edge-api/dist", import.meta.url));
const VARS = { ENVIRONMENT: "development", DEPOSITS: "test", PAYMENTS: "on", RATE_LIMIT_ADDRESS: "off", RATE_LIMIT_ACCOUNT: "off" };

let folder;
let configuration;
let simulator;
let database;
/** The lines of the Worker's log. */
const log = [];
const inFolder = (...names) => path.join(folder, ...names);

/** Returns the configuration for a build. */
const known = (dist) => (dist === NEW ? configuration : { ...configuration, vars: knownTo(configuration.vars) });

/** Returns the simulator's options for a build. */
const options = async (dist) => ({ host: "127.0.0.1", port: 0, handleStructuredLogs: ({ message }) => log.push(message), ...(await simulatorOptions(known(dist), { dist, vars: VARS, privateNetwork: true })) });

/** Serves a build on the same database, and returns the service's address. */
async function serve(dist) {
  if (simulator) await simulator.setOptions(await options(dist));
  else simulator = new Miniflare(await options(dist));
  const { origin } = await simulator.ready;
  const [{ binding }] = configuration.d1_databases;
  database = await simulator.getD1Database(binding);
  return origin;
}

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
  folder = await mkdtemp(path.join(tmpdir(), "assay-release-"));
  configuration = await readConfiguration();
  await cp(new URL(`./${RELEASE.version}/`, import.meta.url), inFolder("dist"), { recursive: true });
  await rm(inFolder("dist", "story.mjs"));
  await mkdir(inFolder("dist", "assets"));
  await writeFile(inFolder("dist", "assets", "index.html"), "");
  await mkdir(inFolder("migrations"));
});
after(async () => {
  await simulator?.dispose();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test("the previous release answers while migrations run, and after a rollback", async () => {
  const files = (await readdir(path.join(home, "migrations"))).filter((name) => name.endsWith(".sql"));
  const add = (names) => Promise.all(names.map((name) => copyFile(path.join(home, "migrations", name), inFolder("migrations", name))));
  await add(files.filter((name) => name <= RELEASE.migration));
  const old = await serve(inFolder("dist"));
  await migrate();

  const telling = tell(assay, old);
  await add(files.filter((name) => name > RELEASE.migration));
  await writeFile(inFolder("migrations", "9999_extension.sql"), await extension());
  const applied = await migrate();
  assert.deepEqual(applied.at(-1), "9999_extension.sql");
  assert.deepEqual(await telling, TOLD, "while the migrations ran");
  assert.deepEqual(await tell(assay, await serve(NEW)), TOLD, "after the upgrade");
  assert.deepEqual(await tell(assay, await serve(inFolder("dist"))), TOLD, "after the rollback");
  // No statement failed. Responses do not always show a failed statement.
  assert.deepEqual(log.filter((line) => line.includes("SQLITE_ERROR")), []);
});
