// Values that the schema does not describe, such as those under a misspelt key.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cert } from '@assay/cert';

const schema = {
  type: 'object',
  properties: { name: {}, books: { type: 'array', items: { type: 'object', properties: { title: {} } } } },
};
const covered = { name: 'Ada', books: [{ title: 'Notes' }] };
const misspelt = { nmae: 'Ada', books: [{ title: 'Notes' }, { titel: 'Letters' }], nothing: undefined, $schema: null };
const paths = [['nmae'], ['books', 1, 'titel'], ['$schema']];

for (const [name, options] of Object.entries({
  'public nonces': {},
  'keyed nonces': { noncer: { secret: 'a secret of the issuer' } },
  'a hasher of its own': { hasher: async (value) => `hash of ${value}`.slice(0, 10).padEnd(10) },
})) {
  test(`${name}: uncovered values are listed, and refused on request`, async () => {
    const [cert, strict] = [new Cert({ schema, ...options }), new Cert({ schema, strict: true, ...options })];
    for (const one of [cert, strict]) {
      assert.deepEqual(one.uncovered(misspelt), paths);
      assert.deepEqual(one.uncovered(covered), []);
    }
    const imprint = await cert.imprint(covered);
    assert.equal(await strict.imprint(covered), imprint);
    assert.deepEqual(await strict.notarize(covered), await cert.notarize(covered));
    assert.equal(await cert.imprint({ ...covered, extra: 1 }), imprint);
    const refused = {
      name: 'CertError',
      code: 'data-uncovered',
      path: ['nmae'],
      message: 'the schema does not describe the value, so it would not be certified (at `nmae`)',
    };
    await assert.rejects(strict.imprint(misspelt), refused);
    await assert.rejects(strict.notarize(misspelt), refused);
    await assert.rejects(strict.disclose(misspelt, [['books']]), refused);
    // Strict mode does not change the verification of other issuers' data.
    const proofs = await cert.notarize(covered);
    assert.equal(await strict.calculate({ ...covered, extra: 1 }, proofs), imprint);
    const report = await strict.verify({ ...covered, extra: 1 }, proofs, imprint);
    assert.deepEqual([report.valid, report.entries.at(-1).reason], [true, 'not-in-schema']);
  });
}

test('the paths of a schema can be disclosed', async () => {
  const cert = new Cert({ schema });
  const disclosable = cert.paths();
  assert.deepEqual(disclosable, [['books'], ['books', 0], ['books', 0, 'title'], ['name']]);
  const all = await cert.notarize(covered);
  for (const path of disclosable) {
    assert.notDeepEqual(cert.expose(covered, [path]), {});
  }
  assert.equal((await cert.disclose(covered, disclosable)).length, all.length);
});

test('at most a hundred uncovered values are listed, and values that are not JSON are errors', () => {
  const cert = new Cert({ schema });
  assert.equal(cert.uncovered({ books: Array(1000).fill({ x: 1 }) }).length, 100);
  assert.throws(() => cert.uncovered({ a: 1n }), { code: 'json-invalid', path: ['a'] });
  assert.throws(() => cert.uncovered(), { code: 'json-invalid' });
});

test('a list of proven items is complete only if the secret is known', async () => {
  const keyed = new Cert({ schema, noncer: { secret: 'a secret of the issuer' } });
  const [imprint, proofs] = [await keyed.imprint(covered), await keyed.notarize(covered)];
  const lists = async (cert) => (await cert.verify(covered, proofs, imprint)).lists;
  assert.deepEqual(await lists(keyed), [{ path: ['books'], length: 1, complete: true }]);
  assert.deepEqual(await lists(new Cert({ schema })), [{ path: ['books'], length: 1, complete: false }]);
});
