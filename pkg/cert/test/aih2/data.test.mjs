// Input from JavaScript to AIH-2: options, values that are exact JSON, values that only look like JSON, and objects that change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { Cert, CertError, generateKey } from '@assay/cert/aih2';
import * as verifier from '@assay/cert/verify';
import { Cert as Aih1 } from '@assay/cert';

const schema = {
  type: 'object',
  properties: {
    a: {},
    object: { type: 'object', properties: { in: {} } },
    list: { type: 'array', items: {} },
  },
};
const key = new Uint8Array(32).fill(7);
const cert = new Cert({ schema, profile: 'AIH-2', key });
const holder = new Cert({ schema });
const data = { a: 'x', list: [1, null] };
const [imprint, whole, evidence] = await Promise.all([cert.imprint(data), cert.notarize(data), cert.disclose(data, [['a']])]);

test('random keys are generated', () => {
  const [one, other] = [generateKey(), generateKey()];
  assert.deepEqual([one.constructor, one.length], [Uint8Array, 32]);
  assert.notDeepEqual(one, other);
});

test('a key is 32 bytes of any view, or is derived from a secret', async () => {
  for (const one of [key, key.buffer.slice(), new DataView(key.buffer), Buffer.from(key)]) {
    assert.equal(await new Cert({ schema, key: one }).imprint(data), imprint);
  }
  const of = (options) => new Cert({ schema, ...options }).imprint(data);
  const secret = new Uint8Array(40).fill(3);
  assert.equal(await of({ secret }), await of({ secret, assetId: '' }));
  assert.notEqual(await of({ secret }), await of({ secret, assetId: '1' }));
  for (const options of [
    { key: 'x'.repeat(32) },
    { key: new Uint8Array(31) },
    { key: new Uint8Array(33) },
    { key: new Uint8Array(0) },
    { key: null },
    { key: Array.from(key) },
    { key: {} },
    { secret: 'x'.repeat(32) },
    { secret: null },
    { secret, assetId: 1 },
    { key, secret },
    { key, assetId: '1' },
    { assetId: '1' },
    { key, hasher: () => '' },
    { key, noncer: () => '' },
    { key, strict: true },
    { key, profile: 'AIH-1' },
    { key, profile: 'AIH-3' },
    { key, profile: null },
    { kye: key },
  ]) {
    assert.throws(() => new Cert({ schema, ...options }), { name: 'CertError', code: 'option-invalid' }, JSON.stringify(options));
  }
  assert.throws(() => new Cert({ schema, secret: new Uint8Array(31) }), { code: 'secret-too-short' });
  assert.throws(() => new Cert({ schema, secret, assetId: '\ud800' }), { code: 'surrogate-unpaired' });
  assert.throws(() => new Cert({ key }), { code: 'option-invalid', message: /`schema`/ });
  assert.throws(() => new verifier.Cert({ schema, key }), { code: 'option-invalid' });
  // Each profile has its own entry.
  assert.throws(() => new Aih1({ schema, profile: 'AIH-2' }), { code: 'option-invalid', message: /@assay\/cert\/aih2/ });
  assert.throws(() => new Aih1({ schema, key }), { code: 'option-invalid' });
  assert.equal(await new Aih1({ schema, profile: 'AIH-1' }).imprint(data), await new Aih1({ schema }).imprint(data));
});

test('a key is copied, so overwriting its bytes changes nothing', async () => {
  const mine = key.slice();
  const kept = new Cert({ schema, key: mine });
  mine.fill(0);
  assert.equal(await kept.imprint(data), imprint);
});

test('without a key a Cert verifies but does not certify', async () => {
  for (const attempt of [() => holder.imprint(data), () => holder.notarize(data), () => holder.disclose(data, [[]])]) {
    await assert.rejects(attempt, { name: 'CertError', code: 'option-invalid', message: /`key` or `secret`/ });
  }
  assert.equal(await holder.calculate(evidence), imprint);
  assert.equal(await holder.calculate(data, whole), imprint);
  const other = await holder.calculate({ ...data, a: 'y' }, whole);
  assert.ok(other.startsWith('aih2:') && other !== imprint, 'changed data gives another imprint');
  assert.equal((await holder.verify(evidence, imprint)).valid, true);
  const shown = await holder.reduce(data, whole, [['list', '-']]);
  assert.deepEqual((await holder.verify(shown, imprint)).lists, [{ path: ['list'], atMost: 2, length: null, complete: false }]);
});

test('only the known spellings of an imprint are accepted', async () => {
  const digits = imprint.slice('aih2:'.length);
  for (const text of [imprint, digits, `0x${digits}`]) {
    assert.equal((await holder.verify(evidence, text)).valid, true);
  }
  for (const text of ['', digits.toUpperCase(), `aih1:${digits}`, `${digits} `, '\ud800']) {
    const { valid, errors } = await holder.verify(evidence, text);
    assert.deepEqual([valid, errors], [false, [{ code: 'imprint-invalid', path: [] }]]);
  }
  for (const odd of [undefined, null, 1, {}]) {
    await assert.rejects(holder.verify(data, whole, odd), { code: 'option-invalid' });
  }
  assert.deepEqual((await holder.verify(evidence, '0'.repeat(64))).errors, [{ code: 'imprint-mismatch', path: [] }]);
});

test('each value of a document has one status', async () => {
  const page = { a: 'y', list: [1, 2], note: 1 };
  const { valid, shown, errors } = await holder.verify(page, await holder.reduce(data, whole, [['a']]), imprint);
  const statuses = shown.map(({ path, status }) => [path.join(), status]);
  assert.deepEqual(statuses, [
    ['a', 'changed'],
    ['list,0', 'not-covered'],
    ['list,1', 'not-covered'],
    ['note', 'not-in-schema'],
  ]);
  assert.deepEqual([valid, errors.map(({ code }) => code)], [false, ['value-mismatch', 'not-covered', 'not-in-schema']]);
  // `shown` is empty if there is no document, or if the document is not JSON.
  assert.deepEqual((await holder.verify(evidence, imprint)).shown, []);
  assert.deepEqual((await holder.verify({ a: undefined }, evidence, imprint)).shown, []);
});

test('an imprint that was copied to another asset is refused there', async () => {
  const ledgerId = `0x${'00'.repeat(19)}aB`;
  const schema = { type: 'object', properties: { ledgerId: {}, assetId: {}, name: {} } };
  const data = { ledgerId, assetId: '16', name: 'Ada' };
  const issuer = new Cert({ schema, key: new Uint8Array(32) });
  const imprint = await issuer.imprint(data);
  const all = await issuer.disclose(data, [[]]);
  const own = { asset: { ledgerId: ledgerId.toLowerCase(), assetId: '0x10' } };
  const codes = async (...parameters) => (await issuer.verify(...parameters)).errors.map(({ code, path }) => [code, ...path]);
  for (const options of [own, {}, undefined, { asset: undefined }]) {
    assert.deepEqual(await codes(all, imprint, options), []);
    assert.deepEqual(await codes(data, all, imprint, options), []);
  }
  const other = { asset: { ledgerId: `0x${'11'.repeat(20)}`, assetId: '17' } };
  const differs = [
    ['asset-mismatch', 'ledgerId'],
    ['asset-mismatch', 'assetId'],
  ];
  assert.deepEqual(await codes(all, imprint, other), differs);
  assert.deepEqual(await codes(data, all, imprint, other), differs);
  const less = await issuer.reduce(all, [['name']]);
  assert.deepEqual(await codes(less, imprint), []);
  assert.deepEqual(await codes(less, imprint, other), [
    ['asset-hidden', 'ledgerId'],
    ['asset-hidden', 'assetId'],
  ]);
  for (const wrong of [
    7,
    { ledger: 1 },
    { asset: '0x1' },
    { asset: {} },
    { asset: { ledgerId } },
    { asset: { ledgerId, assetId: 16 } },
    { asset: { ledgerId, assetId: 'x' } },
    { asset: { ledgerId: '0x1', assetId: '1' } },
    { asset: { ...own.asset, id: '1' } },
  ]) {
    await assert.rejects(issuer.verify(all, imprint, wrong), { name: 'CertError', code: 'option-invalid' });
  }
});

test('evidence that proves no value is invalid for an asset', async () => {
  const schema = { type: 'object', properties: { holder: { type: 'object', properties: { name: {} } }, name: {} } };
  const issuer = new Cert({ schema, key: new Uint8Array(32) });
  const data = { holder: {}, name: 'Ada' };
  const imprint = await issuer.imprint(data);
  const asset = { ledgerId: `0x${'00'.repeat(20)}`, assetId: '1' };
  const evidence = await issuer.disclose(data, [['holder']]);
  assert.equal((await issuer.verify({ holder: {} }, evidence, imprint)).valid, true);
  const { valid, errors, document } = await issuer.verify({ holder: {} }, evidence, imprint, { asset });
  assert.deepEqual({ valid, errors, document }, { valid: false, errors: [{ code: 'nothing-proven', path: [] }], document: null });
  const named = await issuer.disclose(data, [['holder'], ['name']]);
  assert.equal((await issuer.verify(named, imprint, { asset })).valid, true);
});

class Asset {
  a = 'x';
}
class Items extends Array {}
const cyclic = {};
cyclic.object = { in: cyclic };
const sparse = [1];
sparse.length = 3;
const withKey = (of, key, more) => Object.defineProperty(of, key, { value: 1, configurable: true, ...more });
const refused = [
  [withKey({ a: 'x' }, Symbol('hidden'), { enumerable: true }), 'json-invalid', []],
  [withKey({ a: 'x' }, Symbol.toStringTag, { enumerable: false }), 'json-invalid', []],
  [withKey({ a: 'x' }, 'list', { enumerable: false }), 'json-invalid', []],
  [{ object: withKey({}, 'in', { enumerable: false }) }, 'json-invalid', ['object']],
  [{ a: { in: [withKey({}, Symbol.iterator, { enumerable: true })] } }, 'json-invalid', ['a', 'in', 0]],
  [{ list: withKey([1], 'more', { enumerable: true }) }, 'json-invalid', ['list']],
  [{ list: withKey([1], 'more', { enumerable: false }) }, 'json-invalid', ['list']],
  [{ list: withKey([], '-1', { enumerable: true }) }, 'json-invalid', ['list']],
  [{ list: [[withKey([1], Symbol('hidden'), { enumerable: true })]] }, 'json-invalid', ['list', 0, 0]],
  [{ a: 'x'.match(/x/) }, 'json-invalid', ['a']],
  [{ a: undefined }, 'json-invalid', ['a']],
  [{ list: [1, undefined] }, 'json-invalid', ['list', 1]],
  [{ list: sparse }, 'json-invalid', ['list', 1]],
  [{ a: 1n }, 'json-invalid', ['a']],
  [{ a: () => 1 }, 'json-invalid', ['a']],
  [{ a: Symbol('x') }, 'json-invalid', ['a']],
  [{ a: new Date(0) }, 'json-invalid', ['a']],
  [{ a: new Map() }, 'json-invalid', ['a']],
  [{ a: new Number(1) }, 'json-invalid', ['a']],
  [{ a: new Uint8Array(2) }, 'json-invalid', ['a']],
  [{ a: Buffer.from('x') }, 'json-invalid', ['a']],
  [{ list: Items.from([1]) }, 'json-invalid', ['list']],
  [{ a: { toJSON: () => 'x' } }, 'json-invalid', ['a', 'toJSON']],
  [new Asset(), 'json-invalid', []],
  [Object.create({ a: 'x' }), 'json-invalid', []],
  [undefined, 'json-invalid', []],
  [{ a: '\ud800' }, 'surrogate-unpaired', ['a']],
  [{ list: ['x', 'y\udc00z'] }, 'surrogate-unpaired', ['list', 1]],
  [{ a: NaN }, 'number-not-finite', ['a']],
  [{ list: [0, -Infinity] }, 'number-not-finite', ['list', 1]],
  [{ a: 2 ** 53 }, 'integer-too-large', ['a']],
  [{ a: 1e20 }, 'integer-too-large', ['a']],
];

test('values that are not JSON are refused with their path', async () => {
  const made = [
    [{ b: 1 }, 'not-in-schema', ['b']],
    [[], 'data-type-mismatch', []],
    ['text', 'data-type-mismatch', []],
    [null, 'data-type-mismatch', []],
  ];
  for (const [odd, code, path] of [...refused, ...made]) {
    for (const attempt of [() => cert.imprint(odd), () => cert.notarize(odd), () => cert.disclose(odd, [['a']])]) {
      await assert.rejects(attempt, (error) => {
        assert.ok(error instanceof CertError);
        assert.deepEqual([error.code, error.path], [code, path]);
        return true;
      });
    }
  }
  for (const [odd, code, path] of refused) {
    for (const { verify, calculate } of [holder, new verifier.Cert({ schema })].map((one) => ({ verify: one.verify.bind(one), calculate: one.calculate.bind(one) }))) {
      const { valid, errors, document } = await verify(odd, whole, imprint);
      assert.deepEqual([valid, errors, document], [false, [{ code, path }], null]);
      assert.equal(await calculate(odd, whole), null);
    }
  }
  await assert.rejects(cert.imprint(cyclic), (error) => error.code === 'json-too-deep' && error.path.length === 256);
  // A schema has to be exact JSON, too.
  assert.throws(() => new Cert({ schema: { ...schema, title: undefined } }), { code: 'json-invalid', path: ['title'] });
  assert.throws(() => new Cert({ schema: { ...schema, minimum: 1e20 } }), { code: 'integer-too-large', path: ['minimum'] });
});

test('plain objects and lists of any realm are JSON; keys of a polluted prototype are ignored', async () => {
  const elsewhere = runInNewContext("({ a: 'x', list: [1, null] })");
  const bare = Object.assign(Object.create(null), data);
  Object.prototype.object = { in: 1 };
  try {
    assert.equal(await cert.imprint(data), imprint);
  } finally {
    delete Object.prototype.object;
  }
  for (const same of [elsewhere, bare, new Proxy(data, {}), Object.freeze({ ...data })]) {
    assert.equal(await cert.imprint(same), imprint);
  }
  assert.notEqual(await cert.imprint({ a: null }), await cert.imprint({}));
  assert.equal(await cert.imprint({ a: -0 }), await cert.imprint({ a: 0 }));
  assert.notEqual(await cert.imprint({ a: 1 }), await cert.imprint({ a: '1' }));
  assert.equal(await cert.imprint({ a: { b: 1, c: 2 } }), await cert.imprint({ a: { c: 2, b: 1 } }));
});

test('arguments are copied at the call', async () => {
  const mine = structuredClone({ data, evidence, paths: [['a']], whole });
  const promises = [
    cert.imprint(mine.data),
    cert.disclose(mine.data, mine.paths),
    holder.reduce(mine.data, mine.whole, mine.paths),
    holder.calculate(mine.evidence),
    holder.verify(mine.evidence, imprint),
  ];
  mine.data.a = 'y';
  mine.paths[0][0] = 'list';
  mine.evidence.proof = mine.whole.proof = '';
  mine.evidence.values.length = 0;
  const [first, disclosed, reduced, calculated, report] = await Promise.all(promises);
  assert.deepEqual([first, disclosed, reduced, calculated, report.valid], [imprint, evidence, evidence, imprint, true]);
});

test('exceptions of getters and traps reach the caller, and each member is read once', async () => {
  const cause = new Error('no such row');
  const thrower = (name) => ({
    get [name]() {
      throw cause;
    },
  });
  const trap = (name) =>
    new Proxy(
      { ...data },
      {
        [name]: () => {
          throw cause;
        },
      },
    );
  for (const odd of [thrower('a'), trap('ownKeys'), trap('getPrototypeOf'), trap('get')]) {
    for (const attempt of [
      () => cert.imprint(odd),
      () => holder.verify(odd, whole, imprint),
      () => holder.calculate(odd, whole),
      () => holder.reduce(odd, whole, [['a']]),
      () => cert.disclose(odd, [['a']]),
    ]) {
      await assert.rejects(
        async () => attempt(),
        (error) => error === cause,
      );
    }
  }
  for (const name of ['profile', 'proof', 'values']) {
    const odd = Object.defineProperty({ ...evidence }, name, {
      get() {
        throw cause;
      },
    });
    await assert.rejects(holder.verify(odd, imprint), (error) => error === cause);
    await assert.rejects(holder.calculate(odd), (error) => error === cause);
  }
  let reads = 0;
  const counted = {
    get a() {
      reads += 1;
      return reads === 1 ? 'x' : 'another face';
    },
    list: [1, null],
  };
  assert.equal(await cert.imprint(counted), imprint);
  assert.equal(reads, 1);
  assert.equal(await cert.imprint(data), imprint, 'later calls are not affected');
});

test('keys never reach a prototype', async () => {
  const odd = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3}');
  const properties = JSON.parse('{"__proto__":{"type":"object","properties":{"a":{}}},"constructor":{},"toString":{},"hasOwnProperty":{}}');
  const odds = new Cert({ schema: { type: 'object', properties }, key });
  const made = await odds.disclose(odd, [['__proto__', 'a'], ['constructor'], ['hasOwnProperty']]);
  const report = await odds.verify(made, await odds.imprint(odd));
  assert.deepEqual([report.valid, report.absent], [true, [['hasOwnProperty']]]);
  assert.deepEqual(report.entries.map(({ path }) => path).toSorted(), [['__proto__', 'a'], ['constructor']]);
  assert.equal(JSON.stringify(odds.expose(odd, [['__proto__', 'a']])), '{"__proto__":{"a":1}}');
  assert.equal({}.a, undefined);
});

test('a valid report has the proven document, an invalid one has none', async () => {
  const deep = { a: { any: [null] }, object: { in: 1 }, list: ['x', 'y', 'z'] };
  const [own, proven] = [await cert.notarize(deep), await cert.imprint(deep)];
  for (const one of [holder, new verifier.Cert({ schema })]) {
    for (const [paths, document] of [
      [[['a']], { a: { any: [null] } }],
      [[['object'], ['list', 1]], { object: { in: 1 }, list: [null, 'y'] }],
      [[['list', '-'], ['a']], { a: { any: [null] } }],
      [[['list']], { list: ['x', 'y', 'z'] }],
      [[[]], deep],
    ]) {
      const shown = await holder.reduce(deep, own, paths);
      const report = await one.verify(shown, proven);
      assert.deepEqual([report.valid, report.document], [true, document]);
      assert.deepEqual(report.document, cert.expose(deep, paths));
      const detached = await holder.reduce(deep, own, paths, { detached: true });
      // The document as it was at the time of the call.
      const given = structuredClone(document);
      const promise = one.verify(given, detached, proven);
      given.a = 'changed meanwhile';
      assert.deepEqual((await promise).document, document);
      assert.deepEqual((await one.verify(document, shown, proven)).document, document);
      for (const refused of [
        await one.verify(shown, '0'.repeat(64)),
        await one.verify({ ...document, a: 'forged' }, shown, proven),
        await one.verify({ ...document, a: 'forged' }, detached, proven),
        await one.verify({ ...shown, values: [[['a'], 'forged']] }, proven),
      ]) {
        assert.deepEqual([refused.valid, refused.document], [false, null]);
      }
    }
    // Empty objects and lists are shown as such.
    const odd = { object: {}, list: [] };
    const report = await one.verify(await cert.disclose(odd, [['object', 'in'], ['list', '-'], ['a']]), await cert.imprint(odd));
    assert.deepEqual([report.valid, report.document], [true, odd]);
  }
});

test('wrong paths and options of evidence are refused', async () => {
  for (const [paths, code] of [
    [undefined, 'paths-invalid'],
    ['a', 'paths-invalid'],
    [['a'], 'paths-invalid'],
    [[[null]], 'paths-invalid'],
    [[['list', '0']], 'paths-invalid'],
    [[], 'nothing-open'],
    [[['b']], 'not-in-schema'],
    [[['a', 'b']], 'path-not-separable'],
  ]) {
    await assert.rejects(cert.disclose(data, paths), { name: 'CertError', code }, JSON.stringify(paths));
    await assert.rejects(holder.reduce(data, whole, paths), { name: 'CertError', code }, JSON.stringify(paths));
  }
  await assert.rejects(holder.reduce(evidence, [['list']]), { code: 'not-available', path: ['list'] });
  for (const options of [{ detach: true }, { detached: 1 }, true]) {
    await assert.rejects(cert.disclose(data, [['a']], options), { code: 'option-invalid' });
    await assert.rejects(holder.reduce(data, whole, [['a']], options), { code: 'option-invalid' });
    await assert.rejects(holder.reduce(evidence, [['a']], options), { code: 'option-invalid' });
  }
  assert.deepEqual(Object.keys(await cert.disclose(data, [['a']], { detached: true })), ['profile', 'schemaId', 'proof']);
  assert.equal((await holder.reduce({ ...evidence, $schema: 'x' }, [['a']])).$schema, 'x');
});

test('evidence of AIH-1 is an error that names its entry', async () => {
  const aih1 = new Aih1({ schema });
  const proofs = await aih1.notarize(data);
  const named = { name: 'CertError', code: 'profile-unknown', path: [], message: 'the evidence is of AIH-1: import `Cert` from `@assay/cert`' };
  for (const odd of [proofs, { data: proofs }, { $schema: 'https://conventions.0xcert.org/87-asset-evidence.json', data: proofs }, []]) {
    for (const one of [holder, new verifier.Cert({ schema })]) {
      await assert.rejects(one.verify(data, odd, imprint), named);
      await assert.rejects(one.calculate(data, odd), named);
      // Evidence without a document.
      await assert.rejects(one.verify(odd, imprint), named);
      await assert.rejects(one.calculate(odd), named);
    }
    await assert.rejects(holder.reduce(data, odd, [['a']]), named);
    assert.equal((await aih1.calculate(data, odd)) !== null, odd.length !== 0);
  }
});

test('the default entry refuses evidence of AIH-2 and names the entries that verify it', async () => {
  const aih1 = new Aih1({ schema });
  const named = { name: 'CertError', code: 'profile-unknown', path: [], message: 'the evidence is of AIH-2: import `Cert` from `@assay/cert/aih2` or `@assay/cert/verify`' };
  for (const odd of [whole, evidence, { ...evidence, data: [] }, { toJSON: () => evidence }]) {
    await assert.rejects(aih1.verify(data, odd, imprint), named);
    await assert.rejects(aih1.calculate(data, odd), named);
    await assert.rejects(aih1.verify(odd, imprint), named);
    await assert.rejects(aih1.calculate(odd), named);
  }
  // Missing evidence is not mistaken for evidence of AIH-2.
  await assert.rejects(aih1.verify(data, imprint), { code: 'option-invalid' });
  assert.equal(await aih1.calculate(data), null);
});

test('evidence of an unknown profile, or without one, is never valid', async () => {
  for (const [odd, code] of [
    [{ ...evidence, profile: 'AIH-3' }, 'profile-unknown'],
    [{ ...evidence, profile: 'AIH-3', data: [] }, 'profile-unknown'],
    [{ data: 1 }, 'profile-unknown'],
    [{ ...evidence, more: 1 }, 'evidence-malformed'],
    [null, 'evidence-malformed'],
    [1, 'evidence-malformed'],
  ]) {
    const { valid, errors } = await holder.verify(data, odd, imprint);
    assert.deepEqual([valid, errors.map((error) => error.code)], [false, [code]]);
    assert.equal(await holder.calculate(data, odd), null);
  }
  const { valid, reasons } = await new Aih1({ schema }).verify(data, { ...whole, profile: 'AIH-3' }, imprint);
  assert.deepEqual([valid, reasons.map(({ code }) => code)], [false, ['evidence-malformed']]);
  assert.deepEqual((await holder.verify(whole, imprint)).errors, [{ code: 'document-missing', path: [] }]);
});
