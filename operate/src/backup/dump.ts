// A nightly dump of the platform, loaded into a database of SQLite on this machine. From there it becomes a folder that `restore` reads.
import { readFileSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Database } from "./database.ts";
import { type Row, fieldOf } from "./table.ts";

/** The maximum bytes of a dump, as `edge-api/src/backups.rs` limits it. Node.js can hold a string of this length. */
const MOST = 500_000_000;

export class Dump implements Database {
  #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Loads a dump into a new file. Throws if the dump is too large, is not complete SQL, or gives a damaged database. */
  static async load(dump: string, into: string): Promise<Dump> {
    const { size } = statSync(dump);
    if (size > MOST) throw new Error(`${dump} has ${size} bytes, more than ${MOST}`);
    // Loaded for this command only: some versions of Node.js print a warning when they load this module.
    const { DatabaseSync } = await import("node:sqlite");
    // The dump inserts rows before the rows that they reference. `check` compares the references afterwards.
    const database = new DatabaseSync(into, { enableForeignKeyConstraints: false });
    try {
      database.exec(`BEGIN;\n${readFileSync(dump, "utf8")}\nCOMMIT;`);
    } catch (cause) {
      database.close();
      throw new Error(`${dump} is damaged or incomplete: use the dump of another night`, { cause });
    }
    return new Dump(database);
  }

  /** Throws if a page, an index or a reference of the database is damaged. */
  check(): void {
    const [found] = this.#all("PRAGMA integrity_check(1)");
    if (found?.integrity_check !== "ok") throw new Error(`the database is damaged: ${found?.integrity_check}`);
    const [broken] = this.#all("PRAGMA foreign_key_check");
    if (broken !== undefined) throw new Error(`a row of \`${fieldOf(broken, "table")}\` references a row of \`${fieldOf(broken, "parent")}\` that is missing`);
  }

  /** Returns the start of the run that made the dump, in milliseconds since 1970. The service notes it before the export. */
  madeAt(): number {
    const [row] = this.#all("SELECT max(started_at) AS at FROM backups");
    const at = row?.at;
    if (typeof at !== "number") throw new Error("the dump has no time, so the service did not make it");
    return at;
  }

  #all(sql: string): Row[] {
    return this.#database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }) as Row);
  }

  async query(statements: string[]): Promise<Row[][]> {
    this.#database.exec("BEGIN");
    try {
      const results = statements.map((statement) => this.#all(statement));
      this.#database.exec("COMMIT");
      return results;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  async load(statements: string[]): Promise<void> {
    await this.query(statements);
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
