// Records the changes while a backup runs. A snapshot of the platform ends with the call that reads it, so a backup reads pages of rows from different
// states. Triggers write the new state of each changed row into `backup_changes`, in the transaction that changes the row. Pages and changes together
// give the state at one moment: docs/decisions/0049-backups.md.
import { type Schema, type Table, keyColumns, textLiteral, widthOf } from "./table.ts";

/**
 * Changes are recorded until this many seconds after the last call of a backup. Within this time, a stopped run can be continued. After this time the
 * triggers write nothing, so an abandoned backup does not fill the database.
 */
export const SECONDS = 3600;

/** The statement that lists the triggers of a recording. */
export const TRIGGERS = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'backup_capture_*'";

/** Returns the statements that remove an earlier recording, which has the triggers `earlier`, and start a new recording. */
export function startStatements(id: string, schema: Schema, earlier: string[]): string[] {
  const columns = Array.from({ length: widthOf(schema) }, (_, index) => `c${index}`);
  return [
    ...stopStatements(earlier),
    // `until` is the end of the recording, in seconds since 1970.
    "CREATE TABLE backup_capture (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL, until INTEGER NOT NULL)",
    // The numbers ascend in the order of commits, because the database runs one writing transaction at a time.
    `CREATE TABLE backup_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, deleted INTEGER NOT NULL, ${columns.join(", ")})`,
    `INSERT INTO backup_capture (only, id, until) VALUES (1, ${textLiteral(id)}, unixepoch() + ${SECONDS})`,
    ...schema.tables.flatMap(triggersOf),
  ];
}

/** Returns the statements that end a recording: they remove its triggers and its tables. */
export const stopStatements = (triggers: string[]): string[] => [
  ...triggers.map((name) => `DROP TRIGGER IF EXISTS "${name}"`),
  "DROP TABLE IF EXISTS backup_changes",
  "DROP TABLE IF EXISTS backup_capture",
];

/** Returns the statement that prolongs the recording. The statement returns no row if the recording has ended, even if it ended only a moment ago. */
export const prolongStatement = (id: string): string => `UPDATE backup_capture SET until = unixepoch() + ${SECONDS} WHERE id = ${textLiteral(id)} AND until > unixepoch() RETURNING until`;

/** Returns the statement that reads at most `limit` changes after the number `seq`, up to the number `last` if it is not null. */
export function changesStatement(width: number, seq: number, last: number | null, limit: number): string {
  const columns = Array.from({ length: width }, (_, index) => `CAST(c${index} AS TEXT) AS "${index}"`);
  const end = last === null ? "" : ` AND seq <= ${last}`;
  return `SELECT seq, name, deleted, ${columns.join(", ")} FROM backup_changes WHERE seq > ${seq}${end} ORDER BY seq LIMIT ${limit}`;
}

/**
 * Returns the triggers that record the changes of a table. They store the values unchanged, because an encoding with more bytes could exceed the
 * platform's limit for a row. The service's own statement would then fail.
 *
 * SQLite runs no trigger for a row that `REPLACE` deletes, so the service must not use `REPLACE` (`edge-api/tests/layers.rs`).
 */
function triggersOf(table: Table): string[] {
  const { name, columns, key } = table;
  const all = columns.map((_, index) => index);
  const named = (prefix: string, indexes: number[]) => indexes.map((index) => `${prefix}"${columns[index]?.name}"`).join(", ");
  const numbered = (indexes: number[]) => indexes.map((index) => `c${index}`).join(", ");
  const changed = `INSERT INTO backup_changes (name, deleted, ${numbered(all)}) VALUES ('${name}', 0, ${named("NEW.", all)})`;
  const gone = `INSERT INTO backup_changes (name, deleted, ${numbered(key)}) SELECT '${name}', 1, ${named("OLD.", key)}`;
  const after = keyColumns(table, "NEW.");
  const hasMoved = keyColumns(table, "OLD.").map((before, index) => `${before} IS NOT ${after[index]}`);
  const trigger = (event: string, does: string) =>
    `CREATE TRIGGER "backup_capture_${name}_${event}" AFTER ${event} ON "${name}" WHEN (SELECT until FROM backup_capture) > unixepoch() BEGIN ${does}; END`;
  return [trigger("INSERT", changed), trigger("UPDATE", `${gone} WHERE ${hasMoved.join(" OR ")}; ${changed}`), trigger("DELETE", gone)];
}
