// Evidence of ten megabytes that is built to stall a verifier. Anything slower than linear time would exceed the time limit by far.
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

/** Returns enough entries to fill ten megabytes. */
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
  [
    'nodes with the largest index',
    [
      proof(
        [],
        many(() => node(4_294_967_294)),
        [],
      ),
    ],
    'index-out-of-range',
  ],
  [
    'nodes with indexes above 1e300',
    [
      proof(
        [],
        many((at) => node(1e300 + at * 1e290)),
        [],
      ),
    ],
    'index-out-of-range',
  ],
  [
    'leaves without an end node',
    [
      proof(
        [],
        many((at) => node(2 * at + 1)),
        [],
      ),
    ],
    'proof-incomplete',
  ],
  [
    'nodes with the same index',
    [
      proof(
        [],
        many(() => node(2)),
        [value(0)],
      ),
    ],
    'index-duplicate',
  ],
  [
    'descending indexes in a list',
    [
      root,
      proof(
        ['list'],
        many((at) => node(1e6 - 2 * at)),
        [],
      ),
    ],
    'proof-incomplete',
  ],
  ['values without an end', [proof([], [], many(value))], 'proof-incomplete'],
  ['copies of one proof', many(() => proof([], [node(0)], [])), 'proof-duplicate'],
  ['unconnected proofs', [root, ...many((at) => proof(['list', at], [node(0)], []))], 'proof-unconnected'],
  ['proofs of a long list', [root, list, ...many((at) => proof(['list', at], [node(0)], []))], 'link-mismatch'],
  [
    'one path',
    [
      root,
      proof(
        many(() => 'list'),
        [],
        [],
      ),
    ],
    'proof-unconnected',
  ],
  ['nulls instead of proofs', many(() => null), 'evidence-malformed'],
]) {
  test(`ten megabytes of ${name} are refused in time`, { timeout: 60_000 }, async () => {
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
    assert.equal(await cert.calculate({ key1: 1 }, good), imprint, 'later calls are not affected');
  });
}

test('a schema of megabytes with a long key above many other keys is read in time', { timeout: 60_000 }, async () => {
  const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`m${at}`, {}]));
  const long = 'k'.repeat(2_000_000);
  const schema = { type: 'object', properties: { [long]: { type: 'object', properties: members } } };
  assert.equal(await new Cert({ schema }).calculate({}, [proof([], [node(0)], [])]), hash);
});

test('a long key above many values does not make a report large', async () => {
  const long = 'k'.repeat(40_000);
  const schema = { type: 'object', properties: { [long]: { type: 'object', properties: {} } } };
  const data = { [long]: Object.fromEntries(Array.from({ length: 16_000 }, (_, at) => [`m${at}`, at])) };
  const report = await new Cert({ schema }).verify(data, [], hash);
  const { entries, omitted, valid } = report;
  assert.equal(valid, false);
  assert.ok(entries.length > 100);
  assert.deepEqual(omitted, { proven: 0, notProven: 0, notCovered: 16_000 - entries.length, lists: 0 });
  assert.deepEqual(entries[1], { path: [long, 'm1'], status: 'not-covered', reason: 'not-in-schema' });
  assert.ok(JSON.stringify(report).length < 10_000_000);
  // The arguments of callbacks do not copy the long key, either.
  const list = { type: 'object', properties: { [long]: { type: 'array', items: {} } } };
  const noncer = ([key, at]) => `${key?.length} ${at}`;
  const proofs = await new Cert({ schema: list, noncer }).notarize({ [long]: Array.from({ length: 16_000 }, (_, at) => at) });
  assert.equal(proofs[1].values[15_999].nonce, '40000 15999');
});

test('omitted findings of a long report are counted', async () => {
  const schema = { type: 'object', properties: { l: { type: 'array', items: {} } } };
  const cert = new Cert({ schema });
  const data = { l: Array.from({ length: 11_000 }, (_, at) => at) };
  const [proofs, imprint] = [await cert.notarize(data), await cert.imprint(data)];
  const whole = await cert.verify(data, proofs, imprint);
  assert.deepEqual([whole.valid, whole.entries.length], [true, 10_000]);
  assert.deepEqual(whole.omitted, { proven: 1000, notProven: 0, notCovered: 0, lists: 0 });
  assert.deepEqual(whole.proven, data);
  // The entries include the one that contradicts the document.
  const { valid, entries, omitted } = await cert.verify({ l: data.l.with(-1, 'x') }, proofs, imprint);
  assert.deepEqual([valid, omitted.proven], [false, 999]);
  assert.deepEqual(entries.at(-1), { path: ['l', 10_999], status: 'not-proven', reason: 'value-mismatch' });
  assert.equal((await cert.verify({ l: [0] }, proofs, imprint)).omitted, undefined);
});
