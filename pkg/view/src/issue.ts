// The parts of a certificate other than hashes: the addresses for the badge, the asset, the issuer's private file, and file names. Does not use the DOM.
import { schemaAt } from './certified.ts';
import { Refusal, isObject, isPath, own, setOwn, valueAt } from './json.ts';
import type { JsonObject, Path } from './json.ts';

/** The metadata's keys for the addresses of evidence and schema, where a badge finds them. They are public in every certificate. */
export const POINTERS = { evidence: '$evidence', schema: '$schema' } as const;

/** The addresses of a certificate's evidence and schema. A missing address is an empty string. */
export type Addresses = Record<keyof typeof POINTERS, string>;

const NAMES = ['evidence', 'schema'] as const;
const KEYS: unknown[] = Object.values(POINTERS);

/** The loopback hosts. A development instance fetches without TLS only from these hosts. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const isPointer = (key: unknown) => KEYS.includes(key);

/** Returns the addresses in a document. A missing address is an empty string. */
export function addressesOf(data: unknown): Addresses {
  const addressOf = (name: keyof Addresses) => {
    const address = own(data, POINTERS[name]) ?? '';
    if (typeof address !== 'string') {
      throw new Refusal(`In the document, ${POINTERS[name]} has to be text: the address of the ${name}.`);
    }
    return address;
  };
  return { evidence: addressOf('evidence'), schema: addressOf('schema') };
}

/** Returns a copy of `data` with these addresses and no others. */
export function withAddresses(data: JsonObject, addresses: Addresses): JsonObject {
  const copy: JsonObject = {};
  for (const key of Object.keys(data).filter((one) => !isPointer(one))) {
    setOwn(copy, key, data[key]);
  }
  for (const name of NAMES) {
    const address = addresses[name].trim();
    if (address !== '') {
      checkAddress(address, name);
      copy[POINTERS[name]] = address;
    }
  }
  return copy;
}

/** Checks an address. The service resolves it against the metadata's address, and fetches only over TLS. */
function checkAddress(address: string, name: keyof Addresses) {
  const url = parsed(address);
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!secure || /\s/.test(address)) {
    throw new Refusal(`The address of the ${name} has to start with https://, or be relative to the address of the metadata.`, `certify.${name}AddressWrong`);
  }
}

function parsed(address: string) {
  try {
    return new URL(address, 'https://metadata.example/');
  } catch {
    return null;
  }
}

/** Returns true if a schema describes a top-level key of the document. */
export const describes = (schema: unknown, key: string) => isObject(own(own(schema, 'properties'), key));

/**
 * The schemas of the keys for a document's ledger and its asset id. A verifier compares their values with the asset, so it refuses a
 * certificate copied to another ledger.
 */
const ASSET_FIELDS = {
  ledgerId: { title: 'Ledger', type: 'string' },
  assetId: { title: 'Asset', type: 'string' },
};

/** The ids of a ledger and an asset. A missing id is an empty string. */
export type AssetIds = Record<keyof typeof ASSET_FIELDS, string>;

export const ASSET_KEYS = ['ledgerId', 'assetId'] as const;

/** Returns true for a key of the asset. */
export const isAssetKey = (key: unknown) => ASSET_KEYS.some((one) => one === key);

const isId = { ledgerId: /^0x[0-9a-f]{40}$/i, assetId: /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i };

/** Returns the ledger and the asset id in a document. A missing one is an empty string. */
export function assetOf(data: unknown): AssetIds {
  const idOf = (key: keyof AssetIds) => {
    const id = own(data, key);
    return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
  };
  return { ledgerId: idOf('ledgerId'), assetId: idOf('assetId') };
}

/** Returns a copy of `schema` that describes both keys of the asset, or `schema` itself if it has them or no `properties`. */
export function withAssetFields<Schema extends object>(schema: Schema): Schema {
  const missing = ASSET_KEYS.filter((key) => !describes(schema, key));
  const described = own(schema, 'properties');
  if (missing.length === 0 || !isObject(described)) {
    return schema;
  }
  const properties = { ...described };
  for (const key of missing) {
    setOwn(properties, key, ASSET_FIELDS[key]);
  }
  return { ...schema, properties };
}

/** Returns a copy of `data` with this asset. Refuses an invalid ledger address or asset id. */
export function withAsset(data: JsonObject, schema: unknown, asset: AssetIds): JsonObject {
  const copy = { ...data };
  for (const key of ASSET_KEYS) {
    const id = asset[key].trim();
    if (!isId[key].test(id)) {
      throw new Refusal(...REFUSED_IDS[key]);
    }
    const type = own(own(own(schema, 'properties'), key), 'type');
    const isNumber = (type === 'integer' || type === 'number') && Number.isSafeInteger(Number(id));
    setOwn(copy, key, isNumber ? Number(id) : id);
  }
  return copy;
}

const REFUSED_IDS: Record<keyof AssetIds, [message: string, key: string]> = {
  ledgerId: ['The ledger is missing or wrong: 0x and 40 characters, each 0 to 9 or a to f. If you have no ledger yet, certify without one.', 'certify.ledgerWrong'],
  assetId: ['The asset’s ID is missing or wrong: a whole number, such as 1. If you have no ledger yet, certify without one.', 'certify.assetWrong'],
};

/** The part of the library's `Cert` that returns the shown values of a document. */
interface Exposing {
  expose(data: JsonObject, paths: readonly Path[]): JsonObject;
}

/**
 * Returns `disclosed`, the paths that the evidence must show, and `metadata`: the values that `cert` exposes at these paths, and the addresses, even if the
 * schema does not describe them. `asset` lists the
 * asset's keys that are shown, too. If the document lacks these keys, the evidence proves their absence.
 */
export function publicPart(cert: Exposing, schema: unknown, data: JsonObject, paths: readonly Path[], asset: readonly string[] = []) {
  const named = Object.values(POINTERS).filter((key) => Object.hasOwn(data, key));
  const always = [...named, ...asset].filter((key) => describes(schema, key));
  const disclosed: Path[] = [...always.map((key) => [key]), ...paths.filter(([key]) => !always.some((one) => one === key))];
  const metadata: JsonObject = cert.expose(data, disclosed);
  for (const key of named) {
    metadata[key] = data[key];
  }
  return { disclosed, metadata };
}

/**
 * Returns the paths of fields that the schema has and the document lacks, next to the `shown` ones: in the document itself, and in each object of which a
 * part is shown. Evidence of AIH-2 that includes these paths proves that the fields are empty.
 */
export function emptyPaths(schema: unknown, document: unknown, shown: readonly Path[]): Path[] {
  const parents = new Map<string, Path>([['[]', []]]);
  for (const path of shown) {
    for (const depth of path.keys()) {
      const above = path.slice(0, depth);
      parents.set(JSON.stringify(above), above);
    }
  }
  const whole = new Set(shown.map((path) => JSON.stringify(path)));
  const isShown = (path: Path) => [...path.keys(), path.length].some((depth) => whole.has(JSON.stringify(path.slice(0, depth))));
  const lacking = (parent: Path): Path[] => {
    const [value, properties] = [valueAt(document, parent), own(schemaAt(schema, parent), 'properties')];
    const keys = isObject(value) && isObject(properties) ? Object.keys(properties).filter((key) => !Object.hasOwn(value, key)) : [];
    return keys.map((key) => [...parent, key]);
  };
  return [...parents.values()].flatMap(lacking).filter((path) => !isShown(path));
}

/** The profiles of private files. Files of AIH-1 have no `profile`. */
export type Profile = 'AIH-1' | 'AIH-2';

/** Returns the document without the addresses that the schema does not describe: AIH-2 does not certify them. */
export function withoutPointers(metadata: JsonObject, schema: unknown): JsonObject {
  const document: JsonObject = {};
  for (const key of Object.keys(metadata)) {
    if (!isPointer(key) || describes(schema, key)) {
      setOwn(document, key, metadata[key]);
    }
  }
  return document;
}

/** The first key of a private file, which identifies such files. */
const MARK = 'assay private file';
const MARKED = new RegExp(`^\\s*\\{\\s*"${MARK}"`);
const WARNING = 'Keep this file to yourself and do not lose it. It holds hidden values and their secret. It takes this secret to show more of the document later.';

interface Kept {
  profile?: 'AIH-2';
  imprint: string;
  secret: string | undefined;
  paths: readonly Path[];
  data: unknown;
  schema: unknown;
}

/** Returns the text of the issuer's private file. With this file, the issuer can make the same certificate again and show other values. */
export function privateFile({ profile, imprint, secret, paths, data, schema }: Kept): string {
  return JSON.stringify({ [MARK]: 1, warning: WARNING, profile, imprint, secret, shown: paths, data, schema }, null, 2);
}

export const isPrivateFile = (text: string) => MARKED.test(text);

/** The content of a private file. */
export interface PrivateFile {
  profile: Profile;
  imprint: string;
  secret: string;
  paths: Path[];
  data: string;
  schema: string;
}

/**
 * Reads a private file. `data` and `schema` are JSON texts. Under AIH-2, `secret` is the
 * key. It is empty if the file has none.
 */
export function readPrivateFile(text: string): PrivateFile {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Refusal('The private file is damaged: it is not JSON any more.', 'refusal.damaged');
  }
  const { profile = 'AIH-1', imprint, secret = '', shown, data, schema } = isObject(file) ? file : {};
  const paths = Array.isArray(shown) && shown.every(isPath) ? shown : null;
  const isKnown = own(file, MARK) === 1 && (profile === 'AIH-1' || profile === 'AIH-2');
  if (!isKnown || typeof imprint !== 'string' || typeof secret !== 'string' || paths === null || !isObject(data) || !isObject(schema)) {
    throw new Refusal('The private file is damaged, or was made by a newer version of this page.', 'refusal.damaged');
  }
  return { profile, imprint, secret, paths, data: JSON.stringify(data, null, 2), schema: JSON.stringify(schema, null, 2) };
}

/** Returns the common part of a certificate's file names: its public name, and its asset id or the beginning of its imprint. */
export function fileStem(metadata: unknown, asset: Pick<AssetIds, 'assetId'> | null, imprint: string): string {
  const name = ['name', 'title'].map((key) => own(metadata, key)).find((one) => typeof one === 'string') ?? '';
  const id = asset === null ? imprint.slice(0, 8) : asset.assetId;
  return [slug(name), slug(id)].filter((part) => part !== '').join('-');
}

/** Returns the name of a schema's file: its title, and the beginning of its id. */
export function schemaStem(schema: unknown, schemaId: string): string {
  const title = own(schema, 'title');
  return [slug(typeof title === 'string' ? title : ''), schemaId.replace(/^0x/, '').slice(0, 8)].filter((part) => part !== '').join('-');
}

/** Returns random bytes as hexadecimal digits. */
export function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns a new asset id: 128 random bits in decimal, so nobody can find certificates by counting. */
export const randomAssetId = () => BigInt(`0x${randomHex(16)}`).toString();

/** Returns the words of a text in lower case and without accents, joined by hyphens: at most 66 letters, digits and hyphens, which all file systems accept. */
export function slug(text: string): string {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...words.join('-')].slice(0, 66).join('');
}
