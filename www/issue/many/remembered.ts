// The meaning of columns, as a person has chosen it for an earlier table with the same columns. This browser keeps it without any values of the table.
import { type Path, isObject, isPath } from '../../../pkg/view/src/json.ts';

/** The choices for each column, and the index of the column that identifies the rows. */
export interface Remembered {
  readonly columns: readonly { readonly path: Path | null; readonly isPublic: boolean; readonly reading: string | null }[];
  readonly keyColumn: number | null;
}

const KEY = 'assay.columns';
/** The maximum number of tables whose columns are kept. */
const MAX_KEPT = 20;

/** The identity of a table's columns under a template. Programs that save a table again may change spaces and capital letters. */
const idOf = (template: string, columns: readonly string[]) => JSON.stringify([template, ...columns.map((name) => name.trim().toLowerCase())]);

/** Returns the choices for a table with these columns, or null if there are none. */
export function recall(template: string, columns: readonly string[]): Remembered | null {
  const id = idOf(template, columns);
  const found = kept().find(([known]) => known === id)?.[1];
  const isWhole = found?.columns.length === columns.length && (found.keyColumn === null || found.keyColumn in columns);
  return isWhole ? found : null;
}

/** Keeps the choices for the next table with these columns. */
export function remember(template: string, columns: readonly string[], choices: Remembered): void {
  const id = idOf(template, columns);
  const others = kept().filter(([known]) => known !== id);
  try {
    localStorage.setItem(KEY, JSON.stringify([[id, choices], ...others].slice(0, MAX_KEPT)));
  } catch {
    // A browser without storage asks again.
  }
}

/** Returns what this browser keeps, the newest first. Leaves out everything of another form. */
function kept(): [string, Remembered][] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(list) ? list.filter((entry): entry is [string, Remembered] => Array.isArray(entry) && typeof entry[0] === 'string' && isRemembered(entry[1])) : [];
  } catch {
    return [];
  }
}

/** Returns true for choices as this module keeps them. */
export function isRemembered(value: unknown): value is Remembered {
  return isObject(value) && Array.isArray(value.columns) && value.columns.every(isChoice) && (value.keyColumn === null || Number.isSafeInteger(value.keyColumn));
}

function isChoice(value: unknown): boolean {
  return isObject(value) && (value.path === null || isPath(value.path)) && typeof value.isPublic === 'boolean' && (value.reading === null || typeof value.reading === 'string');
}
