// Applies the SQL migrations to a local database, as `wrangler d1 migrations apply` does to a deployed one. Each migration is applied
// once, in the order of the file names. It is recorded in wrangler's own table, so either tool can continue after the other.
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";

/** Applies the missing migrations and returns their names. */
export async function applyMigrations(database, directory, table) {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sql")).sort();
  await database.prepare(`CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, ` + "applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)").run();
  const { results } = await database.prepare(`SELECT name FROM ${table}`).all();
  const applied = new Set(results.map((row) => row.name));
  const missing = files.filter((file) => !applied.has(file));
  const record = database.prepare(`INSERT INTO ${table} (name) VALUES (?1)`);
  const statements = missing.map(async (file) => [database.prepare(await readFile(path.join(directory, file), "utf8")), record.bind(file)]);
  try {
    // A batch is one transaction and one round trip: either all missing migrations are applied and recorded, or none.
    if (missing.length > 0) await database.batch((await Promise.all(statements)).flat());
  } catch (error) {
    throw new Error(`applying ${missing.join(", ")} failed: ${error.message}`, { cause: error });
  }
  return missing;
}
