// Hashers and noncers of a user's own, synchronous and not.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Cert, CertError, KeyedNoncer } from '@assay/cert';
import { byPath, cases } from './support.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const hasher = (value) => sha256(value === undefined || value === null ? '' : String(value));
const noncer = (path) => sha256(path.join('.'));
const later = (callback) => async (...parameters) => {
  await new Promise((resolve) => setImmediate(resolve));
  return callback(...parameters);
};
const sometimes = (callback) => {
  let calls = 0;
  return (...parameters) => ((calls += 1) % 3 ? callback : later(callback))(...parameters);
};

const schema = {
  type: 'object',
  properties: { a: {}, l: { type: 'array', items: { type: 'number' } }, z: { type: 'boolean' } },
};

for (const [name, wrap] of Object.entries({ sync: (callback) => callback, async: later, mixed: sometimes })) {
  test(`${name} callbacks that do what the defaults do`, async () => {
    const some = cases('reference.json').filter(({ data }) => JSON.stringify(data).length < 1000);
    assert.ok(some.length > 50);
    for (const options of [
      { hasher: wrap(hasher), noncer: wrap(noncer) },
      { hasher: wrap(hasher) },
      { noncer: wrap(noncer) },
    ]) {
      for (const { schema, data, imprint, notarize, disclose, arraysOver10 } of some) {
        const cert = new Cert({ schema, ...options });
        assert.equal(await cert.imprint(data), imprint);
        const proofs = await cert.notarize(data);
        assert.deepEqual(byPath(proofs), byPath(notarize));
        assert.equal(await cert.calculate(data, proofs), imprint);
        assert.equal((await cert.verify(data, proofs, imprint)).valid, true);
        for (const { paths, proofs } of arraysOver10 ? [] : disclose) {
          assert.deepEqual(byPath(await cert.disclose(data, paths)), byPath(proofs));
        }
      }
    }
    for (const { schema, data, proofs, imprint } of cases('forged.json')) {
      const cert = new Cert({ schema, hasher: wrap(hasher) });
      assert.notEqual(await cert.calculate(data, proofs), imprint);
    }
  });
}

test('callbacks receive value, path and position', async () => {
  const calls = [];
  const cert = new Cert({
    schema,
    hasher: (value, path, position) => {
      calls.push([position, path, value]);
      return `h${calls.length}`;
    },
    noncer: (path) => `n${path.join('.')}`,
  });
  await cert.imprint({ a: null, l: [1.5] });
  const values = calls.filter(([position]) => position === 0);
  const sorted = (list) => list.map((call) => JSON.stringify(call)).sort();
  const imprintOfList = calls.find(([position, path]) => position === 0 && path.join() === '1');
  assert.match(imprintOfList[2], /^h\d+$/);
  assert.deepEqual(sorted(values), sorted([[0, [2], undefined], [0, ['l', 0], 1.5], [0, [0], null], imprintOfList]));
  assert.equal(values.find(([, path]) => path.join() === '2')[2], undefined);
  assert.ok(calls.some(([position, path, text]) => position === 1 && path.join() === 'l,0' && /^h\d+nl\.0$/.test(text)));
  assert.ok(calls.some(([position, path, text]) => position === 2 && path.join() === '3' && text === 'n3'));
});

test('what callbacks fail with is the cause of an error', async () => {
  const cause = new TypeError('the key service is down');
  const failing = {
    throws: () => {
      throw cause;
    },
    rejects: () => Promise.reject(cause),
    'rejects late': later(() => {
      throw cause;
    }),
  };
  for (const callback of Object.values(failing)) {
    for (const option of ['hasher', 'noncer']) {
      const cert = new Cert({ schema, [option]: callback });
      for (const run of [() => cert.imprint({ a: 1 }), () => cert.notarize({ a: 1 }), () => cert.disclose({}, [])]) {
        await assert.rejects(run, (error) => {
          assert.ok(error instanceof CertError && error instanceof Error);
          assert.equal(error.name, 'CertError');
          assert.equal(error.code, `${option}-failed`);
          assert.equal(error.cause, cause);
          assert.match(error.message, /failed: the key service is down$/);
          assert.ok(Array.isArray(error.path) && error.path.length > 0);
          return true;
        });
      }
    }
  }
  // Whatever is thrown, and whatever is returned that is no text.
  for (const thrown of [undefined, null, 'text', { message: 5 }]) {
    const cert = new Cert({ schema, noncer: () => Promise.reject(thrown) });
    await assert.rejects(cert.imprint({}), (error) => error.code === 'noncer-failed' && error.cause === thrown);
  }
  for (const result of [undefined, null, 1, {}, ['a'], '\ud800', Promise.resolve(1)]) {
    const cert = new Cert({ schema, hasher: () => result });
    await assert.rejects(cert.imprint({}), { code: 'hasher-failed', name: 'CertError' });
  }
  // To verify, a failing hasher is no verdict on the evidence.
  const proofs = await new Cert({ schema }).notarize({ a: 1 });
  const cert = new Cert({ schema, hasher: failing.rejects });
  await assert.rejects(cert.calculate({ a: 1 }, proofs), { code: 'hasher-failed', cause });
});

test('independent callbacks run at the same time', async () => {
  let running = 0;
  let most = 0;
  const cert = new Cert({
    schema,
    noncer: async (path) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return noncer(path);
    },
  });
  const data = { l: Array.from({ length: 500 }, (_, index) => index) };
  assert.equal(await cert.imprint(data), await new Cert({ schema }).imprint(data));
  assert.equal(most, 505);
});

test('runs do not disturb each other', async () => {
  const cert = new Cert({ schema, hasher: sometimes(hasher), noncer: sometimes(noncer) });
  const plain = new Cert({ schema });
  const all = Array.from({ length: 20 }, (_, index) => ({ a: index, l: [index, index + 1] }));
  const found = await Promise.all(all.map((data) => cert.imprint(data)));
  assert.deepEqual(found, await Promise.all(all.map((data) => plain.imprint(data))));
});

test('keyed nonces are HMAC-SHA-256 of the path as JSON', async () => {
  const secret = 'a secret of the issuer';
  const hmac = (key) => (path) => createHmac('sha256', key).update(JSON.stringify(path)).digest('hex');
  const derived = createHmac('sha256', secret).update('100').digest();
  const data = { a: 'x', l: [1, 2, 3] };
  for (const [keyed, callback] of [
    [new KeyedNoncer(secret), hmac(secret)],
    [new KeyedNoncer(new TextEncoder().encode(secret)), hmac(secret)],
    [new KeyedNoncer(new TextEncoder().encode(secret).buffer), hmac(secret)],
    [new KeyedNoncer(secret, { assetId: '100' }), hmac(derived)],
  ]) {
    const cert = new Cert({ schema, noncer: keyed });
    const imprint = await cert.imprint(data);
    assert.equal(imprint, await new Cert({ schema, noncer: callback }).imprint(data));
    assert.notEqual(imprint, await new Cert({ schema }).imprint(data));
    const paths = [['a']];
    const proofs = await cert.disclose(data, paths);
    // To verify needs no secret.
    assert.equal(await new Cert({ schema }).calculate(cert.expose(data, paths), proofs), imprint);
    // A hasher of one's own keeps the noncer.
    assert.equal(await new Cert({ schema, hasher, noncer: keyed }).imprint(data), imprint);
  }
  assert.throws(() => new Cert({ schema, noncer: new KeyedNoncer('too short') }), { code: 'secret-too-short' });
  assert.throws(() => new KeyedNoncer(17), { code: 'option-invalid' });
  assert.throws(() => new KeyedNoncer(secret, { assetId: 100 }), { code: 'option-invalid' });
  assert.doesNotMatch(JSON.stringify(new KeyedNoncer(secret)), /secret/);
});
