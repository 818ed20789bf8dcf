// Opens the database file of a stopped server.
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { Miniflare } from "miniflare";
import { readConfiguration, simulatorOptions } from "../../edge-api/host/runtime.mjs";

/** Opens the database of a state folder for `work`. */
export async function withDatabase({ dist, state }, work) {
  const configuration = await readConfiguration();
  const simulator = new Miniflare(await simulatorOptions(configuration, { dist, state, vars: {}, privateNetwork: true }));
  try {
    return await work(await simulator.getD1Database(configuration.d1_databases[0].binding));
  } finally {
    await simulator.dispose();
  }
}

/** SQL for the bytes that requests have stored: the lengths of strings in the tables that requests write to. */
const STORED = {
  records: "length(body) + length(hash) + coalesce(length(error_message), 0) + coalesce(length(result), 0)",
  record_parties: "length(account_id) + length(ref)",
  accounts: "length(id) + coalesce(length(information), 0)",
  idempotency_keys: "length(path) + length(key) + coalesce(length(body), 0)",
  requests: "length(ref) + length(path) + length(url) + length(errors)",
  traffic: "length(account_id)",
  webhooks: "length(url)",
  webhook_deliveries: "length(body)",
};

/** Returns the bytes and rows of the tables in `STORED`, and the size of all database files. */
export async function stored(place) {
  const tables = await withDatabase(place, async (database) => {
    const found = {};
    for (const [table, length] of Object.entries(STORED)) {
      found[table] = await database.prepare(`SELECT count(*) AS rows, coalesce(sum(${length}), 0) AS bytes FROM ${table}`).first();
    }
    return found;
  });
  const names = await readdir(place.state, { recursive: true });
  let file = 0;
  for (const name of names.filter((name) => name.endsWith(".sqlite"))) file += (await stat(path.join(place.state, name))).size;
  const bytes = Object.values(tables).reduce((sum, table) => sum + table.bytes, 0);
  return { tables, bytes, file };
}
