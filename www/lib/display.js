// Converts a document's fields to readable rows: in the schema's order, with the schema's titles, and with formatted dates. Does not use the DOM.
import { own, pathText, shorten, valueText, visible } from './json.js';
import { schemaAt } from './certified.js';

/** The maximum length of a shown title and a shown value, in characters. */
const MAX_TITLE = 80;
const MAX_VALUE = 600;
/** The maximum length of a picture in the document, a `data:` address, in characters. */
const MAX_PICTURE = 400_000;

/** Returns the schema's title, the heading of the document. Undefined if it has none. */
export const headingOf = (schema) => titleOf(schema);

/** Returns the title of the schema at a path, or otherwise the path's last key. Undefined for a list's item that has no title. */
export function nameOf(schema, path) {
  const key = path.at(-1);
  return titleOf(schemaAt(schema, path)) ?? (typeof key === 'string' ? visible(shorten(key, MAX_TITLE)) : undefined);
}

/**
 * Returns the row of a report's field: its name, its value and the certified value, if that differs and the evidence has it. `reason` is a
 * code. Only proven values become links and pictures, so that a forger's link cannot be clicked.
 */
export function rowOf(schema, field, reasonText) {
  const { path, status, reason, value } = field;
  const isProven = status === 'proven';
  const row = {
    title: labelOf(schema, path),
    name: visible(pathText(path)),
    status,
    value: displayOf(value, { schema: schemaAt(schema, path), key: path.at(-1), isProven }),
    because: reason && reasonText(reason),
  };
  if (!Object.hasOwn(field, 'certified')) {
    return row;
  }
  const certified = displayOf(field.certified, { schema: schemaAt(schema, path) });
  const isSame = certified.text === row.value.text;
  // The text `1` and the number 1 look alike, so both are shown as JSON.
  return isSame ? { ...row, value: asJson(value), certified: asJson(field.certified) } : { ...row, certified };
}

/** Returns the titles along a path, such as `Grades 2 · Subject`. Undefined if the field itself has no title. */
function labelOf(schema, path) {
  const steps = path.map((step, index) => {
    const title = typeof step === 'number' ? undefined : titleOf(schemaAt(schema, path.slice(0, index + 1)));
    return { step, title };
  });
  const named = steps.findLast(({ step }) => typeof step !== 'number');
  if (named?.title === undefined) {
    return undefined;
  }
  const label = steps.reduce((text, { step, title }) => {
    if (typeof step === 'number') {
      return `${text} ${step + 1}`;
    }
    const name = title ?? visible(step);
    return text === '' ? name : `${text} · ${name}`;
  }, '');
  return shorten(label, 2 * MAX_TITLE);
}

function titleOf(schema) {
  const title = own(schema, 'title');
  return typeof title === 'string' && title.trim() !== '' ? visible(shorten(title, MAX_TITLE)) : undefined;
}

/**
 * Returns a function that compares paths by the order of the schema's properties. Keys that the schema lacks come last, by code units.
 */
export function bySchema(schema) {
  const known = new WeakMap();
  const places = (properties) => {
    if (typeof properties !== 'object' || properties === null) {
      return new Map();
    }
    if (!known.has(properties)) {
      known.set(properties, new Map(Object.keys(properties).map((key, index) => [key, index])));
    }
    return known.get(properties);
  };
  return (one, other) => {
    let at = schema;
    for (let depth = 0; depth < Math.min(one.length, other.length); depth += 1) {
      const [a, b] = [one[depth], other[depth]];
      if (a !== b) {
        return typeof a === 'number' && typeof b === 'number' ? a - b : byPlace(places(own(at, 'properties')), a, b);
      }
      at = typeof a === 'number' ? own(at, 'items') : own(own(at, 'properties'), a);
    }
    return one.length - other.length;
  };
}

function byPlace(places, one, other) {
  const [a, b] = [one, other].map((key) => places.get(key) ?? places.size);
  return a - b || (String(one) < String(other) ? -1 : 1);
}

/**
 * Returns a readable value: `{ kind, text }`, where `kind` is `text`, `number`, `boolean`, `date`, `link`, `picture` or `json`. `address` is
 * the address of a link or a picture, and `exact` the document's own text of a number or date.
 */
export function displayOf(value, { schema, key, isProven = false, locale = 'en-GB' } = {}) {
  switch (typeof value) {
    case 'number':
      return { kind: 'number', text: numberText(value, locale), exact: String(value) };
    case 'boolean':
      return { kind: 'boolean', text: value ? 'Yes' : 'No', value };
    case 'string':
      return (isProven && addressed(value, schema, key)) || dated(value, locale) || textual(value);
    default:
      return value === null ? { kind: 'text', text: '—' } : asJson(value);
  }
}

const asJson = (value) => ({ kind: 'json', text: shorten(valueText(value), MAX_VALUE) });

/** Returns a string with its line breaks. Quotes an empty string, and a string with white space at its ends. */
function textual(value) {
  if (value.trim() !== value || value === '') {
    return asJson(value);
  }
  return { kind: 'text', text: shorten(value, MAX_VALUE).split('\n').map(visible).join('\n') };
}

/** The formatters of each locale that was used. */
const formats = new Map();

function formatOf(locale) {
  if (!formats.has(locale)) {
    formats.set(locale, {
      // Only numbers of at least five digits get separators, so years have none.
      number: new Intl.NumberFormat(locale, { useGrouping: 'min2', maximumFractionDigits: 20 }),
      day: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }),
      moment: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC' }),
    });
  }
  return formats.get(locale);
}

/** Formats a number. Numbers that would be rounded are shown as in JSON. */
function numberText(value, locale) {
  const parts = formatOf(locale).number.formatToParts(value);
  const plain = parts.filter(({ type }) => type !== 'group').map(({ type, value }) => ({ decimal: '.', minusSign: '-' })[type] ?? value);
  return Number(plain.join('')) === value ? parts.map(({ value }) => value).join('') : String(value);
}

/** Formats a day (`2026-06-30`) or a time with its time zone, as in RFC 3339. Returns null for other text. */
function dated(value, locale) {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/.exec(value) ?? [];
  const date = new Date(day === undefined ? NaN : value);
  // 30 February is invalid, but `Date` parses it as a day in March.
  if (Number.isNaN(date.getTime()) || !new Date(day).toISOString().startsWith(day)) {
    return null;
  }
  const { day: ofDay, moment } = formatOf(locale);
  return { kind: 'date', text: time === undefined ? ofDay.format(date) : `${moment.format(date)} UTC`, exact: value };
}

const PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/;
const PICTURE_FILE = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;

/** Returns a picture or a web link, or null for any other string. */
function addressed(value, schema, key) {
  if (PICTURE.test(value) && value.length <= MAX_PICTURE) {
    return { kind: 'picture', text: 'A picture that is part of the document', address: value };
  }
  if (!/^https:\/\/\S+$/.test(value) || !URL.canParse(value)) {
    return null;
  }
  const { href, host, pathname } = new URL(value);
  const media = own(schema, 'contentMediaType');
  const isPicture = key === 'image' || PICTURE_FILE.test(pathname) || (typeof media === 'string' && media.startsWith('image/'));
  return { kind: isPicture ? 'picture' : 'link', text: visible(shorten(value, MAX_VALUE)), address: href, host };
}
