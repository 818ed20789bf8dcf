// Hostile evidence of AIH-2: large, deep or malformed. It is refused and does not affect later calls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cert } from '@assay/cert/aih2';
import * as verifier from '@assay/cert/verify';

const list = (levels) => Array.from({ length: levels }).reduce((items) => ({ type: 'array', items }), {});
const schema = { type: 'object', properties: { a: {}, list: list(40) } };
const key = new Uint8Array(32).fill(9);
const nested = (levels, inside) => Array.from({ length: levels }).reduce((value) => [value], inside);
const cert = new Cert({ schema, key });
const data = { a: nested(255, 1), list: nested(40, 'x') };
const [imprint, evidence] = [await cert.imprint(data), await cert.disclose(data, [['a']])];
const base64 = (bytes) => Buffer.from(bytes).toString('base64url');
const hash = 'H'.repeat(33);

for (const [name, proof] of [
  ['an empty proof', ''],
  ['halves without an end', 'O' + 'N'.repeat(7_000_000)],
  ['lists without an end', 'ON' + 'A\0'.repeat(3_000_000)],
  ['objects without an end', 'O'.repeat(7_000_000)],
  ['hashes without an end', 'ON' + hash.repeat(200_000)],
  ['bytes that are not tokens', '\xff'.repeat(7_000_000)],
]) {
  test(`${name}: refused in time`, { timeout: 60_000 }, async () => {
    const odd = { ...evidence, proof: base64(Buffer.from(proof, 'latin1')) };
    for (const one of [cert, new verifier.Cert({ schema })]) {
      const { valid, errors } = await one.verify(odd, imprint);
      assert.deepEqual([valid, errors.length], [false, 1]);
      assert.match(errors[0].code, /^(proof-(short|long|shape)|list-depth|value-mismatch)$/);
      assert.equal(await one.calculate(odd), null);
    }
    assert.equal(await cert.calculate(evidence), imprint, 'later calls are not affected');
  });
}

test('proofs have one spelling in base64url', async () => {
  const { proof } = evidence;
  for (const odd of [`${proof}=`, `${proof} `, proof.slice(0, -1), `${proof.slice(0, -1)}\n`, '+/+/', 'A', '\u{1f600}', '\ud800', 'A'.repeat(10_000_001)]) {
    const { valid, errors } = await cert.verify({ ...evidence, proof: odd }, imprint);
    assert.equal(valid, false);
    assert.ok(['evidence-malformed', 'surrogate-unpaired', 'proof-shape', 'proof-short'].includes(errors[0].code), errors[0].code);
  }
});

test('hundreds of thousands of values outside the evidence are checked in time', { timeout: 60_000 }, async () => {
  for (const values of [
    Array.from({ length: 300_000 }, (_, at) => [['list', at], 1]),
    Array.from({ length: 300_000 }, () => [['a'], 1]),
    Array.from({ length: 300_000 }, () => null),
    [[Array.from({ length: 300_000 }, () => 'a'), 1]],
  ]) {
    const { valid, errors } = await cert.verify({ ...evidence, values }, imprint);
    assert.deepEqual([valid, errors.length], [false, 1]);
  }
});

test('documents with more than 256 levels, and evidence with more than 260, are refused', async () => {
  assert.equal(await cert.calculate(evidence), imprint);
  const deeper = { ...evidence, values: [[['a'], nested(256, 1)]] };
  assert.deepEqual(
    (await cert.verify(deeper, imprint)).errors.map(({ code }) => code),
    ['json-too-deep'],
  );
  const cyclic = { ...evidence };
  cyclic.values = [cyclic];
  for (const odd of [cyclic, { ...evidence, values: nested(100_000, 1) }]) {
    assert.deepEqual(
      (await cert.verify(odd, imprint)).errors.map(({ code }) => code),
      ['json-too-deep'],
    );
    assert.equal(await cert.calculate(odd), null);
    await assert.rejects(cert.reduce(odd, [['a']]), { code: 'json-too-deep' });
  }
  await assert.rejects(cert.imprint({ a: nested(256, 1) }), { code: 'json-too-deep' });
});

test('evidence with the deepest possible tree, of nested lists, is verified', async () => {
  const items = (levels) => Array.from({ length: levels }).reduce((list) => ({ type: 'array', items: list, maxItems: 2 ** 32 - 1 }), {});
  const deepest = { type: 'object', properties: { l: items(62) } };
  const maker = new Cert({ schema: deepest, key });
  for (const long of [
    nested(62, 'x'),
    nested(
      61,
      Array.from({ length: 3000 }, (_, at) => at),
    ),
  ]) {
    const document = { l: long };
    const [imprint, whole] = [await maker.imprint(document), await maker.notarize(document)];
    const path = ['l', ...Array.from({ length: 62 }).fill(0)];
    const one = await maker.disclose(document, [path]);
    const end = await maker.disclose(document, [[...path.slice(0, -1), '-']]);
    const less = await maker.reduce(document, whole, [path, [...path.slice(0, -1), '-']]);
    for (const given of [
      [document, whole, imprint],
      [one, imprint],
      [end, imprint],
      [less, imprint],
    ]) {
      for (const { valid, errors } of [await maker.verify(...given), await new verifier.Cert({ schema: deepest }).verify(...given)]) {
        assert.deepEqual([valid, errors], [true, []]);
      }
    }
  }
});

for (const odd of ['\ud800', 1n, undefined, Symbol('s'), () => {}, new Date(0), { toJSON: () => evidence }]) {
  test(`evidence with ${String(odd)} proves nothing`, async () => {
    for (const one of [
      odd,
      [odd],
      { ...evidence, profile: odd },
      { ...evidence, proof: odd },
      { ...evidence, schemaId: odd },
      { ...evidence, values: odd },
      { ...evidence, values: [odd] },
      { ...evidence, values: [[['a'], odd]] },
      { ...evidence, values: [[[odd], 1]] },
      { ...evidence, $schema: odd },
    ]) {
      const { valid, errors } = await cert.verify({}, one, imprint);
      assert.deepEqual([valid, errors.length], [false, 1]);
      assert.equal(await cert.calculate({}, one), null);
    }
    assert.equal(await cert.calculate(evidence), imprint, 'later calls are not affected');
  });
}

test('omitted findings of a long report are counted', async () => {
  const rows = new Cert({ schema: { type: 'object', properties: { l: { type: 'array', items: {} } } }, key });
  const long = { l: Array.from({ length: 11_000 }, (_, at) => at) };
  const report = await rows.verify(long, await rows.notarize(long), await rows.imprint(long));
  assert.deepEqual([report.valid, report.entries.length], [true, 10_000]);
  assert.deepEqual(report.omitted, { errors: 0, entries: 1000, absent: 0, objects: 0, lists: 0, shown: 1000 });
  assert.deepEqual(report.lists, [{ path: ['l'], atMost: 11_000, length: 11_000, complete: true }]);
});
