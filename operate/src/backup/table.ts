// The tables of a database, and the SQL that reads and writes their rows. The list of tables comes from the database itself, so tables of later
// migrations are included.
import { Buffer } from "node:buffer";
import { type Json, type JsonObject, textAt } from "../json.ts";

/**
 * Tables that are not copied: tables of SQLite, of the platform and of these commands. A restoration compares the list of applied migrations, but does
 * not copy the table that contains this list. Sessions and the nonces of sign-in messages are not copied. Otherwise, a session that ended after the
 * backup would work again.
 */
const FOREIGN =
  "name GLOB 'sqlite_*' OR name GLOB '_cf_*' OR name GLOB 'd1_*' OR name IN ('backup_capture', 'backup_changes', 'restore_progress', 'sessions', 'used_nonces', 'links', 'wallet_offers')";

/** A value of a row. Integers have 64 bits. */
export type Cell = null | bigint | string;

/** A row as the database returns it. The columns of a copied table are named by their numbers: `0`, `1`, …. */
export type Row = JsonObject;

export interface Column {
  name: string;
  type: "INTEGER" | "TEXT";
}

/** A table whose rows are read in the order of its primary key. */
export interface Table {
  name: string;
  columns: Column[];
  /** The columns of the primary key, as indexes into `columns`. */
  key: number[];
  /** The tables that the table's foreign keys reference. */
  parents: string[];
}

/** The schema of a database. */
export interface Schema {
  /** Names of the applied migrations. */
  migrations: string[];
  /** The tables that can have rows. Each table follows the tables that its foreign keys reference. */
  tables: Table[];
  /** Tables without a primary key, such as `guards`. They are always empty, because their constraints refuse every row and abort the transaction that inserts it. */
  guards: string[];
}

/** The statements whose rows are the input of `readSchema`. */
export function schemaStatements(): string[] {
  const own = `SELECT name FROM sqlite_master WHERE type = 'table' AND NOT (${FOREIGN})`;
  return [
    "SELECT name FROM d1_migrations ORDER BY id",
    `SELECT m.name AS "table", c.name, c.type, c.pk FROM (${own}) m JOIN pragma_table_xinfo(m.name) c ORDER BY m.name, c.cid`,
    `SELECT DISTINCT m.name AS "table", f."table" AS parent FROM (${own}) m JOIN pragma_foreign_key_list(m.name) f ORDER BY 1, 2`,
  ];
}

/** Reads the schema. Throws if a table has a column of a type that these commands do not support, or if the foreign keys form a circle. */
export function readSchema([migrations = [], columns = [], references = []]: Row[][]): Schema {
  const tables = new Map<string, { table: Table; key: [order: number, column: number][] }>();
  for (const described of columns) {
    const [name, column, type] = [textAt(described, "table"), textAt(described, "name"), textAt(described, "type")];
    if (type !== "INTEGER" && type !== "TEXT") {
      throw new Error(`the column \`${column}\` of \`${name}\` has the type ${type}, which backups do not support yet: extend operate/src/backup/table.ts`);
    }
    const parents = references.filter((reference) => textAt(reference, "table") === name).map((reference) => textAt(reference, "parent"));
    const found = tables.get(name) ?? { table: { name, columns: [], key: [], parents }, key: [] };
    tables.set(name, found);
    const order = Number(described.pk);
    if (order > 0) found.key.push([order, found.table.columns.length]);
    found.table.columns.push({ name: column, type });
  }
  const all = [...tables.values()].map(({ table, key }) => ({ ...table, key: key.sort(([one], [other]) => one - other).map(([, column]) => column) }));
  return {
    migrations: migrations.map((row) => textAt(row, "name")),
    tables: parentsFirst(all.filter(({ key }) => key.length > 0)),
    guards: all.filter(({ key }) => key.length === 0).map(({ name }) => name),
  };
}

/** Returns the number of columns of the widest table. */
export const widthOf = ({ tables }: Schema): number => Math.max(0, ...tables.map(({ columns }) => columns.length));

/** Sorts tables so that each follows the tables that it references. */
function parentsFirst(tables: Table[]): Table[] {
  const [sorted, rest] = [[] as Table[], [...tables]];
  while (rest.length > 0) {
    const waits = ({ name, parents }: Table) => parents.some((parent) => parent !== name && rest.some((table) => table.name === parent));
    const next = rest.findIndex((table) => !waits(table));
    if (next < 0) throw new Error(`the foreign keys of ${rest.map(({ name }) => name).join(", ")} form a circle`);
    sorted.push(...rest.splice(next, 1));
  }
  return sorted;
}

/**
 * Returns the number of rows of a table that the next call reads, so that the call reads about 4 MB from `tables` tables. `bytes` and `rows` are the
 * size of the table's last page. Returns null if this page has no rows.
 */
export function nextLimit(bytes: number, rows: number, tables: number): number | null {
  const [CALL, MOST] = [4_000_000, 20_000];
  if (rows === 0) return null;
  const mean = Math.max(1, Math.floor(bytes / rows));
  const share = Math.floor(CALL / Math.min(16, Math.max(1, tables)));
  return Math.min(MOST, Math.max(1, Math.floor(share / mean)));
}

/** Returns a value as an SQL expression. */
export const literal = (cell: Cell): string => (cell === null ? "NULL" : typeof cell === "bigint" ? cell.toString() : textLiteral(cell));

/** Returns a string as an SQL expression. A NUL character becomes `char(0)`, because SQLite reads SQL only up to a NUL character. */
export const textLiteral = (text: string): string =>
  text
    .split("\0")
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join("||char(0)||");

/**
 * Returns the statement that reads a page of rows: the rows after the key `after`, or the first rows. All values are read as text, because large
 * integers lose digits as JSON numbers.
 */
export function pageStatement(table: Table, after: Cell[] | null, limit: number): string {
  const columns = table.columns.map(({ name }, index) => `CAST("${name}" AS TEXT) AS "${index}"`);
  const key = keyColumns(table).join(", ");
  const condition = after === null ? "" : ` WHERE (${key}) > (${after.map(literal).join(", ")})`;
  return `SELECT ${columns.join(", ")} FROM "${table.name}"${condition} ORDER BY ${key} LIMIT ${limit}`;
}

/** Returns the quoted names of the key's columns, each after a prefix. */
export const keyColumns = ({ key, columns }: Table, prefix = ""): string[] => key.flatMap((index) => columns[index] ?? []).map(({ name }) => `${prefix}"${name}"`);

/** Parses the values of a row that the database returned. Throws if a value does not have the type of its column. */
export function cellsOf({ name: table, columns }: Table, row: Row): Cell[] {
  return columns.map(({ name, type }, index) => {
    const value = row[index] ?? null;
    if (value === null) return null;
    if (typeof value === "string" && type === "TEXT") return value;
    if (typeof value === "string" && /^-?\d+$/.test(value)) return BigInt(value);
    throw new Error(`a value of \`${table}.${name}\` is not ${type}`);
  });
}

/** Returns a row as a line of the table's file: a JSON list of its values. */
export const lineOf = (cells: Cell[]): string => `[${cells.map((cell) => (typeof cell === "bigint" ? cell.toString() : JSON.stringify(cell))).join(",")}]`;

/** Parses a line of the table's file. Throws if the line does not have a value for each column. */
export function parseLine({ columns }: Table, line: string): Cell[] {
  const cells = readCells(line);
  if (cells.length !== columns.length) throw new Error(`a line has ${cells.length} values instead of ${columns.length}`);
  return cells;
}

/** Parses a JSON list of values. */
export function readCells(text: string): Cell[] {
  // Numbers are read from their text, because doubles do not have 64 bits.
  const exact = (_key: string, value: unknown, { source = "" }: { source?: string } = {}) => (typeof value === "number" ? BigInt(source) : value);
  const parse: (text: string, reviver: typeof exact) => unknown = JSON.parse;
  const cells = parse(text, exact);
  if (!Array.isArray(cells) || !cells.every(isCell)) throw new Error("a line is not a list of values");
  return cells;
}

const isCell = (value: unknown): value is Cell => value === null || typeof value === "bigint" || typeof value === "string";

/** Returns the key of a row. */
export const keyOf = ({ key }: Table, cells: Cell[]): Cell[] => key.map((index) => cells[index] ?? null);

/** Compares two keys as the database does: null, integers, texts by their bytes. */
export function compareKeys(one: Cell[], other: Cell[]): number {
  for (const [index, cell] of one.entries()) {
    const order = compareCells(cell, other[index] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareCells(one: Cell, other: Cell): number {
  if (typeof one === "string" && typeof other === "string") return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
  if (typeof one === "bigint" && typeof other === "bigint") return one < other ? -1 : Number(one > other);
  return rank(one) - rank(other);
}

const rank = (cell: Cell) => (cell === null ? 0 : typeof cell === "bigint" ? 1 : 2);

/** Maximum bytes of a long text in one statement, not counting the escapes of its quotes. */
const PART = 40_000;

/**
 * Returns the statements that insert a row. On the platform, a statement may have at most about 100 KB. Only the first part of a long text is therefore
 * inserted, and further statements append the other parts.
 */
export function insertStatements(table: Table, cells: Cell[]): string[] {
  const split = cells.map((cell) => (typeof cell === "string" ? partsOf(cell, PART) : [cell]));
  const columns = table.columns.map(({ name }) => `"${name}"`).join(", ");
  const values = split.map(([first = ""]) => literal(first)).join(", ");
  const key = keyOf(table, cells);
  const isRow = keyColumns(table)
    .map((column, index) => `${column} = ${literal(key[index] ?? null)}`)
    .join(" AND ");
  const appended = split.flatMap(([, ...parts], index) => {
    const column = table.columns[index]?.name;
    return parts.map((part) => `UPDATE "${table.name}" SET "${column}" = "${column}" || ${literal(part)} WHERE ${isRow}`);
  });
  return [`INSERT INTO "${table.name}" (${columns}) VALUES (${values})`, ...appended];
}

/** Splits a text into parts of at most `most` bytes, between characters. */
export function partsOf(text: string, most: number): string[] {
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  let start = 0;
  while (bytes.length - start > most) {
    let end = start + most;
    // A byte 10xxxxxx continues a character.
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    parts.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return [...parts, bytes.toString("utf8", start)];
}

/** Returns a column of a row as text. Throws if the row does not have it. */
export function fieldOf(row: Row | undefined, column: string): string {
  const value: Json | undefined = row?.[column];
  if (typeof value !== "string") throw new Error(`a row has no \`${column}\``);
  return value;
}
