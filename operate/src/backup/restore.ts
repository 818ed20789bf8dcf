// Fills an empty database from a backup, and compares the result with the backup's hashes.
import { createInterface } from "node:readline/promises";
import { note, step } from "../report.ts";
import { type Database, query } from "./database.ts";
import { type Folder, Lines, type Manifest, type TableFile } from "./folder.ts";
import { type Cell, type Schema, type Table, cellsOf, fieldOf, insertStatements, keyOf, lineOf, nextLimit, pageStatement, parseLine, readSchema, schemaStatements, textLiteral } from "./table.ts";

/** The number of rows of a table that the first call of the comparison reads. */
const FIRST = 500;
/** The only tables that have rows in a new database. Migrations insert these rows. */
const BORN = ["instance", "development"];
/** The tables that belong to the old instance. A new instance has its own id, and does not accept the API keys of the old service. */
const OF_INSTANCE = ["instance", "api_keys"];

/**
 * The identity of the restored service. `keep`: the backup's instance, so claims and open orders stay valid, and the old service must be off for good.
 * `new`: a new instance, so the old service may keep running.
 */
export type Identity = "keep" | "new";

export const isIdentity = (text: string): text is Identity => text === "keep" || text === "new";

const MEANING = `--instance keep: the restored service is the same instance, and signed claims stay valid. The old service must be off for good. Otherwise, both services perform the same claims.
  --instance new: the restored service is another instance. With the embedded ledger, open orders and approvals have to be signed again, and the ledgers of the backup get no new assets.`;

/** Asks the user on the terminal. Throws if the standard input is not a terminal. */
export async function askIdentity(instance: string): Promise<Identity> {
  if (!process.stdin.isTTY) throw new Error(`choose the instance:\n  ${MEANING}`);
  note(`The backup is of the instance ${instance}.\n  ${MEANING}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = (await terminal.question("keep or new? ")).trim().toLowerCase();
  terminal.close();
  if (!isIdentity(answer)) throw new Error("expected `keep` or `new`");
  return answer;
}

/** The state of a running restoration. The database stores it until the restoration is complete. */
interface Progress {
  backup: string;
  /** The table that is being filled, and the number of its lines that are loaded. The name is empty after the last table. */
  name: string;
  line: number;
  /** The triggers to create at the end. */
  triggers: string[];
}

export interface RestoreOptions {
  folder: Folder;
  manifest: Manifest;
  /** The id of the backup. */
  id: string;
  identity: Identity;
  /** Bytes of SQL that are loaded in one transaction. */
  partBytes: number;
}

/** Fills the database. If a run with the same backup and identity was stopped, continues it. */
export async function restoreDatabase(database: Database, options: RestoreOptions): Promise<void> {
  const run = new Restore(database, options);
  const saved = await run.saved();
  if (saved !== null) note("  an earlier run is continued");
  const progress = saved ?? (await run.start());
  await step("load the rows", () => run.load(progress));
  await step("compare the rows with the backup", () => run.compare());
  await run.finish(progress);
}

class Restore {
  #database: Database;
  #options: RestoreOptions;
  /** The tables to fill. */
  #tables: Table[];
  /** The identity is a part of this id, so a continued run cannot change it. */
  #backup: string;

  constructor(database: Database, options: RestoreOptions) {
    const { manifest, id, identity } = options;
    this.#database = database;
    this.#options = options;
    this.#tables = manifest.schema.tables.filter(({ name }) => identity === "keep" || !OF_INSTANCE.includes(name));
    this.#backup = `${id} ${identity}`;
  }

  async saved(): Promise<Progress | null> {
    const [exists] = await query(this.#database, ["SELECT name FROM sqlite_master WHERE name = 'restore_progress'"]);
    if (!exists?.length) return null;
    const [[row] = []] = await query(this.#database, ["SELECT backup, name, line, triggers FROM restore_progress"]);
    const backup = fieldOf(row, "backup");
    if (backup !== this.#backup) {
      throw new Error("the database is partly filled from another backup or with another --instance: continue with that one, or delete the database");
    }
    return { backup, name: fieldOf(row, "name"), line: Number(row?.line), triggers: JSON.parse(fieldOf(row, "triggers")) };
  }

  /**
   * Checks that the database has the backup's schema, and only the rows that migrations insert. Then deletes these rows from the tables to fill. Also
   * removes the database's triggers, because the backup already contains the rows that the triggers would add.
   */
  async start(): Promise<Progress> {
    const { manifest, identity } = this.#options;
    const [migrations = [], columns = [], references = [], triggers = []] = await query(this.#database, [
      ...schemaStatements(),
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
    ]);
    const schema = readSchema([migrations, columns, references]);
    if (JSON.stringify(schema) !== JSON.stringify(manifest.schema)) {
      const last = ({ migrations }: Schema) => migrations.at(-1) ?? "";
      throw new Error(
        `the backup has the tables of migration ${last(manifest.schema)}, but this release has the tables of migration ${last(schema)}: restore with release ${manifest.release}, which made the backup, then upgrade by deploying`,
      );
    }
    const mustBeEmpty = schema.tables.filter(({ name }) => !BORN.includes(name));
    const answers = await query(
      this.#database,
      mustBeEmpty.map(({ name }) => `SELECT '${name}' AS name FROM "${name}" LIMIT 1`),
    );
    const filled = answers.flat().map((row) => fieldOf(row, "name"));
    if (filled.length > 0) throw new Error(`the database is not empty, it has rows in ${filled.join(", ")}: restore into a new --env or state folder`);
    const progress = { backup: this.#backup, name: this.#tables[0]?.name ?? "", line: 0, triggers: triggers.map((row) => fieldOf(row, "sql")) };
    const values = [progress.backup, progress.name].map(textLiteral);
    await query(this.#database, [
      "CREATE TABLE restore_progress (only INTEGER PRIMARY KEY CHECK (only = 1), backup TEXT NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL, triggers TEXT NOT NULL)",
      `INSERT INTO restore_progress (only, backup, name, line, triggers) VALUES (1, ${values.join(", ")}, 0, ${textLiteral(JSON.stringify(progress.triggers))})`,
      ...triggers.map((row) => `DROP TRIGGER "${fieldOf(row, "name")}"`),
      ...BORN.filter((table) => identity === "keep" || table !== "instance").map((table) => `DELETE FROM ${table}`),
    ]);
    return progress;
  }

  /** Loads the rows that are not loaded yet. The transaction of each part also records the progress. */
  async load(progress: Progress): Promise<void> {
    if (progress.name === "") return;
    const { folder, manifest, partBytes } = this.#options;
    let part: string[] = [];
    let bytes = 0;
    const first = this.#tables.findIndex(({ name }) => name === progress.name);
    for (const table of this.#tables.slice(first)) {
      const skipped = table.name === progress.name ? progress.line : 0;
      let line = 0;
      for await (const text of folder.lines(table)) {
        line += 1;
        if (line <= skipped) continue;
        const statements = insertStatements(table, parseLine(table, text));
        bytes += statements.reduce((sum, statement) => sum + Buffer.byteLength(statement), 0);
        part.push(...statements);
        if (bytes >= partBytes) {
          await this.#loadPart(part, table.name, line);
          [part, bytes] = [[], 0];
        }
      }
    }
    const sequences = manifest.sequences.flatMap(({ name, seq }) => [
      `DELETE FROM sqlite_sequence WHERE name = ${textLiteral(name)}`,
      `INSERT INTO sqlite_sequence (name, seq) VALUES (${textLiteral(name)}, ${seq})`,
    ]);
    await this.#loadPart([...part, ...sequences], "", 0);
  }

  async #loadPart(part: string[], table: string, line: number): Promise<void> {
    try {
      await this.#database.load([...part, `UPDATE restore_progress SET name = ${textLiteral(table)}, line = ${line}`]);
    } catch (cause) {
      throw new Error("the rows could not be loaded. Run the command again: it continues where it was", { cause });
    }
    if (table !== "") note(`  ${table}: ${line} rows`);
  }

  /** Reads all rows back, and compares each table's number of rows and hash with the manifest. */
  async compare(): Promise<void> {
    let unread = this.#tables.map((table) => ({ table, lines: new Lines(), after: null as Cell[] | null, limit: FIRST }));
    const found = new Map<string, TableFile>();
    while (unread.length > 0) {
      const statements = unread.map(({ table, after, limit }) => pageStatement(table, after, limit));
      const answers = await query(this.#database, statements).catch((cause) => {
        throw new Error("the rows could not be read back. Run the command again: it continues with this comparison", { cause });
      });
      for (const [index, state] of unread.entries()) {
        const page = answers[index] ?? [];
        let bytes = 0;
        for (const row of page) {
          const cells = cellsOf(state.table, row);
          const line = lineOf(cells);
          bytes += Buffer.byteLength(line);
          state.lines.add(line);
          state.after = keyOf(state.table, cells);
        }
        if (page.length < state.limit) found.set(state.table.name, state.lines.finish(state.table.name));
        state.limit = nextLimit(bytes, page.length, unread.length) ?? state.limit;
      }
      unread = unread.filter(({ table }) => !found.has(table.name));
    }
    for (const expected of this.#options.manifest.tables) {
      const { rows, sha256 } = found.get(expected.name) ?? expected;
      if (rows !== expected.rows || sha256 !== expected.sha256) {
        throw new Error(`\`${expected.name}\` has ${rows} rows with the hash ${sha256} instead of ${expected.rows} rows with ${expected.sha256}: delete the database and restore again`);
      }
    }
  }

  /** Creates the triggers again and drops the table `restore_progress`, in one transaction. As long as this table exists, the database is incomplete. */
  async finish({ triggers }: Progress): Promise<void> {
    await query(this.#database, [...triggers, "DROP TABLE restore_progress"]);
  }
}
