// Counts the calls between WebAssembly and JavaScript.
import assert from 'node:assert/strict';
import { test } from 'node:test';

let calls = 0;
let imported = 0;
let instances = 0;
const unnamed = [];
let operations;
let memory;
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(module, imports) {
    const counted = {};
    operations = WebAssembly.Module.exports(module).map(({ name }) => name);
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      const value = imports[from][name];
      if (!Object.hasOwn(imports[from], name)) {
        unnamed.push(name);
      }
      imported += 1;
      counted[from] ??= {};
      counted[from][name] = (...parameters) => {
        calls += 1;
        return value(...parameters);
      };
    }
    super(module, counted);
    instances += 1;
    memory = this.exports.memory;
  }
};
const { Cert, identify } = await import('@assay/cert');
// The first use compiles the WebAssembly.
identify({ type: 'object', properties: {} });
WebAssembly.Instance = Instance;

const schema = { type: 'object', properties: { a: {}, l: { type: 'array', items: { type: 'object', properties: { b: {} } } } } };
const data = { a: 'x', l: Array.from({ length: 50 }, (_, b) => ({ b })) };

for (const [name, noncer] of [
  ['public', undefined],
  ['keyed', { secret: 'a secret of the issuer' }],
]) {
  test(`with ${name} nonces, the number of calls does not depend on the size of the data`, async () => {
    const cert = new Cert({ schema, noncer });
    const counted = [];
    for (const one of [{ a: 'x', l: [{ b: 0 }] }, data]) {
      calls = 0;
      const imprint = await cert.imprint(one);
      const proofs = await cert.notarize(one);
      await cert.disclose(one, [['l', 0]]);
      assert.equal(await cert.calculate(one, proofs), imprint);
      assert.equal((await cert.verify(one, proofs, imprint)).valid, true);
      cert.expose(one, [['a']]);
      counted.push(calls);
    }
    assert.equal(counted[0], counted[1]);
    // Packing the input, unpacking the result and creating the promise.
    assert.ok(counted[0] > 10 && counted[0] < 40, String(counted));
  });
}

test('the calls of imports were counted', () => {
  assert.equal(instances, 1);
  assert.ok(imported > 0);
});

test('every import has a known name, and every operation its own function', () => {
  assert.deepEqual(unnamed, []);
  const named = ['identify', 'imprint', 'notarize', 'disclose', 'calculate', 'verify', 'judge', 'expose', 'uncovered', 'paths'];
  const found = operations.filter((name) => name.startsWith('cert_')).map((name) => name.slice('cert_'.length));
  assert.deepEqual(found.toSorted(), ['new', ...named].toSorted());
});

test('no bytes of a secret remain in WebAssembly memory', async () => {
  for (const length of [16, 32, 100, 5000]) {
    const secret = Buffer.from(Array.from({ length }, (_, at) => 33 + ((at * 31 + length) % 90)));
    const certs = [new Cert({ schema, noncer: { secret } }), new Cert({ schema, noncer: { secret, assetId: '100' } })];
    assert.throws(() => new Cert({ schema: {}, noncer: { secret } }), { code: 'schema-root-not-object' });
    for (const cert of certs) {
      await cert.notarize(data);
    }
    assert.equal(Buffer.from(memory.buffer).indexOf(secret.subarray(0, 16)), -1, `${length} bytes`);
  }
});
