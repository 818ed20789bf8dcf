// The parts of a certificate besides hashes: the addresses that a badge follows, and the issuer's private file. No DOM here.
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

/** Metadata: what `cert` exposes, and the addresses, whether or not the schema describes them. */
export function publicPart(cert, schema, data, paths) {
  const named = KEYS.filter((key) => Object.hasOwn(data, key));
  const described = named.filter((key) => describes(schema, key)).map((key) => [key]);
  const disclosed = [...described, ...paths];
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
