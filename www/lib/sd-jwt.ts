// Reads the SD-JWT of a certificate, and leaves out some of its fields (RFC 9901; docs/spec/badge.md, "SD-JWT"). Needs no key and no network, and does not check
// the signature. Does not use the DOM. This module also runs in Node.
import { base64url, fromBase64url } from './base64url.ts';
import { duplicateKey } from './duplicates.ts';
import type { PlanNode } from './plan.ts';
import { MAX_CHARACTERS, Refusal, isObject, own, setOwn, shorten, valueText, visible } from '../../pkg/view/src/json.ts';
import type { JsonObject, Path } from '../../pkg/view/src/json.ts';

/** The ending of an SD-JWT's file. */
export const SD_JWT_ENDING = '.sdjwt';
export const SD_JWT_TYPE = 'application/dc+sd-jwt';

/** The maximum number of disclosures, and the maximum depth at which values are split, as for the program that makes SD-JWTs. */
const MAX_DISCLOSURES = 4096;
const MAX_DEPTH = 16;
/** The path of a type's address, before the id of the schema. */
const TYPES = '/vct/';
const CLAIMS = ['iss', 'vct', 'nbf', 'exp', 'status', 'cnf', 'ledgerId', 'assetId', 'imprint', '_sd', '_sd_alg'];
const HEADER = ['alg', 'typ', 'kid'];
/** Names that no disclosed field may have, because programs would read the field as a claim with another meaning. */
const RESERVED = [...CLAIMS, '...', 'sub', 'aud', 'iat', 'jti', 'vct#integrity', 'aka_vcts', 'vc', 'vp', '@context', 'credentialStatus'];

/** A disclosed field or item. `below` has the disclosed parts of a value that is split, and is null for a single value. */
interface Disclosed {
  readonly path: Path;
  readonly text: string;
  /** The position among all disclosures. The issuer wrote fields in the order of the document. */
  readonly at: number;
  readonly value: unknown;
  readonly below: readonly Disclosed[] | null;
}

/** An SD-JWT. The values of `document` are the disclosed ones. In a list, `null` stands for an item that is left out. */
export interface SdJwt {
  /** The domain of the issuer. */
  readonly issuer: string;
  /** The origin of the service that has the ledger. */
  readonly service: string;
  readonly ledger: string;
  readonly asset: string;
  /** 64 hexadecimal digits. */
  readonly imprint: string;
  /** The first and the last second of the certificate, since 1970. `until` is null if it does not end. */
  readonly from: number;
  readonly until: number | null;
  /** The id of the key in the issuer's `did.json`. */
  readonly keyId: string;
  /** The JWT without its disclosures. */
  readonly jwt: string;
  readonly document: JsonObject;
  readonly disclosed: readonly Disclosed[];
}

/** Returns true if a text looks like an SD-JWT. */
export const isSdJwt = (text: string): boolean => /^\s*eyJ[\w-]+\.[\w-]+\.[\w-]+~([\w-]+~)*\s*$/.test(text.length > MAX_TEXT ? '' : text);

/** The maximum length of an SD-JWT, in characters. */
const MAX_TEXT = 2 * MAX_CHARACTERS;

/** Reads an SD-JWT. Refuses any other text with the key `sdJwt.foreign`. */
export async function readSdJwt(text: string): Promise<SdJwt> {
  try {
    return await read(text.trim());
  } catch {
    throw Refusal.of('sdJwt.foreign');
  }
}

async function read(text: string): Promise<SdJwt> {
  check(isSdJwt(text));
  const [jwt = '', ...disclosures] = text.split('~').slice(0, -1);
  check(disclosures.length <= MAX_DISCLOSURES);
  const [header, claims] = jwt
    .split('.')
    .slice(0, 2)
    .map((part) => json(part));
  check(isObject(header) && isObject(claims) && Object.keys(header).every((name) => HEADER.includes(name)) && Object.keys(claims).every((name) => CLAIMS.includes(name)));
  const { alg, typ, kid } = header;
  const { iss, vct, nbf, exp = null, ledgerId, assetId, imprint, _sd: digests, _sd_alg: hash } = claims;
  check(alg === 'ES256' && typ === 'dc+sd-jwt' && hash === 'sha-256' && isDate(nbf) && (exp === null || isDate(exp)));
  check(typeof kid === 'string' && typeof iss === 'string' && typeof vct === 'string' && typeof ledgerId === 'string' && typeof assetId === 'string' && typeof imprint === 'string');
  const [service = ''] = vct.split(TYPES);
  const [, digits = ''] = /^aih2:([0-9a-f]{64})$/.exec(imprint) ?? [];
  check(iss.startsWith('https://') && new URL(service).origin === service && /^0x[0-9a-f]{40}$/.test(ledgerId) && /^(0|[1-9]\d{0,77})$/.test(assetId) && digits !== '');
  const left = new Map(await Promise.all(disclosures.map(async (text, at): Promise<[string, Given]> => [await digestOf(text), { text, at }])));
  check(left.size === disclosures.length);
  const disclosed = fieldsOf(digests, { left, path: [] });
  // Each disclosure must have its place. Otherwise somebody added it.
  check(left.size === 0);
  return { issuer: iss.slice('https://'.length), service, ledger: ledgerId, asset: assetId, imprint: digits, from: nbf, until: exp, keyId: kid, jwt, document: objectOf(disclosed), disclosed };
}

/** Throws if a text is not an SD-JWT of a certificate. */
function check(isFine: boolean): asserts isFine {
  if (!isFine) {
    throw new Error('not an SD-JWT of a certificate');
  }
}

const isDate = (value: unknown): value is number => Number.isSafeInteger(value);

/** Returns the JSON value in base64url. Refuses repeated keys, because programs read different ones of them. */
function json(part: string): unknown {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64url(part));
  const value: unknown = JSON.parse(text);
  check(duplicateKey(text) === null);
  return value;
}

async function digestOf(disclosure: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(disclosure))));
}

/** A disclosure, and its position. */
type Given = Pick<Disclosed, 'text' | 'at'>;

/** The disclosures that have no place yet, by their digests, and the path of the value to read. */
interface Place {
  left: Map<string, Given>;
  path: Path;
}

/** Takes the disclosure that has this digest. Returns it with its list, or null if the holder left it out. */
function taken(digest: unknown, left: Map<string, Given>): (Given & { list: unknown[] }) | null {
  check(typeof digest === 'string');
  const given = left.get(digest);
  if (given === undefined) {
    return null;
  }
  left.delete(digest);
  const list = json(given.text);
  check(Array.isArray(list) && typeof list[0] === 'string');
  return { ...given, list };
}

/** Returns the disclosed fields of an object. */
function fieldsOf(digests: unknown, { left, path }: Place): Disclosed[] {
  check(Array.isArray(digests));
  const fields: Disclosed[] = [];
  for (const digest of digests) {
    const found = taken(digest, left);
    if (found !== null) {
      const [, name, value] = found.list;
      check(found.list.length === 3 && typeof name === 'string' && !['_sd', '...'].includes(name) && (path.length > 0 || !RESERVED.includes(name)));
      check(fields.every((field) => field.path.at(-1) !== name));
      fields.push(disclosedOf(found, value, { left, path: [...path, name] }));
    }
  }
  return fields.sort((one, other) => one.at - other.at);
}

function disclosedOf({ text, at }: Given, value: unknown, place: Place): Disclosed {
  const { left, path } = place;
  const isSplit = path.length < MAX_DEPTH;
  if (isSplit && isObject(value) && Object.hasOwn(value, '_sd')) {
    check(Object.keys(value).length === 1);
    const below = fieldsOf(value._sd, place);
    return { path, text, at, value: objectOf(below), below };
  }
  if (isSplit && Array.isArray(value) && value.some(isItem)) {
    const below = value.flatMap((item, index): Disclosed[] => {
      check(isItem(item) && Object.keys(item).length === 1);
      const found = taken(item['...'], left);
      if (found === null) {
        return [];
      }
      check(found.list.length === 2);
      return [disclosedOf(found, found.list[1], { left, path: [...path, index] })];
    });
    const items = value.map((_, index) => below.find((item) => item.path.at(-1) === index)?.value ?? null);
    return { path, text, at, value: items, below };
  }
  check(!hasMarks(value));
  return { path, text, at, value, below: null };
}

const isItem = (value: unknown): value is JsonObject => isObject(value) && Object.hasOwn(value, '...');

/** Returns true if an object in a value has a member that marks digests. */
function hasMarks(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.some(hasMarks);
  }
  return isObject(value) && (Object.hasOwn(value, '_sd') || Object.hasOwn(value, '...') || Object.values(value).some(hasMarks));
}

function objectOf(fields: readonly Disclosed[]): JsonObject {
  const object = {};
  for (const { path, value } of fields) {
    setOwn(object, path.at(-1) ?? '', value);
  }
  return object;
}

const startsWith = (path: Path, start: Path) => start.length <= path.length && start.every((step, index) => path[index] === step);

/** Returns the SD-JWT with the values at some paths only. A path to an object or a list keeps everything in it. */
export function reduceSdJwt({ jwt, disclosed }: SdJwt, paths: readonly Path[]): string {
  const kept = (some: readonly Disclosed[]): string[] =>
    some.flatMap(({ path, text, below }) => {
      const isWhole = paths.some((wanted) => startsWith(path, wanted));
      // A value that is not split is shown only if all of it is wanted.
      const isAround = below !== null && paths.some((wanted) => startsWith(wanted, path));
      return isWhole || isAround ? [text, ...kept(below ?? [])] : [];
    });
  return [jwt, ...kept(disclosed), ''].join('~');
}

/** Returns the check boxes for the disclosed values, and a schema of these values without titles. */
export function planOf({ disclosed }: SdJwt): { nodes: PlanNode[]; schema: JsonObject } {
  return { nodes: nodesOf(disclosed), schema: schemaOf(disclosed) };
}

const nodesOf = (some: readonly Disclosed[]): PlanNode[] => some.map(nodeOf);

function nodeOf({ path, value, below }: Disclosed): PlanNode {
  const step = path.at(-1) ?? '';
  const name = typeof step === 'number' ? `[${step}]` : visible(step);
  const children = nodesOf(below ?? []);
  const text = children.length > 0 ? { key: Array.isArray(value) ? 'certify.items' : 'certify.fields', count: children.length } : { text: shorten(valueText(value), 120) };
  return { path, name, ...text, plain: children.length === 0, children };
}

function schemaOf(fields: readonly Disclosed[]): JsonObject {
  const properties = {};
  for (const { path, value, below } of fields) {
    setOwn(properties, path.at(-1) ?? '', below === null ? {} : Array.isArray(value) ? { type: 'array', items: itemsOf(below) } : schemaOf(below));
  }
  return { type: 'object', properties };
}

/** Returns a schema of all items of a list. */
function itemsOf(items: readonly Disclosed[]): JsonObject {
  const objects = items.filter(({ value, below }) => below !== null && isObject(value)).flatMap(({ below }) => below ?? []);
  return objects.length === 0 ? {} : schemaOf(objects);
}

/** How a disclosed value compares with the public value of the certificate. `notPublic` if the public part does not have it. */
export type Agreement = 'same' | 'notPublic' | 'different';

/** Compares a disclosed value. In lists of a public part, `null` stands for a hidden item. */
export function comparedWith({ value, below }: Pick<Disclosed, 'value' | 'below'>, given: unknown): Agreement {
  if (given === undefined) {
    return 'notPublic';
  }
  if (below === null || Array.isArray(value) !== Array.isArray(given) || (Array.isArray(value) && Array.isArray(given) && value.length < given.length)) {
    return isEqual(value, given) ? 'same' : 'different';
  }
  const found = below.map((part) => {
    const other = own(given, part.path.at(-1) ?? '');
    return comparedWith(part, Array.isArray(given) && other === null && part.value !== null ? undefined : other);
  });
  return found.includes('different') ? 'different' : found.includes('notPublic') ? 'notPublic' : 'same';
}

/** Returns true if every disclosed value equals the one of a whole document. */
export const agrees = ({ disclosed }: Pick<SdJwt, 'disclosed'>, document: unknown): boolean => disclosed.every((field) => comparedWith(field, own(document, field.path.at(-1) ?? '')) === 'same');

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]));
  }
  return one === other;
}
