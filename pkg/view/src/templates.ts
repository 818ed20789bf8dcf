// Templates of certificates, schemas made from examples, and the values of forms and tables by a schema. Does not use the DOM.
import { accepts } from './described.ts';
import type { Single } from './described.ts';
import { isAssetKey, isPointer, withAssetFields } from './issue.ts';
import { Refusal, isObject, own, setOwn } from './json.ts';
import type { JsonObject, Path } from './json.ts';
import { marketFields } from './market.ts';
import type { Say, Values } from './say.ts';
import { valueOf } from './values.ts';

const text = { type: 'string', maxLength: 300 };
const date = { type: 'string', format: 'date' };
const integer = { type: 'integer' };
/** A picture that is part of the document, as a `data:` address. */
const picture = { type: 'string', contentMediaType: 'image/jpeg' };

interface Fields {
  properties: Record<string, JsonObject>;
  required: string[];
  shown: string[];
}

/** A template. Its schema has titles in one language. `shown` are paths, and `ledger` has the names that a new ledger gets by default. */
export interface Template {
  name: TemplateName;
  schema: JsonObject;
  shown: Path[];
  ledger: { name: string; symbol: string };
}

export const TEMPLATES = ['course', 'membership', 'product', 'artwork'] as const;

export type TemplateName = (typeof TEMPLATES)[number];

/**
 * The fields of each template, in the order of the form and the certificate. `required` and `shown` list keys. Fields in `shown` are public
 * unless the issuer decides otherwise. A certificate's title is its `name`, and `validUntil` is the day on which it expires.
 */
const FIELDS: Record<TemplateName, Fields> = {
  course: {
    properties: { name: text, description: text, holder: text, issuedAt: date, hours: { type: 'number' }, grade: text, validUntil: date },
    required: ['name', 'holder', 'issuedAt'],
    shown: ['name', 'description', 'issuedAt', 'validUntil'],
  },
  membership: {
    properties: { name: text, holder: text, number: text, level: text, memberSince: date, validUntil: date },
    required: ['name', 'holder', 'validUntil'],
    shown: ['name', 'level', 'memberSince', 'validUntil'],
  },
  product: {
    properties: { name: text, description: text, image: picture, maker: text, serial: text, madeOn: date, origin: text, materials: text, supplier: text },
    required: ['name', 'maker'],
    shown: ['name', 'description', 'image', 'maker', 'serial', 'madeOn', 'origin', 'materials'],
  },
  artwork: {
    properties: { name: text, image: picture, artist: text, year: integer, technique: text, size: text, edition: text, owner: text },
    required: ['name', 'artist'],
    shown: ['name', 'image', 'artist', 'year', 'technique', 'size', 'edition'],
  },
};

/** The symbols of new ledgers. */
const SYMBOLS: Record<TemplateName, string> = { course: 'COURSE', membership: 'MEMBER', product: 'PASS', artwork: 'ART' };

/** The templates whose certificates are tokens that people trade. On a chain, they have the fields that marketplaces show. */
const TRADED: TemplateName[] = ['product', 'artwork'];

/** Returns the keys of a template's fields, the required ones and the shown ones. Marketplaces need a description. */
function fieldsOf(name: TemplateName, isOnChain: boolean): Fields {
  const { properties, required, shown } = FIELDS[name];
  if (!isOnChain || !TRADED.includes(name)) {
    return FIELDS[name];
  }
  const { name: first, ...rest } = { ...properties };
  return { properties: { name: first ?? text, description: text, ...rest }, required: [...required, 'description'], shown: [...new Set([...shown, 'description'])] };
}

/**
 * Returns a template. Its titles are in the language of `say`, and are part of the schema. `isOnChain` is true if the service's ledger is a chain, where certificates
 * are tokens that marketplaces show.
 */
export function templateOf(name: TemplateName, say: Say, isOnChain = false): Template {
  const { properties, required, shown } = fieldsOf(name, isOnChain);
  const title = say(`template.${name}.title`);
  const titled = Object.entries(properties).map(([key, schema]) => [key, { title: say(`template.${name}.${key}`), ...schema }]);
  const market = isOnChain && TRADED.includes(name) ? marketFields(say) : {};
  const schema = { title, type: 'object', properties: { ...Object.fromEntries(titled), ...market }, required };
  return { name, schema, shown: shown.map((key) => [key]), ledger: { name: title, symbol: SYMBOLS[name] } };
}

/** The forms of all templates. */
const FORMS = TEMPLATES.flatMap((name) => (TRADED.includes(name) ? [false, true] : [false]).map((isOnChain) => ({ name, isOnChain })));

/** Returns true if a certificate's schema has the fields of a template. Its titles may still differ. */
export function isLikeTemplate(schema: unknown): boolean {
  const properties = own(schema, 'properties');
  const keys = isObject(properties) ? Object.keys(properties).filter((key) => !isAssetKey(key)) : [];
  return FORMS.some(({ name, isOnChain }) => {
    const known = Object.keys(Object(templateOf(name, () => '', isOnChain).schema.properties));
    return keys.length === known.length && keys.every((key) => known.includes(key));
  });
}

/**
 * Returns a certificate's schema with the titles of `language`, if it is the schema of a template in one of the languages. Otherwise returns the schema itself, because
 * its titles are the issuer's own. `says` has the function `say` of each language: `[[language, say]]`.
 */
export function inLanguage(schema: unknown, language: string, says: readonly (readonly [language: string, say: Say])[]): unknown {
  for (const { name, isOnChain } of FORMS) {
    const known = new Map(says.map(([tag, say]) => [tag, withAssetFields(templateOf(name, say, isOnChain).schema)]));
    if ([...known.values()].some((one) => isEqual(one, schema))) {
      return known.get(language);
    }
  }
  return schema;
}

/** Compares two values, whatever the order of their keys. Goes only as deep as `one`, because `other` may be hostile. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null) {
    return one === other;
  }
  const isKind = Array.isArray(one) ? Array.isArray(other) : isObject(other);
  const keys = Object.keys(one);
  return isKind && keys.length === Object.keys(Object(other)).length && keys.every((key) => isEqual(own(one, key), own(other, key)));
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns today's date by the visitor's clock, such as `2026-06-30`. */
export function today(): string {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** Returns true if a string is a valid date such as `2026-06-30`. */
export function isDay(value: string): boolean {
  const found = new Date(DAY.test(value) ? value : NaN);
  // 30 February is invalid, but `Date` parses it as a day in March.
  return !Number.isNaN(found.getTime()) && found.toISOString().startsWith(value);
}

/** The maximum depth of an example, so that a hostile example cannot exhaust the stack. */
const MAX_DEPTH = 20;

/**
 * Returns a schema that describes an example document: titles from its keys, types from its values. It leaves out the addresses of the badge
 * and the asset's keys, which each certificate gets when it is issued.
 */
export function schemaFrom(example: JsonObject, title: string): JsonObject {
  const isOwn = (key: string) => !isPointer(key) && !isAssetKey(key);
  const kept = Object.keys(example).filter(isOwn);
  if (kept.length === 0) {
    throw Refusal.of('form.noFields');
  }
  const schema = described(Object.fromEntries(kept.map((key) => [key, example[key]])), 1);
  return { title, ...schema };
}

/** Returns a given schema with a title. Leaves out the addresses of the badge, which are known only after the certificate is made. */
export function schemaOf(given: JsonObject, title: string): JsonObject {
  const properties = {};
  for (const [key, inside] of Object.entries(Object(given.properties)).filter(([one]) => !isPointer(one))) {
    setOwn(properties, key, inside);
  }
  const required = Array.isArray(given.required) ? { required: given.required.filter((key) => !isPointer(key)) } : {};
  return { ...given, title, properties, ...required };
}

function described(value: unknown, depth: number): JsonObject {
  if (depth > MAX_DEPTH) {
    throw Refusal.of('form.tooDeep');
  }
  if (Array.isArray(value)) {
    return { type: 'array', items: described(itemOf(value.filter((item) => item !== null)), depth + 1) };
  }
  if (isObject(value)) {
    const properties = {};
    for (const [key, inside] of Object.entries(value)) {
      setOwn(properties, key, { title: titleOf(key), ...described(inside, depth + 1) });
    }
    return { type: 'object', properties };
  }
  switch (typeof value) {
    case 'number':
      return { type: Number.isInteger(value) ? 'integer' : 'number' };
    case 'boolean':
      return { type: 'boolean' };
    default:
      return typeof value === 'string' && isDay(value) ? { ...date } : { type: 'string' };
  }
}

/** Returns one example whose schema describes all items of a list. */
const itemOf = (items: unknown[]) => (items.length === 0 ? '' : items.reduce(merged));

/** Returns an example whose schema describes both values: with the keys of both objects, the items of both lists, or the wider type. */
function merged(one: unknown, other: unknown): unknown {
  if (isObject(one) && isObject(other)) {
    const all = { ...one };
    for (const [key, value] of Object.entries(other)) {
      setOwn(all, key, Object.hasOwn(one, key) ? merged(one[key], value) : value);
    }
    return all;
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.concat(other);
  }
  if (one === null || other === null) {
    return one ?? other;
  }
  if (typeof one !== typeof other || isObject(one) || isObject(other)) {
    return '';
  }
  const isNarrow = typeof one === 'number' ? Number.isInteger(one) : typeof one === 'string' && isDay(one);
  return isNarrow ? other : one;
}

/** Returns a key as words: `issuedAt` and `issued_at` become `Issued at`. */
function titleOf(key: string) {
  const words = key
    .replace(/[_-]+/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .trim();
  const lower = /\p{Ll}/u.test(words) ? words.replace(/ \p{Lu}(?=\p{Ll})/gu, (found) => found.toLowerCase()) : words;
  return lower === '' ? key : lower.charAt(0).toUpperCase() + lower.slice(1);
}

/** The words for true and false in tables, in addition to the words of the page's language. */
const TRUE = ['true', 'yes', 'ja', 'oui', 'sí', 'si', 'x', '1'];
const FALSE = ['false', 'no', 'nein', 'non', '0'];

/**
 * Converts a string to a value of a property's schema. Returns undefined for an empty string. `hasComma` is true if the
 * language writes decimals with a comma. References lead to `root`. Refuses other strings with `form.number`, `form.integer`, `form.date`, `form.boolean`, `form.choice`, `form.long`,
 * `form.single`, or a key of `valueOf`.
 */
export function parseField(schema: unknown, given: string, { hasComma = false, root = schema }: { hasComma?: boolean; root?: unknown } = {}): Single | undefined {
  const value = given.trim();
  if (value === '') {
    return undefined;
  }
  const type = own(schema, 'type');
  switch (type) {
    case 'integer':
    case 'number':
      return numberOf(value, type, hasComma);
    case 'boolean':
      return booleanOf(value);
    case 'string':
      return textOf(value, schema);
    default:
      return describedOf(value, schema, hasComma, root);
  }
}

/** Converts a text to the value that a schema without a single type accepts. */
function describedOf(value: string, schema: unknown, hasComma: boolean, root: unknown) {
  const takes = (example: Single) => accepts(root, schema, example, true);
  if (!takes('') && !takes(0) && !takes(true)) {
    throw Refusal.of('form.single');
  }
  const isText = !hasComma || takes(value);
  const found = valueOf(isText ? value : value.replace(',', '.'), { schema, root });
  return typeof found === 'string' ? textOf(found, schema) : found;
}

function numberOf(value: string, type: 'integer' | 'number', hasComma: boolean) {
  const plain = hasComma ? value.replace(',', '.') : value;
  const number = /^-?\d{1,30}(\.\d{1,30})?$/.test(plain) ? Number(plain) : NaN;
  if (Number.isNaN(number)) {
    throw Refusal.of('form.number');
  }
  if (type === 'integer' && !Number.isSafeInteger(number)) {
    throw Refusal.of('form.integer');
  }
  return number;
}

function booleanOf(value: string) {
  const lower = value.toLowerCase();
  if (!TRUE.includes(lower) && !FALSE.includes(lower)) {
    throw Refusal.of('form.boolean');
  }
  return TRUE.includes(lower);
}

function textOf(value: string, schema: unknown) {
  const [format, maxLength, choices] = ['format', 'maxLength', 'enum'].map((keyword) => own(schema, keyword));
  if (format === 'date' && !isDay(value)) {
    throw Refusal.of('form.date');
  }
  if (Array.isArray(choices) && !choices.includes(value)) {
    throw Refusal.of('form.choice');
  }
  if (typeof maxLength === 'number' && Number.isInteger(maxLength) && [...value].length > maxLength) {
    throw Refusal.of('form.long', { count: maxLength });
  }
  return value;
}

/** A problem of a document. `key` is the key of a text in pkg/view/texts. */
export interface Problem {
  path: Path;
  key: string;
  values: Values;
}

/** Returns the required fields that a document lacks. */
export function problemsOf(schema: unknown, document: unknown, path: Path = []): Problem[] {
  const [properties, required, items] = ['properties', 'required', 'items'].map((name) => own(schema, name));
  if (Array.isArray(document)) {
    return document.flatMap((item, index) => problemsOf(items, item, [...path, index]));
  }
  if (!isObject(document) || !isObject(properties)) {
    return [];
  }
  const isMissing = (key: string) => isObject(own(properties, key)) && !isAside(key, path) && !Object.hasOwn(document, key);
  const keys: unknown[] = Array.isArray(required) ? required : [];
  const found = keys
    .filter((key) => typeof key === 'string')
    .filter(isMissing)
    .map((key) => ({ path: [...path, key], key: 'form.required', values: {} }));
  return [...found, ...Object.keys(document).flatMap((key) => problemsOf(own(properties, key), document[key], [...path, key]))];
}

/** The fields that are filled in when a certificate is issued. */
const isAside = (key: string, path: Path) => path.length === 0 && (isAssetKey(key) || isPointer(key));
