// Converts a text that a person typed into a form to a value. Does not use the DOM. This module also runs in Node.
import { accepts } from './described.ts';
import type { Single } from './described.ts';
import { Refusal, visible } from './json.ts';

/**
 * Converts a text to the value that its field's `schema` accepts: the text, otherwise `true` or `false`, otherwise the number. If the schema accepts none of
 * them, compares only their types, so that the validation reports the value. Refuses any other text with one of the keys `cell.boolean`, `cell.number`,
 * `cell.digits` and `cell.single`.
 */
export function valueOf(text: string, { schema, root = schema }: { schema: unknown; root?: unknown }): Single {
  const cell = text.trim();
  const boolean = ['false', 'true'].indexOf(cell.toLowerCase());
  const { number, key = 'cell.number' } = numberOf(cell);
  const candidates: Single[] = [text, ...(boolean < 0 ? [] : [boolean === 1]), ...(number === undefined ? [] : [number])];
  for (const byType of [false, true]) {
    const found = candidates.find((value) => accepts(root, schema, value, byType));
    if (found !== undefined) {
      return found;
    }
  }
  if (accepts(root, schema, 0, true)) {
    throw refused(key, cell);
  }
  throw refused(accepts(root, schema, true, true) ? 'cell.boolean' : 'cell.single', cell);
}

/** Returns `{ number }` of a text that every reader of JSON represents exactly, or the `key` of the refusal of any other text. */
function numberOf(cell: string): { number?: number; key?: string } {
  // A number as JSON writes it.
  const number = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(cell) ? Number(cell) : NaN;
  if (!Number.isFinite(number)) {
    return { key: 'cell.number' };
  }
  const isWhole = /^-?[0-9]+$/.test(cell);
  return isWhole && (!Number.isSafeInteger(number) || Object.is(number, -0)) ? { key: 'cell.digits' } : { number };
}

const refused = (key: string, cell: string) => Refusal.of(key, { cell: visible(cell.slice(0, 80)) });
