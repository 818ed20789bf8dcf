// Input from JavaScript: values that are JSON, and values that only look like it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Cert, CertError, identify } from '@assay/cert';

const schema = {
  type: 'object',
  properties: {
    a: {},
    object: { type: 'object', properties: { in: {} } },
    list: { type: 'array', items: {} },
  },
};
const cert = new Cert({ schema });
const imprint = (data) => cert.imprint(data);

test('values are read as JSON.stringify writes them', async () => {
  const plain = await imprint({ a: 'x', list: [1, null] });
  class Asset {
    constructor() {
      this.a = 'x';
      this.list = [1, undefined];
      this.nothing = undefined;
    }
    get hidden() {
      return 1;
    }
  }
  const bare = Object.assign(Object.create(null), { a: 'x', list: [1, null] });
  const sparse = [1];
  sparse.length = 2;
  for (const same of [new Asset(), bare, { a: { toJSON: () => 'x' }, list: sparse }, { toJSON: () => bare }]) {
    assert.equal(await imprint(same), plain);
  }
  const date = new Date(0);
  assert.equal(await imprint({ a: date }), await imprint({ a: '1970-01-01T00:00:00.000Z' }));
  assert.equal(await imprint({ a: -0 }), await imprint({ a: 0 }));
  assert.equal(await imprint({ a: 1e21 }), await imprint({ a: '1e+21' }));
  assert.equal(await imprint({ a: 0.1 + 0.2 }), await imprint({ a: '0.30000000000000004' }));
});

test('values that are not JSON are errors with their path', async () => {
  const cyclic = {};
  cyclic.object = { in: cyclic };
  for (const [data, code, path] of [
    [{ a: () => 1 }, 'json-invalid', ['a']],
    [{ a: Symbol('x') }, 'json-invalid', ['a']],
    [{ list: [1, 2n] }, 'json-invalid', ['list', 1]],
    [{ object: { in: new Map() } }, 'json-invalid', ['object', 'in']],
    [{ a: new Uint8Array(2) }, 'json-invalid', ['a']],
    [{ a: Buffer.from('x') }, 'json-invalid', ['a']],
    [Buffer.from('{"a":1}'), 'json-invalid', []],
    [new ArrayBuffer(2), 'json-invalid', []],
    [{ a: new Number(1) }, 'json-invalid', ['a']],
    [undefined, 'json-invalid', []],
    [{ a: '\ud800' }, 'surrogate-unpaired', ['a']],
    [{ list: ['x', 'y\udc00z'] }, 'surrogate-unpaired', ['list', 1]],
    [{ a: NaN }, 'number-not-finite', ['a']],
    [{ list: [0, -Infinity] }, 'number-not-finite', ['list', 1]],
    [{ a: {} }, 'data-type-mismatch', ['a']],
    [{ object: { in: [] } }, 'data-type-mismatch', ['object', 'in']],
    [[], 'data-type-mismatch', []],
    ['text', 'data-type-mismatch', []],
  ]) {
    await assert.rejects(imprint(data), (error) => {
      assert.ok(error instanceof CertError);
      assert.deepEqual([error.code, error.path], [code, path]);
      assert.ok(error.message.length > 10 && error.stack.includes('CertError'));
      return true;
    });
    assert.equal(await cert.calculate(data, await cert.notarize({})), null);
  }
  await assert.rejects(imprint(cyclic), (error) => {
    assert.deepEqual([error.code, error.path.length], ['json-too-deep', 256]);
    assert.ok(error.message.length < 200, error.message);
    assert.match(error.message, /\(at `object\.in\.object\.in\..*…`\)$/);
    return true;
  });
  assert.equal(await imprint({ ignored: NaN }), await imprint({}));
});

test('keys never reach a prototype', async () => {
  const key = '__proto__';
  const odd = JSON.parse(`{"${key}":{"a":1},"constructor":2,"toString":3,"hasOwnProperty":4}`);
  const oddSchema = {
    type: 'object',
    properties: JSON.parse(`{"${key}":{"type":"object","properties":{"a":{}}},"constructor":{},"toString":{},"hasOwnProperty":{}}`),
  };
  const odds = new Cert({ schema: oddSchema });
  const found = await odds.imprint(odd);
  assert.notEqual(found, await odds.imprint({}));
  const exposed = odds.expose(odd, [[key, 'a'], ['constructor']]);
  assert.equal(JSON.stringify(exposed), `{"${key}":{"a":1},"constructor":2}`);
  assert.equal({}.a, undefined);
  assert.equal(Object.getPrototypeOf(exposed), Object.prototype);
  const proofs = await odds.disclose(odd, [[key, 'a'], ['constructor']]);
  assert.equal(await odds.calculate(exposed, proofs), found);
  const report = await odds.verify(exposed, proofs, found);
  assert.equal(JSON.stringify(report.proven), JSON.stringify(exposed));
  assert.equal(await cert.imprint({}), await cert.imprint(Object.create({ a: 1 })), 'inherited keys are no data');
});

test('`toJSON` is called once for each value', async () => {
  class Inner {
    toJSON() {
      return 'asked again';
    }
  }
  class Outer {
    a = 1;

    toJSON(key) {
      return Object.assign(new Outer(), { a: key, inner: new Inner() });
    }
  }
  const properties = { a: { type: 'object', properties: { a: {}, inner: {} } } };
  const outer = new Cert({ schema: { type: 'object', properties } });
  const data = { a: new Outer() };
  const plain = JSON.parse(JSON.stringify(data));
  assert.deepEqual(plain, { a: { a: 'a', inner: 'asked again' } });
  assert.equal(await outer.imprint(data), await outer.imprint(plain));
  assert.deepEqual(outer.expose(data, [['a']]), plain);
});

test('data is read once, so a later value is never certified', async () => {
  const twoFaced = (make) => {
    let reads = 0;
    return new Proxy({ a: 'x' }, { get: (target, key) => (key === 'a' ? make((reads += 1)) : target[key]) });
  };
  for (const first of ['\ud800', 'x\udc00y']) {
    const data = () => twoFaced((reads) => (reads === 1 ? first : 'another face'));
    await assert.rejects(imprint(data()), { code: 'surrogate-unpaired' });
    await assert.rejects(cert.notarize(data()), { code: 'surrogate-unpaired' });
    assert.throws(() => cert.expose(data(), [['a']]), { code: 'surrogate-unpaired' });
    assert.equal(await cert.calculate(data(), await cert.notarize({ a: 'another face' })), null);
  }
  let reads = 0;
  const once = {
    list: ['x'],
    get a() {
      reads += 1;
      return 'x';
    },
  };
  // Malformed evidence does not cause a second read of the data.
  const [proof] = await cert.notarize({ a: 'x', list: ['x'] });
  for (const nonce of ['\ud800', 'a\udc00b', 'x'.repeat(20_000) + '\udc00b']) {
    const evidence = [{ ...proof, values: proof.values.map((value) => ({ ...value, nonce })) }];
    reads = 0;
    assert.equal(await cert.calculate(once, evidence), null);
    assert.equal(reads, 1);
    const { reasons } = await cert.verify(once, evidence, '');
    assert.deepEqual(
      reasons.map(({ code }) => code),
      ['evidence-malformed'],
    );
  }
  assert.throws(() => cert.expose({ a: 1 }, [['a\udc00b']]), { code: 'surrogate-unpaired', path: [] });
});

test('a failing call inside `toJSON` does not affect the outer call', async () => {
  const failed = [];
  const toJSON = () => {
    for (const a of ['\ud800', 'x\udc00y']) {
      assert.throws(
        () => cert.expose({ a }, []),
        (error) => failed.push([error.code, error.path]) > 0,
      );
    }
    return 'x';
  };
  assert.equal(await imprint({ a: { toJSON } }), await imprint({ a: 'x' }));
  // The data is read a second time to find the path, so `toJSON` is called again.
  await assert.rejects(imprint({ a: { toJSON }, list: ['x\udc00y'] }), { code: 'surrogate-unpaired', path: ['list', 0] });
  assert.deepEqual(failed, Array(6).fill(['surrogate-unpaired', ['a']]));
});

test('an exception of a getter reaches the caller', async () => {
  const cause = new Error('no such row');
  const throwing = {
    get a() {
      throw cause;
    },
  };
  const proofs = await cert.notarize({ a: 1 });
  for (const attempt of [
    () => imprint(throwing),
    () => cert.calculate(throwing, proofs),
    () =>
      cert.calculate(
        { a: 1 },
        {
          get data() {
            throw cause;
          },
        },
      ),
  ]) {
    await assert.rejects(attempt, (error) => error === cause);
  }
  assert.equal(await cert.calculate({ a: 1 }, proofs), await imprint({ a: 1 }), 'later calls are not affected');
});

test('an id is computed from the JSON text, sorted or not', () => {
  const odd = {
    b: [10, 9, null, true, 'a', [2, null], [[], 1], {}, { toString: 1 }, 'Z', '\u{1f600}', '\uff01'],
    a: { 2: 0, 10: { y: 1, x: undefined }, '\uff01': 1, '\u{1f600}': [] },
    ...JSON.parse('{"__proto__":{"d":1,"c":[]}}'),
  };
  const sorted = '{"__proto__":{"c":[],"d":1},"a":{"2":0,"10":{"y":1},"\u{1f600}":[],"\uff01":1},' + '"b":[[[],1],10,[2,null],9,"Z",{},{"toString":1},"a",null,true,"\u{1f600}","\uff01"]}';
  const idOf = (text) => `0x${createHash('sha256').update(text).digest('hex')}`;
  assert.equal(identify(odd), idOf(JSON.stringify(odd)));
  assert.equal(identify(odd, { sorted: true }), idOf(sorted));
  const schema = { type: 'object', properties: {}, examples: odd.b };
  const kept = new Cert({ schema });
  const [id, sortedId] = [identify(schema), identify(schema, { sorted: true })];
  schema.examples = undefined;
  assert.deepEqual([kept.identify(), kept.identify({ sorted: true })], [id, sortedId]);
  for (const wrong of [undefined, { a: 1n }, { a() {} }, { a: '\ud800' }]) {
    assert.throws(() => identify(wrong), CertError);
  }
});

test('options and schemas are checked', () => {
  for (const options of [undefined, {}, { schema: undefined }]) {
    assert.throws(() => new Cert(options), { name: 'CertError', code: 'option-invalid' });
  }
  for (const callbacks of [{ hasher: 'sha256' }, { noncer: {} }, { hasher: null }]) {
    assert.throws(() => new Cert({ schema, ...callbacks }), { code: 'option-invalid' });
  }
  // If a misspelt `sorted` were ignored, `identify` would return another id.
  assert.throws(() => identify(schema, { sort: true }), { code: 'option-invalid', message: /`sort`/ });
  assert.throws(() => new Cert({ schema }).identify({ sort: true }), { code: 'option-invalid' });
  assert.equal(identify(schema, null), identify(schema));
  // In `@0xcert/cert` this boolean argument selected sorted keys.
  for (const flag of [true, false, 1, 'sorted']) {
    assert.throws(() => identify(schema, flag), { code: 'option-invalid', message: /an object with sorted/ });
    assert.throws(() => new Cert({ schema }).identify(flag), { code: 'option-invalid' });
    assert.throws(() => new Cert(flag), { code: 'option-invalid' });
  }
  for (const odd of ['yes', 1, null]) {
    assert.throws(() => identify(schema, { sorted: odd }), { code: 'option-invalid', message: /`sorted`/ });
    assert.throws(() => new Cert({ schema, strict: odd }), { code: 'option-invalid', message: /`strict`/ });
  }
  for (const [wrong, code] of [
    [null, 'schema-invalid'],
    [{}, 'schema-root-not-object'],
    [{ type: 'object' }, 'schema-properties-missing'],
    [{ type: 'object', properties: { a: { type: 'array' } } }, 'schema-items-missing'],
    [{ type: 'object', properties: { 'a.b': {}, a: { type: 'object', properties: { b: {} } } } }, 'schema-path-ambiguous'],
  ]) {
    assert.throws(() => new Cert({ schema: wrong }), { name: 'CertError', code });
    assert.match(identify(wrong), /^0x[0-9a-f]{64}$/);
  }
});

test('paths that are not lists of keys and indexes are refused', async () => {
  for (const paths of [undefined, null, 'a', ['a'], [[null]], [[-1]], [[{}]]]) {
    assert.throws(() => cert.expose({}, paths), CertError);
    await assert.rejects(cert.disclose({}, paths), CertError);
  }
});

test('malformed evidence gives null', async () => {
  for (const evidence of [undefined, null, 1, 'x', {}, [], [null], { data: 1 }, () => 1, [{ path: [], nodes: [], values: [] }]]) {
    assert.equal(await cert.calculate({}, evidence), null);
  }
  await assert.rejects(cert.verify({}, [], undefined), { code: 'option-invalid' });
  const report = await cert.verify({ a: 1 }, [], '');
  assert.deepEqual(report, {
    valid: false,
    imprint: null,
    reasons: [{ code: 'root-missing', path: [], message: 'the evidence has no proof of the root' }],
    entries: [{ path: ['a'], status: 'not-proven', reason: 'root-missing' }],
    lists: [],
    proven: {},
  });
});

test('the data is not changed', async () => {
  const data = Object.freeze({ a: 'x', list: Object.freeze([1]) });
  const exposed = cert.expose(data, [['list']]);
  exposed.list.push(2);
  await cert.notarize(data);
  assert.deepEqual(data, { a: 'x', list: [1] });
});

test('data and paths beyond the depth limits are refused', async () => {
  const nested = (levels, inside) => Array.from({ length: levels }).reduce((value) => [value], inside);
  assert.equal(await imprint({ ignored: nested(255, 'x') }), await imprint({}));
  await assert.rejects(imprint({ ignored: nested(256, 'x') }), { code: 'json-too-deep' });
  const list = (levels) => Array.from({ length: levels }).reduce((items) => ({ type: 'array', items }), {});
  const deep = new Cert({ schema: { type: 'object', properties: { a: list(63) } } });
  const data = { a: nested(63, 'x') };
  const found = await deep.imprint(data);
  assert.equal(await deep.calculate(data, await deep.notarize(data)), found);
  assert.throws(() => new Cert({ schema: { type: 'object', properties: { a: list(64) } } }), {
    code: 'schema-too-deep',
  });
});
