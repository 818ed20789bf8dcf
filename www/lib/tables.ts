// Tables of certificates: a worker reads them and turns their rows into documents, by the rules of `cert batch` (docs/batch.md).
import type { Choices, Question, RowDocument, Table, TableDocuments, TableError, TableField, TableRow, Tasks } from '../workers/documents/table.ts';
import { beside } from './beside.ts';
import type { Doubt } from './doubts.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import { withoutFilled } from '../../pkg/view/src/market.ts';

export type { Choices, Question, Table, TableField, TableRow } from '../workers/documents/table.ts';

/** The maximum size of a file, in bytes. */
export const MAX_BYTES = 20 * 1024 * 1024;
/** The maximum number of rows that a page issues, because it keeps all their files in memory until they are saved. `cert batch` can issue more. */
export const MAX_ROWS = 2000;
/** The maximum time of a task in milliseconds. A small file can describe a workbook that takes much longer. */
const MAX_TIME = 10_000;

/** The field of each column, or null. */
type Mapped = readonly (TableField | null)[];

const { ask } = beside<Tasks>(new URL('../workers/documents/table.ts', import.meta.url), { keepsAll: true });

/** Reads a file of at most `maxRows` rows. The refusals `table.encoding`, `table.delimiter` and `table.sheet` ask for a choice. */
export async function readTable(bytes: Uint8Array, { encoding = null, delimiter = null, sheet = null }: Partial<Choices>, maxRows = MAX_ROWS): Promise<Table> {
  await ask('ready');
  const table = await ask('read', { bytes, choices: { encoding, delimiter, sheet, maxRows } }, MAX_TIME);
  return { ...table, errors: withNames(table.errors, table.columns) };
}

/** Returns the fields of a schema that take a single value. `guesses` has the field of each column, or null. */
export async function fieldsFor(schema: JsonObject, columns: string[]): Promise<{ fields: TableField[]; guesses: (TableField | null)[] }> {
  const { fields, guesses } = await ask('fields', { schema: withoutFilled(schema), columns }, MAX_TIME);
  return { fields, guesses: guesses.map((index) => (index === null ? null : (fields[index] ?? null))) };
}

/** Asks how the columns write dates and numbers. */
export const questionsOf = (schema: JsonObject, rows: TableRow[], mapped: Mapped): Promise<Question[]> => ask('questions', { schema, rows, paths: pathsOf(mapped) }, MAX_TIME);

/**
 * Turns rows into documents. `readings` has the name of each column's reading, or null. `key` is the index of the column that identifies the rows, or
 * null.
 */
export async function documentsOf(
  schema: JsonObject,
  { columns, rows }: Pick<Table, 'columns' | 'rows'>,
  { mapped, readings, key }: { mapped: Mapped; readings: (string | null)[]; key: number | null },
): Promise<TableDocuments> {
  const { errors, ...made } = await ask('documents', { schema, rows, paths: pathsOf(mapped), readings, key }, MAX_TIME);
  return { ...made, errors: withNames(errors, columns) };
}

/** Returns the doubts about rows, in the order in which they are confirmed. */
export const doubtsOfRows = (schema: JsonObject, rows: RowDocument[], mapped: Mapped): Promise<Doubt[]> =>
  ask('doubts', { schema, rows: rows.map(({ row, cells, document }) => ({ row, cells, document })), paths: pathsOf(mapped), now: Date.now() });

/** Returns the doubts about a document. */
export const doubtsOf = (schema: JsonObject, document: JsonObject): Promise<Doubt[]> => ask('doubtsOfDocument', { schema, document, now: Date.now() });

/** Returns a name for the files of each document, such as `ada-lovelace`, or an empty text. */
export const shortNames = (documents: JsonObject[]): Promise<string[]> => ask('names', documents, MAX_TIME);

/** Returns a table as CSV that no spreadsheet runs as a formula. */
export const writeTable = (lines: string[][], delimiter: string): Promise<string> => ask('write', { lines, delimiter });

const pathsOf = (mapped: Mapped) => mapped.map((field) => field?.path ?? null);

/** Replaces the indexes of columns by their names. */
const withNames = (errors: TableError[], columns: string[]) => errors.map((error): TableError<string> => ({ ...error, column: error.column === null ? null : (columns[error.column] ?? null) }));
