// The parts of a certificate besides hashes: the addresses that a badge follows, the asset that it is made for, the issuer's private
// file, and the names of files. No DOM here.
import { Refusal, isObject, own, setOwn } from './json.js';

/** The keys under which metadata says where a badge finds the other two files. They are public in every certificate. */
export const POINTERS = { evidence: '$evidence', schema: '$schema' };

const KEYS = Object.values(POINTERS);

/** The loopback hosts: the only ones from which a development instance is given anything without TLS. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const isPointer = (key) => KEYS.includes(key);

/** The addresses that a document names, empty where it names none. */
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

/** A copy of `data` that names these addresses and no others. */
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

/** The service resolves an address against that of the metadata, and asks for nothing without TLS. */
function checkAddress(address, name) {
  const url = parsed(address);
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!secure || /\s/.test(address)) {
    throw new Refusal(`The address of the ${name} has to start with https://, or be relative to the address of the metadata.`);
  }
}

function parsed(address) {
  try {
    return new URL(address, 'https://metadata.example/');
  } catch {
    return null;
  }
}

/** Whether a schema describes a key of the document itself. */
export const describes = (schema, key) => isObject(own(own(schema, 'properties'), key));

/**
 * The keys under which a document names its ledger and its id there, as the schema describes them. A verifier compares them with the
 * asset, so a copy of the certificate on another ledger is refused.
 */
const ASSET_FIELDS = {
  ledgerId: { title: 'Ledger', type: 'string' },
  assetId: { title: 'Asset', type: 'string' },
};

export const ASSET_KEYS = Object.keys(ASSET_FIELDS);

const isId = { ledgerId: /^0x[0-9a-f]{40}$/i, assetId: /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i };

/** The ledger and the asset id that a document names; empty where it names none. */
export function assetOf(data) {
  const entries = ASSET_KEYS.map((key) => {
    const id = own(data, key) ?? '';
    return [key, typeof id === 'string' || typeof id === 'number' ? String(id) : ''];
  });
  return Object.fromEntries(entries);
}

/** A copy of `schema` that describes both keys of the asset; `schema` itself if it does. */
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

/** A copy of `data` that names this asset, or refuses an id that no ledger has. */
export function withAsset(data, schema, asset) {
  const copy = { ...data };
  for (const key of ASSET_KEYS) {
    const id = asset[key].trim();
    if (!isId[key].test(id)) {
      throw new Refusal(REFUSED_IDS[key]);
    }
    const { type } = schema.properties[key];
    const isNumber = (type === 'integer' || type === 'number') && Number.isSafeInteger(Number(id));
    setOwn(copy, key, isNumber ? Number(id) : id);
  }
  return copy;
}

const REFUSED_IDS = {
  ledgerId: 'The ledger is missing or wrong: 0x and 40 characters, each 0 to 9 or a to f. If you have no ledger yet, certify without one.',
  assetId: 'The asset’s ID is missing or wrong: a whole number, such as 1. If you have no ledger yet, certify without one.',
};

/**
 * Returns the metadata: what `cert` exposes, and the addresses, whether or not the schema describes them. `asset` are the keys of the
 * asset to show as well; evidence proves their absence where the document does not have them.
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

/** The profiles of private files. Files of AIH-1 do not name theirs. */
const PROFILES = ['AIH-1', 'AIH-2'];

/** Pointers that the schema does not have say how the document is found, and are no part of what AIH-2 certifies. */
export function withoutPointers(metadata, schema) {
  const document = {};
  for (const key of Object.keys(metadata)) {
    if (!isPointer(key) || describes(schema, key)) {
      setOwn(document, key, metadata[key]);
    }
  }
  return document;
}

/** The first key of a private file, by which it is known. */
const MARK = 'assay private file';
const MARKED = new RegExp(`^\\s*\\{\\s*"${MARK}"`);
const WARNING = 'Keep this file to yourself and do not lose it. It holds hidden values and their secret. It takes this secret to show more of the document later.';

/** The text of the file that an issuer keeps: what it takes to make the same certificate again, showing other values. */
export function privateFile({ profile, imprint, secret, paths, data, schema }) {
  return JSON.stringify({ [MARK]: 1, warning: WARNING, profile, imprint, secret, shown: paths, data, schema }, null, 2);
}

export const isPrivateFile = (text) => MARKED.test(text);

/** A private file: `{ profile, secret, paths, data, schema }`, the last two as JSON texts; `secret` is a key of AIH-2, or empty if there was none. */
export function readPrivateFile(text) {
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Refusal('The private file is damaged: it is not JSON any more.');
  }
  const { profile = 'AIH-1', secret = '', shown, data, schema } = file;
  const paths = Array.isArray(shown) && shown.every(Array.isArray) ? shown : null;
  const isKnown = file[MARK] === 1 && PROFILES.includes(profile);
  if (!isKnown || typeof secret !== 'string' || paths === null || !isObject(data) || !isObject(schema)) {
    throw new Refusal('The private file is damaged, or was made by a newer version of this page.');
  }
  return { profile, secret, paths, data: JSON.stringify(data, null, 2), schema: JSON.stringify(schema, null, 2) };
}

/** The beginning of the names of a certificate's files: its public name, and its asset id or the beginning of its imprint. */
export function fileStem(metadata, asset, imprint) {
  const name = ['name', 'title'].map((key) => own(metadata, key)).find((one) => typeof one === 'string') ?? '';
  const id = asset === null ? imprint.slice(0, 8) : asset.assetId;
  return [slug(name), slug(id)].filter((part) => part !== '').join('-');
}

/** The name of a schema's file: its title, and the beginning of its id. */
export function schemaStem(schema, schemaId) {
  const title = own(schema, 'title');
  return [slug(typeof title === 'string' ? title : ''), schemaId.replace(/^0x/, '').slice(0, 8)].filter((part) => part !== '').join('-');
}

/** Letters and digits of any writing, joined by hyphens: every file system takes them. */
function slug(text) {
  const words = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...words.join('-')].slice(0, 66).join('');
}
