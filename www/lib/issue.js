// The parts of a certificate other than hashes: the addresses for the badge, the asset, the issuer's private file, and file names. Does not use the DOM.
import { schemaAt } from './certified.js';
import { Refusal, isObject, own, setOwn, valueAt } from './json.js';

/** The metadata's keys for the addresses of evidence and schema, where a badge finds them. They are public in every certificate. */
export const POINTERS = { evidence: '$evidence', schema: '$schema' };

const KEYS = Object.values(POINTERS);

/** The loopback hosts. A development instance fetches without TLS only from these hosts. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const isPointer = (key) => KEYS.includes(key);

/** Returns the addresses in a document. A missing address is an empty string. */
export function addressesOf(data) {
  const entries = Object.entries(POINTERS).map(([name, key]) => {
    const address = own(data, key) ?? '';
    if (typeof address !== 'string') {
      throw new Refusal(`In the document, ${key} has to be text: the address of the ${name}.`);
    }
    return [name, address];
  });
  return Object.fromEntries(entries);
}

/** Returns a copy of `data` with these addresses and no others. */
export function withAddresses(data, addresses) {
  const copy = {};
  for (const key of Object.keys(data).filter((one) => !isPointer(one))) {
    setOwn(copy, key, data[key]);
  }
  for (const [name, key] of Object.entries(POINTERS)) {
    const address = addresses[name].trim();
    if (address !== '') {
      checkAddress(address, name);
      copy[key] = address;
    }
  }
  return copy;
}

/** Checks an address. The service resolves it against the metadata's address, and fetches only over TLS. */
function checkAddress(address, name) {
  const url = parsed(address);
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!secure || /\s/.test(address)) {
    throw new Refusal(`The address of the ${name} has to start with https://, or be relative to the address of the metadata.`, `certify.${name}AddressWrong`);
  }
}

function parsed(address) {
  try {
    return new URL(address, 'https://metadata.example/');
  } catch {
    return null;
  }
}

/** Returns true if a schema describes a top-level key of the document. */
export const describes = (schema, key) => isObject(own(own(schema, 'properties'), key));

/**
 * The schemas of the keys for a document's ledger and its asset id. A verifier compares their values with the asset, so it refuses a
 * certificate copied to another ledger.
 */
const ASSET_FIELDS = {
  ledgerId: { title: 'Ledger', type: 'string' },
  assetId: { title: 'Asset', type: 'string' },
};

export const ASSET_KEYS = Object.keys(ASSET_FIELDS);

const isId = { ledgerId: /^0x[0-9a-f]{40}$/i, assetId: /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i };

/** Returns the ledger and the asset id in a document. A missing one is an empty string. */
export function assetOf(data) {
  const entries = ASSET_KEYS.map((key) => {
    const id = own(data, key) ?? '';
    return [key, typeof id === 'string' || typeof id === 'number' ? String(id) : ''];
  });
  return Object.fromEntries(entries);
}

/** Returns a copy of `schema` that describes both keys of the asset, or `schema` itself if it has them or no `properties`. */
export function withAssetFields(schema) {
  const missing = ASSET_KEYS.filter((key) => !describes(schema, key));
  if (missing.length === 0 || !isObject(own(schema, 'properties'))) {
    return schema;
  }
  const properties = { ...schema.properties };
  for (const key of missing) {
    setOwn(properties, key, ASSET_FIELDS[key]);
  }
  return { ...schema, properties };
}

/** Returns a copy of `data` with this asset. Refuses an invalid ledger address or asset id. */
export function withAsset(data, schema, asset) {
  const copy = { ...data };
  for (const key of ASSET_KEYS) {
    const id = asset[key].trim();
    if (!isId[key].test(id)) {
      throw new Refusal(...REFUSED_IDS[key]);
    }
    const { type } = schema.properties[key];
    const isNumber = (type === 'integer' || type === 'number') && Number.isSafeInteger(Number(id));
    setOwn(copy, key, isNumber ? Number(id) : id);
  }
  return copy;
}

const REFUSED_IDS = {
  ledgerId: ['The ledger is missing or wrong: 0x and 40 characters, each 0 to 9 or a to f. If you have no ledger yet, certify without one.', 'certify.ledgerWrong'],
  assetId: ['The asset’s ID is missing or wrong: a whole number, such as 1. If you have no ledger yet, certify without one.', 'certify.assetWrong'],
};

/**
 * Returns `disclosed`, the paths that the evidence must show, and `metadata`: the values that `cert` exposes at these paths, and the addresses, even if the
 * schema does not describe them. `asset` lists the
 * asset's keys that are shown, too. If the document lacks these keys, the evidence proves their absence.
 */
export function publicPart(cert, schema, data, paths, asset = []) {
  const named = KEYS.filter((key) => Object.hasOwn(data, key));
  const always = [...named, ...asset].filter((key) => describes(schema, key));
  const disclosed = [...always.map((key) => [key]), ...paths.filter(([key]) => !always.includes(key))];
  const metadata = cert.expose(data, disclosed);
  for (const key of named) {
    metadata[key] = data[key];
  }
  return { disclosed, metadata };
}

/**
 * Returns the paths of fields that the schema has and the document lacks, next to the `shown` ones: in the document itself, and in each object of which a
 * part is shown. Evidence of AIH-2 that includes these paths proves that the fields are empty.
 */
export function emptyPaths(schema, document, shown) {
  const parents = new Map([['[]', []]]);
  for (const path of shown) {
    for (const depth of path.keys()) {
      const above = path.slice(0, depth);
      parents.set(JSON.stringify(above), above);
    }
  }
  const whole = new Set(shown.map((path) => JSON.stringify(path)));
  const isShown = (path) => [...path.keys(), path.length].some((depth) => whole.has(JSON.stringify(path.slice(0, depth))));
  const lacking = (parent) => {
    const [value, properties] = [valueAt(document, parent), own(schemaAt(schema, parent), 'properties')];
    const keys = isObject(value) && isObject(properties) ? Object.keys(properties) : [];
    return keys.filter((key) => !Object.hasOwn(value, key)).map((key) => [...parent, key]);
  };
  return [...parents.values()].flatMap(lacking).filter((path) => !isShown(path));
}

/** The profiles of private files. Files of AIH-1 have no `profile`. */
const PROFILES = ['AIH-1', 'AIH-2'];

/** Returns the document without the addresses that the schema does not describe: AIH-2 does not certify them. */
export function withoutPointers(metadata, schema) {
  const document = {};
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

/** Returns the text of the issuer's private file. With this file, the issuer can make the same certificate again and show other values. */
export function privateFile({ profile, imprint, secret, paths, data, schema }) {
  return JSON.stringify({ [MARK]: 1, warning: WARNING, profile, imprint, secret, shown: paths, data, schema }, null, 2);
}

export const isPrivateFile = (text) => MARKED.test(text);

/**
 * Reads a private file: `{ profile, imprint, secret, paths, data, schema }`. `data` and `schema` are JSON texts. Under AIH-2, `secret` is the
 * key. It is empty if the file has none.
 */
export function readPrivateFile(text) {
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Refusal('The private file is damaged: it is not JSON any more.', 'refusal.damaged');
  }
  const { profile = 'AIH-1', imprint, secret = '', shown, data, schema } = file;
  const paths = Array.isArray(shown) && shown.every(Array.isArray) ? shown : null;
  const isKnown = file[MARK] === 1 && PROFILES.includes(profile);
  if (!isKnown || typeof imprint !== 'string' || typeof secret !== 'string' || paths === null || !isObject(data) || !isObject(schema)) {
    throw new Refusal('The private file is damaged, or was made by a newer version of this page.', 'refusal.damaged');
  }
  return { profile, imprint, secret, paths, data: JSON.stringify(data, null, 2), schema: JSON.stringify(schema, null, 2) };
}

/** Returns the common part of a certificate's file names: its public name, and its asset id or the beginning of its imprint. */
export function fileStem(metadata, asset, imprint) {
  const name = ['name', 'title'].map((key) => own(metadata, key)).find((one) => typeof one === 'string') ?? '';
  const id = asset === null ? imprint.slice(0, 8) : asset.assetId;
  return [slug(name), slug(id)].filter((part) => part !== '').join('-');
}

/** Returns the name of a schema's file: its title, and the beginning of its id. */
export function schemaStem(schema, schemaId) {
  const title = own(schema, 'title');
  return [slug(typeof title === 'string' ? title : ''), schemaId.replace(/^0x/, '').slice(0, 8)].filter((part) => part !== '').join('-');
}

/** Returns random bytes as hexadecimal digits. */
export function randomHex(bytes) {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns a new asset id: 128 random bits in decimal, so nobody can find certificates by counting. */
export const randomAssetId = () => BigInt(`0x${randomHex(16)}`).toString();

/** Returns the words of a text in lower case and without accents, joined by hyphens: at most 66 letters, digits and hyphens, which all file systems accept. */
function slug(text) {
  const words = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...words.join('-')].slice(0, 66).join('');
}
