// Maps the columns of a table to the fields of a schema, and cells to values, by the rules of `cert batch` (docs/batch.md).
// tests/vectors/batch checks both programs. Does not use the DOM. This module also runs in Node.
import { Refusal, isObject, own, pathText, setOwn, visible } from './json.js';

/** Fields that are filled in for the issuer: the asset, and the addresses of its files. */
export const OWN_FIELDS = ['ledgerId', 'assetId', '$evidence', '$schema'];

/** Returns the fields of a schema that take a single value: `{ path, title, types }`. `title` is undefined if the schema has none. */
export function fieldsOf(schema, path = []) {
  const properties = own(schema, 'properties');
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([key, property]) => {
    const here = [...path, key];
    if (path.length === 0 && OWN_FIELDS.includes(key)) {
      return [];
    }
    if (own(property, 'properties') !== undefined) {
      return fieldsOf(property, here);
    }
    const title = own(property, 'title');
    return own(property, 'items') === undefined ? [{ path: here, title: typeof title === 'string' ? title : undefined, types: typesOf(property) }] : [];
  });
}

export const typesOf = (schema) => [own(schema, 'type') ?? []].flat().filter((type) => typeof type === 'string');

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
 * Converts a text to a value of one of a field's types. Refuses any other text with one of the keys `cell.boolean`, `cell.number`, `cell.digits`
 * and `cell.single`.
 */
export function valueOf(text, types) {
  if (types.length === 0 || types.includes('string')) {
    return text;
  }
  const cell = text.trim();
  const isNumber = types.includes('number') || types.includes('integer');
  if (types.includes('boolean')) {
    const found = ['false', 'true'].indexOf(cell.toLowerCase());
    if (found >= 0) {
      return found === 1;
    }
    if (!isNumber) {
      throw refused('cell.boolean', cell);
    }
  }
  if (!isNumber) {
    throw refused('cell.single', cell);
  }
  // A number as JSON writes it.
  const value = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(cell) ? Number(cell) : NaN;
  if (!Number.isFinite(value)) {
    throw refused('cell.number', cell);
  }
  const isWhole = /^-?[0-9]+$/.test(cell);
  if (isWhole && (!Number.isSafeInteger(value) || Object.is(value, -0))) {
    throw refused('cell.digits', cell);
  }
  return value;
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
      put(document, field.path, valueOf(cell, field.types));
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
