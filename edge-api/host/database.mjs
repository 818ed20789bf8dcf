// Runs SQL in the database of a local state folder. `cargo xtask backup` and `cargo xtask restore` use it. `--migrate` first applies the
// missing migrations.
//
//   node edge-api/host/database.mjs --state DIR [--migrate]
//
// Each line of standard input is a JSON list of statements, which run as one transaction. Each line of standard output answers one line
// of standard input: {"results":[[row, …], …]} or {"error":"…"}. No server may use the folder at the same time.
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Miniflare } from "miniflare";
import { applyMigrations } from "./migrations.mjs";
import { home, readConfiguration } from "./runtime.mjs";

const { values } = parseArgs({ options: { state: { type: "string" }, migrate: { type: "boolean", default: false } } });
process.umask(0o077);
const configuration = await readConfiguration();
const [{ binding, database_id, migrations_dir, migrations_table }] = configuration.d1_databases;
const simulator = new Miniflare({
  workers: [
    {
      config: {
        name: "database",
        compatibilityDate: configuration.compatibility_date,
        manifest: { mainModule: "none.js", modulesRoot: home, modules: { "none.js": { type: "esm", contents: "export default {};" } } },
        env: { [binding]: { type: "d1", id: database_id } },
      },
      dev: { rootPath: home },
    },
  ],
  resourcePersistencePath: path.resolve(values.state),
  cf: false,
  telemetry: { enabled: false },
});
try {
  const database = await simulator.getD1Database(binding);
  if (values.migrate) await applyMigrations(database, path.resolve(home, migrations_dir), migrations_table);
  for await (const line of createInterface({ input: process.stdin })) {
    let answer;
    try {
      const results = await database.batch(JSON.parse(line).map((statement) => database.prepare(statement)));
      answer = { results: results.map(({ results }) => results) };
    } catch (error) {
      answer = { error: error.cause?.message ?? error.message };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
} finally {
  await simulator.dispose();
}
