// Compares the SHA-256 of four texts hashed side by side with Node's SHA-256, for texts of all lengths and for neighboring
// groups of all widths.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Cert } from '@assay/cert';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Returns the imprint of a list of at most ten strings or lists. Computes the hashes one after the other. */
function imprint(items, path) {
  const nonce = (at) => sha256([...path, at].join('.'));
  return items.reduceRight(
    (next, item, at) => {
      const isGroup = Array.isArray(item) && item.length > 0;
      const value = sha256(isGroup ? imprint(item, [...path, at]) : typeof item === 'string' ? item : '');
      return sha256(sha256(value + nonce(at)) + next);
    },
    sha256(nonce(items.length)),
  );
}

const list = (items) => ({ type: 'array', items });

/** Returns the imprint of a root with one key. Its position is 0, and its name is part of the paths. */
const rooted = (items) => {
  const nonce = (at) => sha256(String(at));
  return sha256(sha256(sha256(imprint(items, ['l'])) + nonce(0)) + sha256(nonce(1)));
};

test('texts of every length are hashed correctly in any order', async () => {
  const cert = new Cert({ schema: { type: 'object', properties: { l: list({}) } } });
  for (let length = 0; length < 260; length += 1) {
    const items = Array.from({ length: 1 + (length % 10) }, (_, at) => 'é€x'[at % 3].repeat((length + 37 * at) % 260));
    assert.equal(await cert.imprint({ l: items }), rooted(items), `${length}`);
  }
});

test('neighboring groups of every width are hashed correctly', async () => {
  const cert = new Cert({ schema: { type: 'object', properties: { l: list(list({})) } } });
  for (let shape = 0; shape < 500; shape += 1) {
    const items = Array.from({ length: 1 + (shape % 10) }, (_, at) => Array.from({ length: ((shape * (at + 3)) % 11) % 10 }, (_, inner) => `${shape} ${at} ${inner}`));
    const data = { l: items };
    assert.equal(await cert.imprint(data), rooted(items), `${shape}`);
    assert.equal(await cert.calculate(data, await cert.notarize(data)), rooted(items), `${shape}`);
  }
});

test('groups wider than a window are hashed correctly', async () => {
  for (let width = 1; width < 70; width += 1) {
    const data = {};
    const properties = {};
    for (const [nth, key] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      const keys = Array.from({ length: 1 + ((width * (nth + 1)) % 71) }, (_, at) => `k${String(at).padStart(2, '0')}`);
      properties[key] = { type: 'object', properties: Object.fromEntries(keys.map((name) => [name, {}])) };
      data[key] = Object.fromEntries(keys.map((name) => [name, `${key} ${name}`]));
    }
    const nonce = (at) => sha256(String(at));
    const expected = Object.entries(data).reduceRight((next, [key, group], at) => sha256(sha256(sha256(imprint(Object.values(group), [key])) + nonce(at)) + next), sha256(nonce(5)));
    const cert = new Cert({ schema: { type: 'object', properties } });
    assert.equal(await cert.imprint(data), expected, `${width}`);
    assert.equal(await cert.calculate(data, await cert.notarize(data)), expected, `${width}`);
  }
});
