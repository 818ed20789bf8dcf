// Evidence of ten megabytes that was made to stall whoever reads it. What took more than time in proportion to its size would not
// end within the time limit by far.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cert } from '@assay/cert';

const BYTES = 10_000_000;
const hash = '0'.repeat(64);

const keys = Array.from({ length: 1000 }, (_, at) => [`key${at}`, {}]);
const cert = new Cert({
  schema: {
    type: 'object',
    properties: {
      ...Object.fromEntries(keys),
      list: { type: 'array', items: { type: 'array', items: {} } },
    },
  },
});

/** As many entries as make ten megabytes. */
const many = (entry) => Array.from({ length: Math.ceil(BYTES / JSON.stringify(entry(1)).length) }, (_, at) => entry(at));
const node = (index) => ({ index, hash });
const value = (index) => ({ index, value: 1, nonce: '' });
const proof = (path, nodes, values) => ({ path, nodes, values });

const rows = many((at) => ({ path: ['list', at], nodes: [node(0)], values: [] })).length;
const list = proof(
  ['list'],
  [node(2 * rows)],
  Array.from({ length: rows }, (_, index) => ({ index, value: hash, nonce: '' })),
);
const root = proof([], [node(2002)], [...Array.from({ length: 1000 }, (_, at) => value(at)), { index: 1000, value: hash, nonce: '' }]);

for (const [name, evidence, reason] of [
  ['one index, as large as there is', [proof([], many(() => node(4_294_967_294)), [])], 'index-out-of-range'],
  ['indexes that no computer counts to', [proof([], many((at) => node(1e300 + at * 1e290)), [])], 'index-out-of-range'],
  ['leaves and no end', [proof([], many((at) => node(2 * at + 1)), [])], 'proof-incomplete'],
  ['one index again and again', [proof([], many(() => node(2)), [value(0)])], 'index-duplicate'],
  ['indexes backwards in a list', [root, proof(['list'], many((at) => node(1e6 - 2 * at)), [])], 'proof-incomplete'],
  ['values without an end', [proof([], [], many(value))], 'proof-incomplete'],
  ['one proof again and again', many(() => proof([], [node(0)], [])), 'proof-duplicate'],
  ['proofs that nothing holds', [root, ...many((at) => proof(['list', at], [node(0)], []))], 'proof-unconnected'],
  ['proofs of a long list', [root, list, ...many((at) => proof(['list', at], [node(0)], []))], 'link-mismatch'],
  ['a path without an end', [root, proof(many(() => 'list'), [], [])], 'proof-unconnected'],
  ['something that is no proof', many(() => null), 'evidence-malformed'],
]) {
  test(`ten megabytes of ${name}`, { timeout: 60_000 }, async () => {
    assert.equal(await cert.calculate({ key1: 1 }, evidence), null);
    const { valid, reasons } = await cert.verify({ key1: 1 }, evidence, hash);
    assert.deepEqual([valid, reasons[0].code], [false, reason]);
  });
}

for (const odd of ['\ud800', 'a\udc00', 1n, Symbol('s'), () => {}, { toJSON: () => '\ud800' }]) {
  test(`evidence with ${String(odd)} proves nothing`, async () => {
    const good = await cert.notarize({ key1: 1 });
    const imprint = await cert.imprint({ key1: 1 });
    for (const evidence of [
      odd,
      [odd],
      [...good, odd],
      [...good, proof([odd], [], [])],
      [...good, proof([], [{ index: 0, hash: odd }], [])],
      good.map((proof) => ({ ...proof, values: proof.values.map((value) => ({ ...value, nonce: odd })) })),
      good.map((proof) => ({ ...proof, nodes: [...proof.nodes, { index: odd, hash }] })),
    ]) {
      assert.equal(await cert.calculate({ key1: 1 }, evidence), null);
      const { valid, reasons } = await cert.verify({ key1: 1 }, evidence, imprint);
      assert.deepEqual([valid, reasons.length], [false, 1]);
    }
    assert.equal(await cert.calculate({ key1: 1 }, good), imprint, 'what comes after is as before');
  });
}

test('megabytes of schema: a long key above many others', { timeout: 60_000 }, async () => {
  const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`m${at}`, {}]));
  const long = 'k'.repeat(2_000_000);
  const schema = { type: 'object', properties: { [long]: { type: 'object', properties: members } } };
  assert.equal(await new Cert({ schema }).calculate({}, [proof([], [node(0)], [])]), hash);
});
