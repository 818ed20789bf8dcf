// The folder of a backup: a file of rows for each table, and the manifest, which is written last.
//
// `tables/<name>.ndjson` has one row per line: a JSON list of values in the order of the manifest's columns. Lines are sorted by primary key, so
// equal tables have equal files.
import { type Hash, createHash } from "node:crypto";
import { chmodSync, closeSync, createReadStream, existsSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { replace } from "../files.ts";
import { type Json, at, isObject, itemsAt, textAt } from "../json.ts";
import { linesIn } from "../lines.ts";
import { commandLine } from "../programs.ts";
import type { Column, Schema, Table } from "./table.ts";

/** The version of the folder's format. */
export const FORMAT = 1;

/** The description of a finished backup. */
export interface Manifest {
  format: number;
  /** The name of the environment that was read, or `state` for a state folder. */
  source: string;
  /** The release of the service that made the backup. */
  release: string;
  /** The instance's id. Claims are bound to it. */
  instance: string;
  /** The time of the database's state in the backup, in UTC. */
  at: string;
  schema: Schema;
  tables: TableFile[];
  /** The last used id of each table with AUTOINCREMENT (`sqlite_sequence`). A restored database must not use an id again. */
  sequences: Sequence[];
}

/** The file of a table. `sha256` has hexadecimal digits. */
export interface TableFile {
  name: string;
  rows: number;
  bytes: number;
  sha256: string;
}

export interface Sequence {
  name: string;
  seq: number;
}

/** Counts and hashes the lines of a table's file. */
export class Lines {
  #rows = 0;
  #bytes = 0;
  #hash: Hash = createHash("sha256");

  /** Adds a line, which is given without its line break. */
  add(line: string): void {
    this.#rows += 1;
    this.#bytes += Buffer.byteLength(line) + 1;
    this.#hash.update(line).update("\n");
  }

  finish(name: string): TableFile {
    return { name, rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}

export class Folder {
  readonly path: string;

  constructor(folder: string) {
    this.path = folder;
  }

  get #manifest(): string {
    return path.join(this.path, "manifest.json");
  }

  get isFinished(): boolean {
    return existsSync(this.#manifest);
  }

  /** Returns the path of a table's file. */
  rows(table: string): string {
    return path.join(this.path, "tables", `${table}.ndjson`);
  }

  /** Returns the path of a file of an unfinished backup. */
  partial(name: string): string {
    return path.join(this.path, "partial", name);
  }

  /** Creates the folder. Only this user can read it, because it will contain personal data. */
  create(): void {
    for (const inside of ["tables", "partial"]) mkdirSync(path.join(this.path, inside), { recursive: true });
    chmodSync(this.path, 0o700);
  }

  /** Writes the manifest and deletes the files of the unfinished backup. */
  finish(manifest: Manifest): void {
    replace(this.#manifest, JSON.stringify(manifest, null, 2));
    rmSync(path.join(this.path, "partial"), { recursive: true });
  }

  /** Reads the manifest. Also returns the SHA-256 of the manifest, which identifies the backup. Throws if the backup is not finished, or has another format. */
  manifest(): { manifest: Manifest; id: string } {
    if (!this.isFinished) {
      throw new Error(
        `${this.path} has no manifest.json, so it is not a finished backup: finish it with \`${commandLine(`backup --into ${this.path}`)}\` and the same \`--env\` or \`--state\` as before, or choose another folder`,
      );
    }
    const bytes = readFileSync(this.#manifest);
    let manifest: Manifest;
    try {
      manifest = readManifest(JSON.parse(bytes.toString()));
    } catch (cause) {
      throw new Error(`${this.#manifest} is damaged or is not a manifest of this format: copy the backup again, or restore another one`, { cause });
    }
    if (manifest.format !== FORMAT) {
      throw new Error(`the backup has format ${manifest.format}, and this release reads format ${FORMAT} only: restore it with release ${manifest.release}`);
    }
    return { manifest, id: createHash("sha256").update(bytes).digest("hex") };
  }

  /** Compares every file with the manifest. The error names the first file that is missing or differs. */
  async verify({ schema, tables }: Manifest): Promise<void> {
    const mend = "copy the backup again from where it is kept, or restore another one. This run restored nothing from it";
    const namesOf = (list: { name: string }[]) => list.map(({ name }) => name).join("\n");
    if (namesOf(schema.tables) !== namesOf(tables)) throw new Error(`the manifest does not name a file for each table: ${mend}`);
    for (const expected of tables) {
      const file = this.rows(expected.name);
      if (!existsSync(file)) throw new Error(`${file} is missing: ${mend}`);
      const { size } = statSync(file);
      if (size !== expected.bytes) throw new Error(`${file} has ${size} bytes instead of ${expected.bytes}: ${mend}`);
      const hash = createHash("sha256");
      for await (const part of createReadStream(file)) hash.update(part);
      if (hash.digest("hex") !== expected.sha256) throw new Error(`${file} was changed after the backup (its SHA-256 is not the manifest's): ${mend}`);
    }
  }

  /** Yields the lines of a table's file. */
  lines({ name }: Table): AsyncGenerator<string> {
    return linesOf(this.rows(name));
  }
}

/** Yields the lines of a file. */
export const linesOf = (file: string): AsyncGenerator<string> => linesIn(createReadStream(file));

/** Reads a manifest. Throws if a member is missing or has another type. */
function readManifest(value: Json): Manifest {
  return {
    format: numberAt(value, "format"),
    source: textAt(value, "source"),
    release: textAt(value, "release"),
    instance: requiredText(value, "instance"),
    at: requiredText(value, "at"),
    schema: readSchemaPart(at(value, "schema")),
    tables: itemsAt(value, "tables").map((file) => ({
      name: requiredText(file, "name"),
      rows: numberAt(file, "rows"),
      bytes: numberAt(file, "bytes"),
      sha256: requiredText(file, "sha256"),
    })),
    sequences: itemsAt(value, "sequences").map((sequence) => ({ name: requiredText(sequence, "name"), seq: numberAt(sequence, "seq") })),
  };
}

/** Reads a schema that these commands wrote. */
export function readSchemaPart(value: Json | undefined): Schema {
  if (!isObject(value)) throw new Error("`schema` is missing");
  return {
    migrations: itemsAt(value, "migrations").map(String),
    tables: itemsAt(value, "tables").map((table) => ({
      name: requiredText(table, "name"),
      columns: itemsAt(table, "columns").map((column) => ({ name: requiredText(column, "name"), type: typeOf(requiredText(column, "type")) })),
      key: itemsAt(table, "key").map(Number),
      parents: itemsAt(table, "parents").map(String),
    })),
    guards: itemsAt(value, "guards").map(String),
  };
}

function typeOf(type: string): Column["type"] {
  if (type !== "INTEGER" && type !== "TEXT") throw new Error(`\`${type}\` is not a type of columns`);
  return type;
}

function requiredText(value: Json, name: string): string {
  const found = at(value, name);
  if (typeof found !== "string") throw new Error(`\`${name}\` is not a string`);
  return found;
}

function numberAt(value: Json, name: string): number {
  const found = at(value, name);
  if (typeof found !== "number" || !Number.isSafeInteger(found)) throw new Error(`\`${name}\` is not a number`);
  return found;
}

/** Lines are written together once they have this many characters. */
const BUFFERED = 1 << 20;

/** A file to which lines are appended. */
export class Appended {
  #file: number;
  #bytes: number;
  #waiting: string[] = [];
  #length = 0;

  /** Opens a file and truncates it to `bytes` bytes. Further bytes come from a run that was stopped before it recorded them. Throws if the file is shorter. */
  constructor(file: string, bytes: number) {
    this.#file = openSync(file, "a+");
    this.#bytes = bytes;
    if (fstatSync(this.#file).size < bytes) {
      closeSync(this.#file);
      throw new Error(`${file} is shorter than recorded: delete the folder and start again`);
    }
    ftruncateSync(this.#file, bytes);
  }

  add(line: string): void {
    this.#waiting.push(line, "\n");
    this.#length += line.length + 1;
    if (this.#length > BUFFERED) this.#write();
  }

  #write(): void {
    const bytes = Buffer.from(this.#waiting.join(""));
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    this.#bytes += bytes.length;
    this.#waiting = [];
    this.#length = 0;
  }

  /** Writes everything to the disk, closes the file, and returns its size. */
  close(): number {
    this.#write();
    fsyncSync(this.#file);
    closeSync(this.#file);
    return this.#bytes;
  }
}
