// Converts a document's fields to readable rows: in the schema's order, with the schema's titles, and with formatted dates. Does not use the DOM.
import { differences } from './alike.ts';
import type { Difference } from './alike.ts';
import { schemaAt } from './certified.ts';
import type { Field } from './field.ts';
import { isObject, own, pathText, valueText } from './json.ts';
import type { Path } from './json.ts';
import { split, visible } from './visible.ts';

/** The number of UTF-16 code units of a value that is not proven. The visitor can open the rest. Proven values are shown in full. */
const MAX_VALUE = 600;
/** The maximum length of a picture in the document, a `data:` address, in characters. */
const MAX_PICTURE = 400_000;

/** A readable value. `rest` is the part of a long value that is not proven, which follows `text`, or an empty string. */
export type Display = { text: string; rest: string } & (
  | { kind: 'text' | 'json' }
  /** `exact` is the document's own text. */
  | { kind: 'number' | 'date'; exact: string }
  | { kind: 'boolean'; value: boolean }
  /** `host` is undefined for a picture in the document. */
  | { kind: 'link' | 'picture'; address: string; host?: string }
);

/** The place of a value, and how it is shown. */
interface Place {
  schema?: unknown;
  key?: string | number | undefined;
  isProven?: boolean;
  isLinked?: boolean;
  locale?: string;
}

/** A value and the certified value, with the different characters of texts that look alike. */
export interface Changed {
  value: Display;
  certified: Display;
  alike: Difference[] | null;
}

/** A field as a row of a table. */
export interface FieldRow extends Partial<Changed> {
  title: string | undefined;
  name: string;
  status: Field['status'];
  value: Display;
  because: string | undefined;
}

/** Returns the schema's title, the heading of the document. Undefined if it has none. */
export const headingOf = (schema: unknown) => titleOf(schema);

/** Returns the title of the schema at a path, or otherwise the path's last key. Undefined for a list's item that has no title. */
export function nameOf(schema: unknown, path: Path): string | undefined {
  const key = path.at(-1);
  return titleOf(schemaAt(schema, path)) ?? (typeof key === 'string' ? visible(key) : undefined);
}

/**
 * Returns the row of a report's field: its name, its value and the certified value, if that differs and the evidence has it. `reason` is a
 * code. Only proven values become links and pictures, so that a forger's link cannot be clicked.
 */
export function rowOf(schema: unknown, field: Field, reasonText: (code: string) => string): FieldRow {
  const { path, status, reason, value } = field;
  const isProven = status === 'proven';
  const row = {
    title: labelOf(schema, path),
    name: visible(pathText(path)),
    status,
    value: displayOf(value, { schema: schemaAt(schema, path), key: path.at(-1), isProven }),
    because: reason ? reasonText(reason) : undefined,
  };
  if (!Object.hasOwn(field, 'certified')) {
    return row;
  }
  const differ = difference(value, field.certified, { schema: schemaAt(schema, path) });
  return { ...row, ...differ };
}

/**
 * Returns `{ value, certified, alike }`: how a changed value and the certified value are shown. `alike` has the different characters of texts
 * that look alike, as in `differences`, and is null for other values.
 */
export function difference(value: unknown, certified: unknown, at: Place): Changed {
  const alike = typeof value === 'string' && typeof certified === 'string' ? differences(value, certified) : null;
  const [here, there] = [displayOf(value, at), displayOf(certified, { ...at, isProven: true, isLinked: false })];
  // The text `1` and the number 1 look alike, so both are shown as JSON.
  const isSame = here.text === there.text && alike === null;
  return isSame ? { value: asJson(value, false), certified: asJson(certified, true), alike } : { value: here, certified: there, alike };
}

/** Returns the titles along a path, such as `Grades 2 · Subject`. Undefined if the field itself has no title. */
function labelOf(schema: unknown, path: Path) {
  const steps = path.map((step, index) => {
    const title = typeof step === 'number' ? undefined : titleOf(schemaAt(schema, path.slice(0, index + 1)));
    return { step, title };
  });
  const named = steps.findLast(({ step }) => typeof step !== 'number');
  if (named?.title === undefined) {
    return undefined;
  }
  return steps.reduce<string>((text, { step, title }) => {
    if (typeof step === 'number') {
      return `${text} ${step + 1}`;
    }
    const name = title ?? visible(step);
    return text === '' ? name : `${text} · ${name}`;
  }, '');
}

function titleOf(schema: unknown) {
  const title = own(schema, 'title');
  return typeof title === 'string' && title.trim() !== '' ? visible(title) : undefined;
}

/**
 * Returns a function that compares paths by the order of the schema's properties. Keys that the schema lacks come last, by code units.
 */
export function bySchema(schema: unknown): (one: Path, other: Path) => number {
  const known = new WeakMap<object, Map<unknown, number>>();
  const places = (properties: unknown) => {
    if (!isObject(properties)) {
      return new Map<unknown, number>();
    }
    const found = known.get(properties) ?? new Map<unknown, number>(Object.keys(properties).map((key, index) => [key, index]));
    known.set(properties, found);
    return found;
  };
  return (one, other) => {
    let at = schema;
    for (let depth = 0; depth < Math.min(one.length, other.length); depth += 1) {
      const [a, b] = [one[depth], other[depth]];
      if (a !== b || a === undefined) {
        return typeof a === 'number' && typeof b === 'number' ? a - b : byPlace(places(own(at, 'properties')), a, b);
      }
      at = typeof a === 'number' ? own(at, 'items') : own(own(at, 'properties'), a);
    }
    return one.length - other.length;
  };
}

function byPlace(places: ReadonlyMap<unknown, number>, one: unknown, other: unknown) {
  const placeOf = (key: unknown) => places.get(key) ?? places.size;
  return placeOf(one) - placeOf(other) || (String(one) < String(other) ? -1 : 1);
}

/** Returns a readable value. */
export function displayOf(value: unknown, { schema, key, isProven = false, isLinked = isProven, locale = 'en-GB' }: Place = {}): Display {
  switch (typeof value) {
    case 'number':
      return { kind: 'number', text: numberText(value, locale, own(schema, GROUPED) === true), rest: '', exact: String(value) };
    case 'boolean':
      return { kind: 'boolean', text: value ? 'Yes' : 'No', rest: '', value };
    case 'string':
      return (isLinked && addressed(value, schema, key)) || dated(value, locale) || textual(value, isProven);
    default:
      return value === null ? { kind: 'text', text: '—', rest: '' } : asJson(value, isProven);
  }
}

/** The keyword of a schema that asks for separators in a number, such as `20,231`. */
const GROUPED = 'x-assay-grouped';

/** Returns the start of a text, and the rest if the text is not proven. */
function cut(text: string, isProven: boolean) {
  const [start, rest]: [string, string] = isProven ? [text, ''] : split(text, MAX_VALUE);
  return { text: shown(start), rest: shown(rest) };
}

/** Shows a text with its line breaks. */
const shown = (text: string) => text.split(/\r?\n/).map(visible).join('\n');

const asJson = (value: unknown, isProven: boolean): Display => ({ kind: 'json', ...cut(valueText(value), isProven) });

/** Returns a string with its line breaks. Quotes an empty string, and a string with white space at its ends. */
const textual = (value: string, isProven: boolean): Display => (value.trim() !== value || value === '' ? asJson(value, isProven) : { kind: 'text', ...cut(value, isProven) });

/** The formatters of each locale that was used. */
const formats = new Map<string, ReturnType<typeof formatsOf>>();

function formatOf(locale: string) {
  const found = formats.get(locale) ?? formatsOf(locale);
  formats.set(locale, found);
  return found;
}

function formatsOf(locale: string) {
  const date = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC', ...options });
  return {
    plain: new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 20 }),
    grouped: new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }),
    day: date({}),
    minute: date({ timeStyle: 'short' }),
    second: date({ timeStyle: 'medium' }),
  };
}

/** The parts of a number that JSON writes in the same way in every language. */
const IN_JSON: Partial<Record<string, string>> = { decimal: '.', minusSign: '-' };

/** Formats a number with the locale's decimal sign. Numbers that would be rounded are shown as in JSON. */
function numberText(value: number, locale: string, isGrouped: boolean) {
  const parts = formatOf(locale)[isGrouped ? 'grouped' : 'plain'].formatToParts(value);
  const plain = parts.filter(({ type }) => type !== 'group').map(({ type, value }) => IN_JSON[type] ?? value);
  return Number(plain.join('')) === value ? parts.map(({ value }) => value).join('') : String(value);
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(?:\.0+)?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * Formats a day (`2026-06-30`), or a day and time as in ISO 8601. The time is shown in its own offset, which follows it. Returns null for other text,
 * and for fractions of a second, which would not be shown.
 */
function dated(value: string, locale: string): Display | null {
  const [, day, time, seconds = '', offset] = MOMENT.exec(value) ?? [];
  if (day === undefined) {
    return null;
  }
  const date = new Date(`${day}T${time ?? '00:00'}${seconds}Z`);
  // 30 February is invalid, but `Date` parses it as a day in March.
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day)) {
    return null;
  }
  const style = time === undefined ? 'day' : seconds === '' ? 'minute' : 'second';
  const zone = offset === undefined ? '' : ` UTC${offset.replace('Z', '').replace('-', '−')}`;
  return { kind: 'date', text: `${formatOf(locale)[style].format(date)}${zone}`, rest: '', exact: value };
}

const PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/;
const PICTURE_FILE = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;

/** Returns a picture or a web link, or null for any other string. */
function addressed(value: string, schema: unknown, key: string | number | undefined): Display | null {
  if (PICTURE.test(value) && value.length <= MAX_PICTURE) {
    return { kind: 'picture', text: 'A picture that is part of the document', rest: '', address: value };
  }
  if (!/^https:\/\/\S+$/.test(value) || !URL.canParse(value)) {
    return null;
  }
  const { href, host, pathname } = new URL(value);
  const media = own(schema, 'contentMediaType');
  const isPicture = key === 'image' || PICTURE_FILE.test(pathname) || (typeof media === 'string' && media.startsWith('image/'));
  return { kind: isPicture ? 'picture' : 'link', text: visible(value), rest: '', address: href, host };
}
