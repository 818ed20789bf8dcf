import { readFileSync } from 'node:fs';

const url = new URL('../../../../tests/vectors/aih2/vectors.json', import.meta.url);

/** The vectors of AIH-2, except the vectors whose error exists only in JSON text. */
export const cases = JSON.parse(readFileSync(url, 'utf8')).cases.filter(({ memory }) => memory !== false);

/** Returns a member of a case, parsed if it is JSON text. */
export const value = (of, name) => (of.text && name in of ? JSON.parse(of[name]) : of[name]);

/** Returns the options that give the key of a case: the key itself, and the secret from which it is derived. */
export function keys({ key, secret, assetId }) {
  const bytes = (digits) => Uint8Array.from(Buffer.from(digits, 'hex'));
  return [...(key === undefined ? [] : [{ key: bytes(key) }]), ...(secret === undefined ? [] : [{ secret: bytes(secret), assetId }])];
}

/** Returns the items as sorted JSON texts, to compare lists in which the order of items and keys has no meaning. */
export function unordered(list) {
  const sorted = (_, item) => (Object.prototype.toString.call(item) === '[object Object]' ? Object.fromEntries(Object.entries(item).toSorted()) : item);
  return list.map((item) => JSON.stringify(item, sorted)).toSorted();
}
