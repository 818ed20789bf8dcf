// Reads all tables page by page while the service runs, and the changes that the service makes in the meantime.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { replace } from "../files.ts";
import { type Json, at, itemsAt, textAt } from "../json.ts";
import { messageOf, note, step } from "../report.ts";
import { SECONDS, TRIGGERS, changesStatement, prolongStatement, startStatements, stopStatements } from "./capture.ts";
import { type Database, query } from "./database.ts";
import { Appended, FORMAT, type Folder, Lines, type Manifest, type Sequence, type TableFile, linesOf, readSchemaPart } from "./folder.ts";
import {
  type Cell,
  type Row,
  type Schema,
  type Table,
  cellsOf,
  compareKeys,
  fieldOf,
  keyOf,
  lineOf,
  nextLimit,
  pageStatement,
  parseLine,
  readCells,
  readSchema,
  schemaStatements,
  widthOf,
} from "./table.ts";

/** The maximum number of changes that a call reads. */
const CHANGES = 5_000;
/** A failed call is repeated with a quarter of its rows, at most this many times. */
const TRIES = 4;

/** The state of a running backup. It is saved after each call, so that a stopped run can be continued. */
interface Progress {
  /** The id of the recording of changes. */
  capture: string;
  instance: string;
  schema: Schema;
  tables: Map<string, Read>;
  /** The number of the last change that was read, and the size of the file of changes in bytes. */
  seq: number;
  bytes: number;
  /** The last change that the backup contains. Null until all tables have been read. */
  cut: { seq: number; at: string } | null;
}

/** The progress of reading a table: the key of the last row, and the numbers of rows and bytes so far. */
interface Read {
  after: Cell[] | null;
  rows: number;
  bytes: number;
  isComplete: boolean;
}

/** Thrown if the recording of changes has ended, so the pages read so far are useless. */
class Lost extends Error {}

/**
 * Reads a database into a folder. If a run into this folder was stopped, continues it. Throws if the folder has a finished backup. `at` is the time of
 * the database's state, by default the time at which all tables were read.
 */
export async function exportDatabase(database: Database, folder: Folder, source: string, release: string, firstRows: number, at: string | null = null): Promise<Manifest> {
  if (folder.isFinished) throw new Error(`${folder.path} has a finished backup: choose another folder with --into`);
  folder.create();
  const run = new Export(database, folder, firstRows);
  const saved = run.saved();
  if (saved !== null) note("  an earlier run is continued");
  let progress = saved ?? (await run.start());
  try {
    await run.read(progress);
  } catch (error) {
    if (!(error instanceof Lost)) throw error;
    note(`  the recording of changes ended: no call prolonged it for ${SECONDS / 60} minutes, or another backup replaced it. The backup starts again`);
    progress = await run.start();
    await run.read(progress);
  }
  const sequences = await run.end(progress);
  const { schema, instance, cut } = progress;
  if (cut === null) throw new Error("the time of the backup's end was not recorded");
  const tables = await step("merge rows and changes", () => run.merge(progress));
  const manifest = { format: FORMAT, source, release, instance, at: at ?? cut.at, schema, tables, sequences };
  folder.finish(manifest);
  return manifest;
}

class Export {
  #database: Database;
  #folder: Folder;
  #firstRows: number;

  constructor(database: Database, folder: Folder, firstRows: number) {
    this.#database = database;
    this.#folder = folder;
    this.#firstRows = firstRows;
  }

  get #file(): string {
    return this.#folder.partial("progress.json");
  }

  saved(): Progress | null {
    if (!existsSync(this.#file)) return null;
    try {
      return readProgress(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch (cause) {
      throw new Error(`${this.#file} is damaged: delete the folder`, { cause });
    }
  }

  #save(progress: Progress): void {
    replace(this.#file, progressText(progress));
  }

  /**
   * Starts to record changes. Throws if another backup of the database is being made, or was stopped recently. Also throws if a table without a
   * primary key has rows.
   */
  async start(): Promise<Progress> {
    const [migrations, columns, references, instance, id, triggers, earlier] = await query(this.#database, [
      ...schemaStatements(),
      "SELECT id FROM instance",
      "SELECT lower(hex(randomblob(16))) AS id",
      TRIGGERS,
      "SELECT name FROM sqlite_master WHERE name = 'backup_capture'",
    ]);
    if (earlier?.length) {
      const [live] = await query(this.#database, ["SELECT 1 AS live FROM backup_capture WHERE until > unixepoch()"]);
      if (live?.length) {
        throw new Error(`another backup of this database runs, or was stopped less than ${SECONDS / 60} minutes ago: continue it with --into and its folder, or wait`);
      }
    }
    const schema = readSchema([migrations ?? [], columns ?? [], references ?? []]);
    const unread = schema.tables.map(({ name }): [string, Read] => [name, { after: null, rows: 0, bytes: 0, isComplete: false }]);
    const progress: Progress = {
      capture: fieldOf(id?.[0], "id"),
      instance: fieldOf(instance?.[0], "id"),
      schema,
      tables: new Map(unread),
      seq: 0,
      bytes: 0,
      cut: null,
    };
    // Saved before the call, so that a run that is stopped here can continue its own recording.
    this.#save(progress);
    const names = (triggers ?? []).map((row) => fieldOf(row, "name"));
    const statements = startStatements(progress.capture, schema, names);
    const guards = schema.guards.map((table) => `SELECT 1 AS found FROM "${table}" LIMIT 1`);
    const answers = await query(this.#database, [...statements, ...guards]);
    if (answers.slice(statements.length).some((rows) => rows.length > 0)) {
      // Otherwise the next run would continue this recording without the check.
      rmSync(this.#file);
      throw new Error("a table without a primary key has rows, which a backup cannot contain: add a primary key by a migration");
    }
    return progress;
  }

  /** Reads until all rows and all changes up to the cut are in the folder. */
  async read(progress: Progress): Promise<void> {
    const limits = new Map<string, number>();
    while (progress.cut === null || progress.seq < progress.cut.seq) {
      await this.#call(progress, limits);
      const all = [...progress.tables];
      const sum = (part: "rows" | "bytes") => all.reduce((total, [, read]) => total + read[part], 0);
      const unread = all.filter(([, { isComplete }]) => !isComplete).sort(([, one], [, other]) => other.rows - one.rows);
      const names = unread.slice(0, 4).map(([name]) => name);
      const left = names.length === 0 ? "" : `; still reading ${names.join(", ")}`;
      note(`  ${sum("rows")} rows (${(sum("bytes") / 1e6).toFixed(1)} MB) and ${progress.seq} changes${left}`);
    }
  }

  /** Makes one call: prolongs the recording, and reads changes and a page of each unfinished table. Then stores the changes and pages. */
  async #call(progress: Progress, limits: Map<string, number>): Promise<void> {
    const unread = progress.schema.tables.flatMap((table) => {
      const read = progress.tables.get(table.name);
      return read === undefined || read.isComplete ? [] : [{ table, read }];
    });
    const { answers, asked } = await this.#ask(progress, unread, limits);
    const [live, , changes, cut, ...pages] = answers;
    if (!live?.length) throw new Lost();
    this.#keepChanges(progress, changes ?? []);
    if (unread.length === 0 && progress.cut === null) progress.cut = { seq: Number(cut?.[0]?.seq), at: fieldOf(cut?.[0], "at") };
    for (const [index, { table, read }] of unread.entries()) {
      const page = pages[index] ?? [];
      const before = read.bytes;
      this.#keepPage(table, page, read);
      read.isComplete = page.length < (asked[index] ?? 1);
      const limit = nextLimit(read.bytes - before, page.length, unread.length);
      if (limit !== null) limits.set(table.name, limit);
    }
    this.#save(progress);
  }

  /** Queries until a call succeeds. Repeats a failed call with fewer rows. Returns the answers, and the number of rows that each page asked for. */
  async #ask(progress: Progress, unread: { table: Table; read: Read }[], limits: Map<string, number>): Promise<{ answers: Row[][]; asked: number[] }> {
    const { capture, seq, cut, schema } = progress;
    for (let tries = 0; ; tries += 1) {
      const share = (rows: number) => Math.max(1, Math.floor(rows / 4 ** tries));
      const asked = unread.map(({ table }) => share(limits.get(table.name) ?? this.#firstRows));
      const statements = [
        prolongStatement(capture),
        `DELETE FROM backup_changes WHERE seq <= ${seq}`,
        changesStatement(widthOf(schema), seq, cut?.seq ?? null, share(CHANGES)),
        // A possible cut. It is used only by a call that reads no pages, so it comes after all pages. A statement sees only complete transactions,
        // so the cut is between two transactions.
        `SELECT coalesce(max(seq), ${seq}) AS seq, strftime('%Y-%m-%dT%H:%M:%SZ') AS at FROM backup_changes`,
        ...unread.map(({ table, read }, index) => pageStatement(table, read.after, asked[index] ?? 1)),
      ];
      try {
        return { answers: await query(this.#database, statements), asked };
      } catch (error) {
        if (messageOf(error).includes("no such table: backup_capture")) throw new Lost();
        if (tries === TRIES) throw new Error("the database could not be read. Run the command again: it continues where it was", { cause: error });
        note(`  a call failed and is repeated with fewer rows: ${messageOf(error).split("\n", 1)[0]}`);
      }
    }
  }

  #keepChanges(progress: Progress, changes: Row[]): void {
    if (changes.length === 0) return;
    const file = new Appended(this.#folder.partial("changes.ndjson"), progress.bytes);
    for (const row of changes) {
      const name = fieldOf(row, "name");
      const table = progress.schema.tables.find((table) => table.name === name);
      if (table === undefined) throw new Error(`a change names the unknown table \`${name}\``);
      file.add(JSON.stringify([name, row.deleted === 1, lineOf(cellsOf(table, row))]));
      progress.seq = Number(row.seq);
    }
    progress.bytes = file.close();
  }

  /** Appends a page of rows to the table's file. Throws if the rows are not in the order of their keys. */
  #keepPage(table: Table, page: Row[], read: Read): void {
    const file = new Appended(this.#folder.partial(`${table.name}.ndjson`), read.bytes);
    for (const row of page) {
      const cells = cellsOf(table, row);
      const key = keyOf(table, cells);
      if (read.after !== null && compareKeys(read.after, key) >= 0) throw new Error(`the rows of \`${table.name}\` are not in the order of their keys`);
      file.add(lineOf(cells));
      read.after = key;
      read.rows += 1;
    }
    read.bytes = file.close();
  }

  /**
   * Stops the recording. Returns the highest row number that each table with automatic numbers has used. Throws if a migration has changed the tables
   * during the backup.
   */
  async end({ capture, schema }: Progress): Promise<Sequence[]> {
    const statements = [...schemaStatements(), TRIGGERS, "SELECT name, seq FROM sqlite_sequence ORDER BY name"];
    const [migrations = [], columns = [], references = [], triggers = [], sequences = []] = await query(this.#database, statements);
    // Another backup may have started while this run was stopped. Its recording must continue, so only this run's recording is stopped.
    const isOwn = await query(this.#database, [prolongStatement(capture)]).then(
      ([live]) => Boolean(live?.length),
      () => false,
    );
    if (isOwn) await query(this.#database, stopStatements(triggers.map((row) => fieldOf(row, "name"))));
    if (JSON.stringify(readSchema([migrations, columns, references])) !== JSON.stringify(schema)) {
      throw new Error(`a migration changed the tables while the backup ran: delete ${this.#folder.path} and run the command again`);
    }
    const known = new Set(schema.tables.map(({ name }) => name));
    return sequences.map((row) => ({ name: fieldOf(row, "name"), seq: Number(row.seq) })).filter(({ name }) => known.has(name));
  }

  /** Applies the changes to the rows, and writes each table's file. */
  async merge({ schema, tables, bytes }: Progress): Promise<TableFile[]> {
    // The last state of each changed row, by its key. Null for a deleted row.
    const changed = new Map<string, Map<string, { key: Cell[]; line: string | null }>>();
    const file = this.#folder.partial("changes.ndjson");
    if (bytes > 0) {
      // Cuts off bytes that a stopped run wrote without recording them in its progress.
      new Appended(file, bytes).close();
      for await (const text of linesOf(file)) {
        const [name, isDeleted, line]: [string, boolean, string] = JSON.parse(text);
        const table = schema.tables.find((table) => table.name === name);
        if (table === undefined) continue;
        const rows = changed.get(name) ?? new Map();
        changed.set(name, rows);
        const key = keyOf(table, readCells(line));
        rows.set(lineOf(key), { key, line: isDeleted ? null : line });
      }
    }
    const files: TableFile[] = [];
    for (const table of schema.tables) {
      const read = tables.get(table.name);
      if (read === undefined) throw new Error("a table was not read");
      const source = this.#folder.partial(`${table.name}.ndjson`);
      new Appended(source, read.bytes).close();
      const rows = changed.get(table.name)?.values() ?? [];
      const changes = [...rows].sort((one, other) => compareKeys(one.key, other.key));
      const lines = new Lines();
      const target = new Appended(this.#folder.rows(table.name), 0);
      for await (const line of mergedLines(table, linesOf(source), changes)) {
        lines.add(line);
        target.add(line);
      }
      target.close();
      files.push(lines.finish(table.name));
    }
    return files;
  }
}

/** Yields the rows in the order of their keys: unchanged rows from the pages, and changed rows in their last state. `changes` are sorted by key. */
export async function* mergedLines(table: Table, pages: AsyncIterable<string> | Iterable<string>, changes: { key: Cell[]; line: string | null }[]): AsyncGenerator<string> {
  let next = 0;
  for await (const line of pages) {
    const key = keyOf(table, parseLine(table, line));
    let hasChanged = false;
    for (let change = changes[next]; change !== undefined; change = changes[next]) {
      const order = compareKeys(change.key, key);
      if (order > 0) break;
      hasChanged ||= order === 0;
      if (change.line !== null) yield change.line;
      next += 1;
    }
    if (!hasChanged) yield line;
  }
  for (const { line } of changes.slice(next)) if (line !== null) yield line;
}

function progressText({ tables, ...progress }: Progress): string {
  const read = [...tables].map(([name, { after, ...rest }]) => [name, { ...rest, after: after === null ? null : lineOf(after) }]);
  return JSON.stringify({ ...progress, tables: read });
}

function readProgress(value: Json): Progress {
  const cut = at(value, "cut");
  const tables = itemsAt(value, "tables").map((item): [string, Read] => {
    const read = at(item, 1);
    const after = textAt(read, "after");
    return [
      textAt(item, 0),
      {
        after: after === "" ? null : readCells(after),
        rows: Number(at(read, "rows")),
        bytes: Number(at(read, "bytes")),
        isComplete: at(read, "isComplete") === true,
      },
    ];
  });
  return {
    capture: textAt(value, "capture"),
    instance: textAt(value, "instance"),
    schema: readSchemaPart(at(value, "schema")),
    tables: new Map(tables),
    seq: Number(at(value, "seq")),
    bytes: Number(at(value, "bytes")),
    cut: cut === null || cut === undefined ? null : { seq: Number(at(cut, "seq")), at: textAt(cut, "at") },
  };
}
