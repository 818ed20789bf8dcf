// Validation, through `@assay/validate`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CertError } from '@assay/cert';
import * as esm from '@assay/validate';
import { cases } from '../../cert/test/support.mjs';

const commonjs = createRequire(import.meta.url)('@assay/validate');
const schema = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, born: { type: 'integer' }, mail: { format: 'email' }, list: { items: { type: 'number' } } },
};

for (const [name, { Validator, validate }] of Object.entries({ esm, commonjs })) {
  test(`${name}: reports violations with their path and keyword`, () => {
    const validator = new Validator(schema);
    assert.deepEqual(validator.validate({ name: 'Ada', born: 1815, mail: 'ada@example.com', other: [null] }), []);
    assert.deepEqual(validator.validate({ name: 'Ada', born: '1815' }), [{ path: ['born'], keyword: 'type', schemaPath: '/properties/born/type', message: 'the value is not of type "integer"' }]);
    const found = validator.validate({ mail: 'ada', list: [1, '2'] });
    assert.deepEqual(found.map(({ path, keyword }) => [path, keyword]).toSorted(), [
      [[], 'required'],
      [['list', 1], 'type'],
      [['mail'], 'format'],
    ]);
    assert.equal(validate({ items: { type: 'number' } }, Array(500).fill('x')).length, 100);
    for (const { schema, data } of cases('reference.json').slice(0, 20)) {
      new Validator(schema).validate(data);
    }
  });

  test(`${name}: accepts only JSON values`, () => {
    const validator = new Validator({ additionalProperties: { type: 'string' } });
    assert.deepEqual(validator.validate({ a: undefined, b: new Date(0) }), []);
    assert.equal(validator.validate(JSON.parse('{"__proto__": 1, "constructor": 2}')).length, 2);
    assert.equal(validate(JSON.parse('{"properties": {"__proto__": false}}'), JSON.parse('{"__proto__": 1}')).length, 1);
    assert.throws(() => validator.validate({ a: 1n }), { name: 'CertError', code: 'json-invalid', path: ['a'] });
    assert.throws(() => validator.validate({ a: [0, NaN] }), { code: 'number-not-finite', path: ['a', 1] });
    assert.throws(() => validator.validate(undefined), { code: 'json-invalid', message: 'undefined is not a JSON value' });
    for (const [data, path, message] of [
      [{ a: { b: '\ud800' } }, ['a', 'b'], 'a string holds half of a surrogate pair (at `a.b`)'],
      [{ a: ['x', { 'y\udc00': 1 }] }, ['a', 1, 'y\udc00'], 'a string holds half of a surrogate pair (at `a[1].y\udc00`)'],
    ]) {
      assert.throws(() => validator.validate(data), { code: 'surrogate-unpaired', path, message });
    }
  });

  test(`${name}: refuses malformed schemas and unresolved references`, () => {
    for (const [schema, code, path] of [
      [null, 'schema-invalid', []],
      [{ type: 'objekt' }, 'schema-invalid', ['type']],
      [{ properties: { a: { pattern: '(' } } }, 'schema-invalid', ['properties', 'a', 'pattern']],
      [{ $ref: 'https://example.com/a.json' }, 'schema-reference-unresolved', []],
      [{ $ref: '#/definitions/none' }, 'schema-reference-unresolved', []],
    ]) {
      assert.throws(() => new Validator(schema), { name: 'CertError', code, path });
    }
  });

  test(`${name}: stops at hostile patterns and references, and stays usable`, () => {
    const text = `${'a'.repeat(40)}!`;
    const found = validate({ pattern: '^(a|a)*\\1b(?!c)$' }, text);
    assert.match(found[0].message, /would take too long/);
    for (const schema of [{ $ref: '#' }, { allOf: [{ $ref: '#' }, { $ref: '#' }] }]) {
      validate(schema, 1);
    }
    const deep = Array.from({ length: 256 }).reduce((value) => [value], 1);
    assert.equal(validate({ type: ['array', 'string'], items: { $ref: '#' } }, deep[0]).length, 1);
    assert.throws(() => validate({}, [deep]), { code: 'json-too-deep' });
    assert.deepEqual(validate({ type: 'integer' }, 1), []);
  });
}

test("an error of one package is an instance of the other package's class", () => {
  for (const { Validator, CertError: Own } of [esm, commonjs]) {
    assert.throws(
      () => new Validator({ type: 5 }),
      (error) => error instanceof CertError && error instanceof Own,
    );
  }
});

test('the sample and the size in the README are true', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [, code, expected] = /^import .*;\n\n((?:.*\n)*?.*); \/\/ (\[\{.*)$/m.exec(readme);
  const run = new Function('Validator', `${code.replace(/\/\/ compiled once/, '').replace(/\n(?=validator\.)/, '\nreturn ')};`);
  assert.deepEqual(run(esm.Validator), new Function(`return ${expected}`)());
  const files = ['validate_bg.wasm', 'validate_bg.js'].map((file) => readFileSync(new URL(`../dist/${file}`, import.meta.url)));
  const size = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0) / 1000;
  assert.ok(Math.abs(size - Number(/has (\d+) KB gzipped/.exec(readme)[1])) < size / 10, `${size} KB`);
});
