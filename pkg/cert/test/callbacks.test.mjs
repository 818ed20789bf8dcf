// Custom hashers and noncers, synchronous and asynchronous.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Cert, CertError } from '@assay/cert';
import { byPath, cases } from './support.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const hasher = (value) => sha256(value === undefined || value === null ? '' : String(value));
const noncer = (path) => sha256(path.join('.'));
const later =
  (callback) =>
  async (...parameters) => {
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
  test(`${name} callbacks that compute the default hashes give the default imprints`, async () => {
    const some = cases('reference.json').filter(({ data }) => JSON.stringify(data).length < 1000);
    assert.ok(some.length > 50);
    for (const options of [{ hasher: wrap(hasher), noncer: wrap(noncer) }, { hasher: wrap(hasher) }, { noncer: wrap(noncer) }]) {
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
      // Hashes of the same length are accepted, whatever the order of the calls.
      return `h${String(calls.length).padStart(3, '0')}`;
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

test('the failure of a callback is the cause of the error', async () => {
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
  // A callback may throw any value, and may return values that are not strings.
  for (const thrown of [undefined, null, 'text', { message: 5 }]) {
    const cert = new Cert({ schema, noncer: () => Promise.reject(thrown) });
    await assert.rejects(cert.imprint({}), (error) => error.code === 'noncer-failed' && error.cause === thrown);
  }
  for (const result of [undefined, null, 1, {}, ['a'], '\ud800', Promise.resolve(1)]) {
    const cert = new Cert({ schema, hasher: () => result });
    await assert.rejects(cert.imprint({}), { code: 'hasher-failed', name: 'CertError' });
  }
  // A failing hasher is an error when verifying, not a verdict on the evidence.
  const proofs = await new Cert({ schema }).notarize({ a: 1 });
  const cert = new Cert({ schema, hasher: failing.rejects });
  await assert.rejects(cert.calculate({ a: 1 }, proofs), { code: 'hasher-failed', cause });
});

test('hashes of several lengths are an error', async () => {
  const withoutZeros = (value) => hasher(value).replace(/^[0-7]+/, '');
  const genuine = { a: 'x', l: [1, 2, 3] };
  const proofs = await new Cert({ schema }).notarize(genuine);
  for (const wrap of [(callback) => callback, later]) {
    for (const run of [
      (cert) => cert.imprint(genuine),
      (cert) => cert.notarize(genuine),
      (cert) => cert.disclose(genuine, [['a']]),
      (cert) => cert.calculate(genuine, proofs),
      (cert) => cert.verify(genuine, proofs, '0'.repeat(64)),
    ]) {
      await assert.rejects(run(new Cert({ schema, hasher: wrap(withoutZeros) })), (error) => {
        assert.ok(error instanceof CertError && Array.isArray(error.path));
        assert.equal(error.code, 'hash-length');
        assert.match(error.message, /whose length differs/);
        return true;
      });
    }
    // The first hash fixes the length for every later operation.
    let length = 40;
    const fixed = new Cert({ schema, hasher: wrap((value) => hasher(value).slice(0, length)) });
    await fixed.imprint(genuine);
    length = 41;
    await assert.rejects(fixed.imprint(genuine), { code: 'hash-length' });
    await assert.rejects(new Cert({ schema, hasher: wrap(() => '') }).imprint(genuine), { code: 'hash-length' });
  }
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

test('a slow callback delays only the work that needs it', async () => {
  const items = 5000;
  let asked = 0;
  let release;
  const rest = new Promise((resolve) => (release = resolve));
  const slow = async (path) => {
    asked += 1;
    // Nonces: one for each item, one for the end of the list, one for each of the three members, and one for their end.
    if (asked === items + 5) {
      release();
    }
    await (path.join() === 'l,0' ? rest : undefined);
    return noncer(path);
  };
  const data = { l: Array.from({ length: items }, (_, index) => index) };
  assert.equal(await new Cert({ schema, noncer: slow }).imprint(data), await new Cert({ schema }).imprint(data));
  assert.equal(asked, items + 5);
});

test('ten thousand rows are certified if every hash and nonce is a promise', async () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => ({ id: index, name: `row ${index}` }));
  const properties = { id: { type: 'integer' }, name: { type: 'string' } };
  const schema = { type: 'object', properties: { rows: { type: 'array', items: { type: 'object', properties } } } };
  let running = 0;
  let most = 0;
  const counted =
    (callback) =>
    async (...parameters) => {
      running += 1;
      most = Math.max(most, running);
      await undefined;
      running -= 1;
      return callback(...parameters);
    };
  const cert = new Cert({ schema, hasher: counted(hasher), noncer: counted(noncer) });
  const plain = new Cert({ schema });
  const imprint = await cert.imprint({ rows });
  assert.equal(imprint, await plain.imprint({ rows }));
  assert.ok(most >= 1000, `${most} at the same time`);
  const paths = [['rows', 9999]];
  const [open, proofs] = [cert.expose({ rows }, paths), await cert.disclose({ rows }, paths)];
  assert.equal(await cert.calculate(open, proofs), imprint);
});

test('a callback may use the same Cert', async () => {
  const plain = new Cert({ schema });
  const other = { a: 'another document', l: [1] };
  const expected = await plain.imprint(other);
  let inside = false;
  const found = [];
  const cert = new Cert({
    schema,
    hasher: async (value, path, position) => {
      if (!inside && position === 0) {
        inside = true;
        found.push(cert.identify(), await cert.imprint(other), await cert.calculate(other, await cert.notarize(other)), cert.expose(other, [['a']]));
        inside = false;
      }
      return hasher(value, path, position);
    },
  });
  const data = { a: 1, l: [1, 2] };
  assert.equal(await cert.imprint(data), await plain.imprint(data));
  assert.deepEqual(found.slice(0, 4), [plain.identify(), expected, expected, { a: other.a }]);
  // The callback does not await the operation that it starts, either.
  const started = [];
  const eager = new Cert({
    schema,
    noncer: (path) => {
      if (started.length < 3) {
        started.push(undefined);
        started.push(eager.imprint(other));
      }
      return noncer(path);
    },
  });
  assert.equal(await eager.imprint(data), await plain.imprint(data));
  assert.deepEqual([...new Set(await Promise.all(started.filter(Boolean)))], [expected]);
});

test('hashers receive the same paths when proofs are made and checked', async () => {
  // Every hash and nonce depends on its path and position, so only the same paths and positions give the same imprint.
  for (const wrap of [(callback) => callback, later]) {
    const hasher = wrap((value, path, position) => sha256(`${value ?? ''} ${path.join('/')} ${position}`));
    const noncer = wrap((path) => sha256(`nonce ${path.join('/')}`));
    for (const { schema, data, compound, disclose } of cases('reference.json').filter(({ data }) => JSON.stringify(data).length < 1000)) {
      const cert = new Cert({ schema, hasher, noncer });
      const imprint = await cert.imprint(data);
      assert.equal(await cert.calculate(data, await cert.notarize(data)), imprint);
      for (const { paths } of compound ? [...disclose, compound] : disclose) {
        assert.equal(await cert.calculate(cert.expose(data, paths), await cert.disclose(data, paths)), imprint);
      }
      // A verifier needs the hasher but not the noncer.
      const verifier = new Cert({ schema, hasher });
      assert.equal((await verifier.verify(data, await cert.notarize(data), imprint)).valid, true);
    }
  }
});

test('concurrent operations do not disturb each other', async () => {
  const cert = new Cert({ schema, hasher: sometimes(hasher), noncer: sometimes(noncer) });
  const plain = new Cert({ schema });
  const all = Array.from({ length: 20 }, (_, index) => ({ a: index, l: [index, index + 1] }));
  const found = await Promise.all(all.map((data) => cert.imprint(data)));
  assert.deepEqual(found, await Promise.all(all.map((data) => plain.imprint(data))));
});

test('keyed nonces are HMAC-SHA-256 of the path as JSON', async () => {
  const secret = 'a secret of the issuer';
  const bytes = new TextEncoder().encode(secret);
  const hmac = (key) => (path) => createHmac('sha256', key).update(JSON.stringify(path)).digest('hex');
  const derived = createHmac('sha256', secret).update('100').digest();
  const data = { a: 'x', l: [1, 2, 3] };
  for (const [noncer, callback] of [
    [{ secret }, hmac(secret)],
    [{ secret: bytes }, hmac(secret)],
    [{ secret: bytes.buffer, assetId: undefined }, hmac(secret)],
    [{ secret: new DataView(Uint8Array.of(0, ...bytes).buffer, 1) }, hmac(secret)],
    [{ secret, assetId: '100' }, hmac(derived)],
  ]) {
    const cert = new Cert({ schema, noncer });
    const imprint = await cert.imprint(data);
    assert.equal(imprint, await new Cert({ schema, noncer: callback }).imprint(data));
    assert.notEqual(imprint, await new Cert({ schema }).imprint(data));
    const paths = [['a']];
    const proofs = await cert.disclose(data, paths);
    // Verifying needs no secret.
    assert.equal(await new Cert({ schema }).calculate(cert.expose(data, paths), proofs), imprint);
    // A custom hasher can be combined with the default noncer.
    assert.equal(await new Cert({ schema, hasher, noncer }).imprint(data), imprint);
  }
  const kept = Uint8Array.from(bytes);
  const cert = new Cert({ schema, noncer: { secret: kept } });
  const before = await cert.imprint(data);
  kept.fill(0);
  assert.equal(await cert.imprint(data), before, 'the secret was not copied');
});

test('a misspelt or invalid noncer is an error', () => {
  for (const [noncer, code, message] of [
    [{ secret: 'too short' }, 'secret-too-short', /16 random bytes/],
    [{ secret: 17 }, 'option-invalid', /`secret` has to be bytes or a string/],
    [{ assetId: '100' }, 'option-invalid', /`secret`/],
    [{ secret: 'a secret of the issuer', assetId: 100 }, 'option-invalid', /`assetId` has to be a string/],
    [{ secret: 'a secret of the issuer', assetID: '100' }, 'option-invalid', /no option `assetID`/],
    [null, 'option-invalid', /`noncer` has to be a function or/],
    ['a secret of the issuer', 'option-invalid', /`noncer` has to be a function or/],
  ]) {
    assert.throws(() => new Cert({ schema, noncer }), { name: 'CertError', code, message });
  }
  // If it were ignored, a misspelt option would leave nonces public.
  assert.throws(() => new Cert({ schema, nonce: { secret: 'a secret of the issuer' } }), { code: 'option-invalid', message: /`nonce`/ });
});
