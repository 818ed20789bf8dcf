// Reads tables in a worker, and turns their rows into documents, by the rules of `cert batch` (docs/batch.md). Does not use the DOM.
import init, { documents, doubtsOfDocument, doubtsOfRows, fieldsOf, guessFields, questions, readTable, shortNames, writeTable } from '/tables/tables.js';
import type { Doubt } from '/lib/doubts.ts';
import { Refusal, visible } from '/view/json.ts';
import type { JsonObject, Path } from '/view/json.ts';
import type { Values } from '/view/say.ts';
import { serve } from '/lib/serve.ts';

const { stringify } = JSON;

/** The person's choices about a file. Null if there is none. */
export interface Choices {
  encoding: string | null;
  delimiter: string | null;
  sheet: string | null;
}

/** A row of a table, with its number as in a spreadsheet. */
export interface TableRow {
  row: number;
  cells: string[];
}

/** A problem of a table. `column` is an index, or null. `key` is the key of a text, and `values` are its values. */
export interface TableError<Column = number> {
  row: number;
  column: Column | null;
  key: string;
  values: Values;
}

/** A table. `header` is the row of the header. */
export interface Table<Column = string> {
  delimiter: string;
  sheet: string | null;
  header: number;
  columns: string[];
  rows: TableRow[];
  errors: TableError<Column>[];
}

/** A field of a schema that takes a single value. */
export interface TableField {
  path: Path;
  title: string | null;
}

/** A question how a column writes dates or numbers. `texts` are the examples in one reading. */
export interface Question {
  column: number;
  examples: string[];
  readings: { name: string; texts: string[] }[];
}

/** The documents of rows. A row with errors has no document. */
export interface TableDocuments<Column = string> {
  documents: (JsonObject | null)[];
  keys: string[];
  errors: TableError<Column>[];
}

/** A row with its document. */
export interface RowDocument extends TableRow {
  document: JsonObject;
}

/** A file to read. */
interface FileToRead {
  bytes: Uint8Array;
  choices: Choices & { maxRows: number };
}

/** Rows, and the path of each column's field or null. */
interface Rows {
  schema: JsonObject;
  rows: TableRow[];
  paths: (Path | null)[];
}

export type Tasks = typeof TASKS;

// Values cross to WebAssembly as JSON text.
const TASKS = {
  /** Loads the library. */
  ready: () => null,

  /** Reads a file. */
  read({ bytes, choices }: FileToRead): Table<number> {
    const table: Table<number> = JSON.parse(readTable(bytes, stringify(choices)));
    return { ...table, errors: table.errors.map(safe) };
  },

  /** Returns the fields of a schema, and for each column the index of its field or null. */
  fields: ({ schema, columns }: { schema: JsonObject; columns: string[] }): { fields: TableField[]; guesses: (number | null)[] } => ({
    fields: JSON.parse(fieldsOf(stringify(schema))),
    guesses: JSON.parse(guessFields(stringify(columns), stringify(schema))),
  }),

  /** Asks how columns write dates and numbers. */
  questions: (input: Rows): Question[] => JSON.parse(questions(stringify(input))),

  /** Turns rows into documents. */
  documents(input: Rows & { readings: (string | null)[]; key: number | null }): TableDocuments<number> {
    const made: TableDocuments<number> = JSON.parse(documents(stringify(input)));
    return { ...made, errors: made.errors.map(safe) };
  },

  /** Returns the doubts about rows, or about one document. */
  doubts: (input: { schema: JsonObject; rows: RowDocument[]; paths: (Path | null)[]; now: number }): Doubt[] => JSON.parse(doubtsOfRows(stringify(input))),
  doubtsOfDocument: (input: { schema: JsonObject; document: JsonObject; now: number }): Doubt[] => JSON.parse(doubtsOfDocument(stringify(input))),

  /** Returns a name for the files of each document, or an empty text. */
  names: (documents: JsonObject[]): string[] => JSON.parse(shortNames(stringify(documents))),

  /** Writes lines of cells as CSV that no spreadsheet runs as a formula. */
  write: ({ lines, delimiter }: { lines: string[][]; delimiter: string }): string => writeTable(stringify(lines), delimiter),
};

const ready = init({ module_or_path: new URL('../../../cert-tables/dist/tables_bg.wasm', import.meta.url) });

/** The maximum length of a cell that a sentence repeats, in characters. */
const MAX_CELL = 80;

/** Returns a problem whose texts are safe to show: they come from the table. A list has names to choose from, which stay as they are. */
function safe<Problem extends { values: Values }>(problem: Problem): Problem {
  const shown = ([name, value]: [string, unknown]) => [name, typeof value === 'string' ? visible(name === 'cell' ? value.slice(0, MAX_CELL) : value) : value];
  return { ...problem, values: Object.fromEntries(Object.entries(problem.values).map(shown)) };
}

/** Returns the refusal that WebAssembly threw as JSON text, or another error as it is. */
function refusalOf(error: unknown) {
  if (typeof error !== 'string') {
    return error;
  }
  const problem: { key: string; values: Values } = safe(JSON.parse(error));
  return Refusal.of(problem.key, problem.values);
}

serve(TASKS, { ready: () => ready, refusalOf });
