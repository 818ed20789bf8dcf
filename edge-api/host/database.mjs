// Runs SQL in the database of a local state folder. `cargo xtask backup` and `cargo xtask restore` use it. `--migrate` first applies the
// missing migrations.
//
//   node edge-api/host/database.mjs --state DIR [--migrate]
//
// Each line of standard input is a JSON list of statements, which run as one transaction. Each line of standard output answers one line
// of standard input: {"results":[[row, …], …]} or {"error":"…"}. No server may use the folder at the same time.
import { randomUUID } from "node:crypto";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Miniflare } from "miniflare";
import { applyMigrations } from "./migrations.mjs";
import { home, readConfiguration } from "./runtime.mjs";

// Runs a request's statements as one transaction, and answers with a line of standard output: 20,000 statements in 1.1 s. The binding that Miniflare
// gives to Node.js makes a blocking call for each prepared statement. These calls took 27 s. Then the batch failed, because workerd had closed the
// connection, which it does after five idle seconds. Other programs of the machine, and pages in its browsers, can send requests too, but do not know
// the secret.
const WORKER = `export default {
  async fetch(request, { DATABASE, SECRET }) {
    if (request.headers.get("authorization") !== SECRET) return new Response(null, { status: 401 });
    try {
      const statements = await request.json();
      const results = await DATABASE.batch(statements.map((statement) => DATABASE.prepare(statement)));
      return Response.json({ results: results.map(({ results }) => results) });
    } catch (error) {
      return Response.json({ error: error.cause?.message ?? error.message });
    }
  },
};`;
/** The binding of the database in this Worker. */
const DATABASE = "DATABASE";
const secret = randomUUID();

const { values } = parseArgs({ options: { state: { type: "string" }, migrate: { type: "boolean", default: false } } });
process.umask(0o077);
const configuration = await readConfiguration();
const [{ database_id, migrations_dir, migrations_table }] = configuration.d1_databases;
const simulator = new Miniflare({
  workers: [
    {
      config: {
        name: "database",
        compatibilityDate: configuration.compatibility_date,
        manifest: { mainModule: "batch.js", modulesRoot: home, modules: { "batch.js": { type: "esm", contents: WORKER } } },
        env: { [DATABASE]: { type: "d1", id: database_id }, SECRET: { type: "text", value: secret } },
      },
      dev: { rootPath: home },
    },
  ],
  resourcePersistencePath: path.resolve(values.state),
  cf: false,
  telemetry: { enabled: false },
});
try {
  if (values.migrate) await applyMigrations(await simulator.getD1Database(DATABASE), path.resolve(home, migrations_dir), migrations_table);
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await simulator.dispatchFetch("http://database/", { method: "POST", headers: { authorization: secret }, body: line });
    process.stdout.write(`${await answer.text()}\n`);
  }
} finally {
  await simulator.dispose();
}
