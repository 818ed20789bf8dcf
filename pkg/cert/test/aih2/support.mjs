import { readFileSync } from 'node:fs';

const url = new URL('../../../../tests/vectors/aih2/vectors.json', import.meta.url);

/** The vectors of AIH-2, but for those in which only a reader of texts could tell what is wrong. */
export const cases = JSON.parse(readFileSync(url, 'utf8')).cases.filter(({ memory }) => memory !== false);

/** A member of a case, which may be a text to be read. */
export const value = (of, name) => (of.text && name in of ? JSON.parse(of[name]) : of[name]);

/** The options that give the key of a case: as the key itself, and as the secret that it derives from. */
export function keys({ key, secret, assetId }) {
  const bytes = (digits) => Uint8Array.from(Buffer.from(digits, 'hex'));
  return [...(key === undefined ? [] : [{ key: bytes(key) }]), ...(secret === undefined ? [] : [{ secret: bytes(secret), assetId }])];
}

/** A list of which the order means nothing; nor does that of keys. */
export function unordered(list) {
  const sorted = (_, item) => (Object.prototype.toString.call(item) === '[object Object]' ? Object.fromEntries(Object.entries(item).toSorted()) : item);
  return list.map((item) => JSON.stringify(item, sorted)).toSorted();
}
