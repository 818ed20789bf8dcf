// Maps the columns of a table to the fields of a schema, and cells to values, by the rules of `cert batch` (docs/batch.md).
// tests/vectors/batch checks both programs. Does not use the DOM. This module also runs in Node.
import { accepts, structureOf } from './described.js';
import { Refusal, isObject, own, pathText, setOwn, visible } from './json.js';

/** Fields that are filled in for the issuer: the asset, and the addresses of its files. */
export const OWN_FIELDS = ['ledgerId', 'assetId', '$evidence', '$schema'];

/** The maximum number of properties that are examined, because references can repeat an object in many places. */
const MAX_PROPERTIES = 10_000;
/** The maximum nesting of objects that are examined. */
const MAX_DEPTH = 128;

/**
 * Returns the fields of a schema that take a single value: `{ path, title, schema, root }`. `title` is undefined if the field has none. `schema` is the field's
 * own schema, and `root` the whole schema, to which references lead. Leaves out objects inside themselves.
 */
export function fieldsOf(root) {
  const found = [];
  let left = MAX_PROPERTIES;
  const collect = (objects, path) => {
    const properties = own(objects.at(-1), 'properties');
    for (const [key, schema] of Object.entries(isObject(properties) ? properties : {})) {
      if (left === 0) {
        return;
      }
      left -= 1;
      if (path.length === 0 && OWN_FIELDS.includes(key)) {
        continue;
      }
      const here = [...path, key];
      const inside = structureOf(root, schema);
      if (own(inside, 'properties') !== undefined) {
        if (!objects.includes(inside) && objects.length < MAX_DEPTH) {
          collect([...objects, inside], here);
        }
      } else if (own(inside, 'items') === undefined) {
        const title = own(schema, 'title');
        found.push({ path: here, title: typeof title === 'string' ? title : undefined, schema, root });
      }
    }
  };
  collect([structureOf(root, root)], []);
  return found;
}

/** The texts by which a field is found, in the order in which they are compared. */
const NAMES_OF_FIELD = [({ path }) => pathText(path), ({ title }) => title, ({ path }) => path.at(-1)];

/** Returns the field of each column, or null. A column becomes the only field whose path, title or last key has the same letters and digits. */
export function guessFields(columns, fields) {
  const named = NAMES_OF_FIELD.map((textOf) => Map.groupBy(fields.filter((field) => textOf(field) !== undefined), (field) => plain(textOf(field))));
  return columns.map((column) => guessField(plain(column), named));
}

function guessField(name, named) {
  const found = named.map((fields) => fields.get(name)).find((fields) => fields !== undefined);
  return found?.length === 1 ? found[0] : null;
}

/** Returns the letters and digits of a name in lower case, so that `Issued at`, `issued_at` and `issuedAt` are equal. */
function plain(name) {
  return [...name].filter((character) => /[\p{Alphabetic}\p{N}]/u.test(character)).map((character) => character.toLowerCase()).join('');
}

/**
 * Converts a text to the value that its field's `schema` accepts: the text, otherwise `true` or `false`, otherwise the number. If the schema accepts none of
 * them, compares only their types, so that the validation reports the value. Refuses any other text with one of the keys `cell.boolean`, `cell.number`,
 * `cell.digits` and `cell.single`.
 */
export function valueOf(text, { schema, root = schema }) {
  const cell = text.trim();
  const boolean = ['false', 'true'].indexOf(cell.toLowerCase());
  const { number, key } = numberOf(cell);
  const candidates = [text, ...(boolean < 0 ? [] : [boolean === 1]), ...(number === undefined ? [] : [number])];
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
function numberOf(cell) {
  // A number as JSON writes it.
  const number = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(cell) ? Number(cell) : NaN;
  if (!Number.isFinite(number)) {
    return { key: 'cell.number' };
  }
  const isWhole = /^-?[0-9]+$/.test(cell);
  return isWhole && (!Number.isSafeInteger(number) || Object.is(number, -0)) ? { key: 'cell.digits' } : { number };
}

const refused = (key, cell) => Refusal.of(key, { cell: visible(cell.slice(0, 80)) });

/**
 * Returns `{ document, errors }` of a row. `mapped` has the field of each column, or null. An empty cell is an absent field. An error is
 * `{ row, column, key, values }`.
 */
export function documentOf({ row, cells }, columns, mapped) {
  const [document, errors] = [{}, []];
  for (const [index, cell] of cells.entries()) {
    const field = mapped[index];
    if (field === null || cell === '') {
      continue;
    }
    try {
      put(document, field.path, valueOf(cell, field));
    } catch (error) {
      errors.push({ row, column: columns[index], key: error.key, values: error.values });
    }
  }
  return { document, errors };
}

function put(at, [key, ...rest], value) {
  if (rest.length === 0) {
    setOwn(at, key, value);
    return;
  }
  if (own(at, key) === undefined) {
    setOwn(at, key, {});
  }
  put(at[key], rest, value);
}

/**
 * Returns the keys of rows, and an error for each row whose key is empty or equal to an earlier row's. `column` is the index of the key's
 * column. If `column` is null, a row is identified by its position.
 */
export function keysOf(rows, columns, column) {
  if (column === null) {
    return { keys: rows.map((_, index) => String(index + 1)), errors: [] };
  }
  const known = new Map();
  const [keys, errors] = [[], []];
  for (const { row, cells } of rows) {
    const key = cells[column].trim();
    if (key === '') {
      errors.push({ row, column: columns[column], key: 'cell.keyEmpty', values: {} });
    } else if (known.has(key)) {
      errors.push({ row, column: columns[column], key: 'cell.keyTwice', values: { first: known.get(key) } });
    } else {
      known.set(key, row);
    }
    keys.push(key);
  }
  return { keys, errors };
}
