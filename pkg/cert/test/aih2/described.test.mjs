// The paths that a schema can disclose, and the paths of data that it does not describe, such as misspelt keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cert, generateKey, shownWhole } from '@assay/cert/aih2';

const schema = {
  type: 'object',
  properties: { name: {}, books: { type: 'array', items: { type: 'object', properties: { title: {} } } }, none: { type: 'object', properties: {} } },
};
const data = { name: 'Ada', books: [{ title: 'Notes' }] };
const cert = new Cert({ schema, key: generateKey() });

test('the paths of a schema can be disclosed, whether the document has them or not', async () => {
  const paths = cert.paths();
  assert.deepEqual(paths, [['books'], ['books', 0], ['books', 0, 'title'], ['name'], ['none']]);
  const imprint = await cert.imprint(data);
  for (const path of paths) {
    const { valid, entries, absent } = await cert.verify(await cert.disclose(data, [path]), imprint);
    assert.deepEqual([valid, entries.length + absent.length], [true, 1], String(path));
  }
  assert.deepEqual(new Cert({ schema }).paths(), paths, 'without a key');
  // A caller may change the list that it gets.
  paths[0].push('x');
  assert.deepEqual(cert.paths()[0], ['books']);
});

test('values outside the schema are listed and refused', async () => {
  assert.deepEqual(cert.uncovered(data), []);
  const misspelt = { nmae: 'Ada', books: [{ title: 'Notes' }, { titel: 'Letters' }], name: { any: 1 }, $schema: null };
  const uncovered = cert.uncovered(misspelt);
  assert.deepEqual(uncovered, [['nmae'], ['books', 1, 'titel'], ['$schema']]);
  await assert.rejects(cert.imprint(misspelt), ({ code, path }) => code === 'not-in-schema' && uncovered.some((one) => String(one) === String(path)));
  assert.equal(cert.uncovered({ books: Array(1000).fill({ x: 1 }) }).length, 100);
  for (const none of [[], null, 'text', 1]) {
    assert.deepEqual(cert.uncovered(none), []);
  }
  assert.throws(() => cert.uncovered({ a: 1n }), { code: 'json-invalid', path: ['a'] });
  assert.throws(() => cert.uncovered({ name: undefined }), { code: 'json-invalid', path: ['name'] });
  assert.throws(() => cert.uncovered(), { code: 'json-invalid' });
});

test('values that the schema describes behind a keyword can only be shown as a whole', async () => {
  const person = { type: 'object', properties: { first: {}, last: {} } };
  const modern = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      holder: { $ref: '#/$defs/a~1b~0c' },
      born: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      grades: { type: 'array', items: { type: 'object', properties: { teacher: { anyOf: [{ $ref: '#/$defs/a~1b~0c' }, { type: 'null' }] } } } },
      elsewhere: { $ref: 'https://schemas.example/person.json' },
    },
    $defs: { 'a/b~c': person },
  };
  const whole = [['elsewhere'], ['grades', 0, 'teacher'], ['holder']];
  assert.deepEqual(shownWhole(modern), whole);
  assert.deepEqual(shownWhole(schema), []);
  const issuer = new Cert({ schema: modern, key: generateKey() });
  const document = { name: 'Ada', holder: { first: 'Ada', last: 'Lovelace' } };
  await issuer.disclose(document, [['holder']]);
  await assert.rejects(issuer.disclose(document, [['holder', 'first']]), { name: 'CertError' });
  // A schema that cannot certify anything can also be examined, but not a schema that is not JSON.
  for (const other of [{}, null, true, [], 'text']) {
    assert.deepEqual(shownWhole(other), []);
  }
  assert.throws(() => shownWhole({ properties: { a: 1n } }), { name: 'CertError', code: 'json-invalid' });
  assert.throws(() => shownWhole(), { name: 'CertError', code: 'json-invalid' });
});
