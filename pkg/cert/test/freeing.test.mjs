// Freed, copied and foreign objects, for each class of the package in each of Node's module systems.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as cert from '@assay/cert';
import * as aih2 from '@assay/cert/aih2';
import * as validate from '@assay/validate';
import * as verify from '@assay/cert/verify';

const require = createRequire(import.meta.url);
const schema = { type: 'object', properties: { name: { type: 'string' } } };
const ASYNCHRONOUS = ['imprint', 'notarize', 'disclose', 'reduce', 'calculate', 'verify', 'judge'];

const make = ({ Cert, Validator }) => (Cert ? new Cert({ schema }) : new Validator(schema));
/** Returns the documented methods: all except the constructor and the two methods that free. */
const methods = (object) => Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter((name) => !['constructor', 'free'].includes(name));

/** Checks that a method called on `object` fails with a code. Asynchronous methods must reject. */
async function refuses(object, name, own, code) {
  const call = () => own[name].call(object, {}, [], '');
  if (ASYNCHRONOUS.includes(name)) {
    // The call itself does not throw.
    await assert.rejects(call(), { name: 'CertError', code });
  } else {
    assert.throws(call, { name: 'CertError', code });
  }
}

for (const [entry, esm] of Object.entries({ cert, aih2, verify, validate })) {
  for (const [host, library] of [
    ['module', esm],
    ['CommonJS', require({ cert: '@assay/cert', validate: '@assay/validate' }[entry] ?? `@assay/cert/${entry}`)],
  ]) {
    test(`${entry}, ${host}: every method of a freed object fails with cert-freed`, async () => {
      const object = make(library);
      assert.ok(methods(object).length > 0);
      object.free();
      for (const name of methods(object)) {
        await refuses(object, name, object, 'cert-freed');
      }
      // Freeing twice is not an error: a block with `using` frees again at its end.
      assert.equal(object.free(), undefined);
    });

    test(`${entry}, ${host}: methods refuse foreign objects`, async () => {
      const object = make(library);
      const other = make(entry === 'aih2' ? cert : aih2);
      for (const foreign of [other, structuredClone(object), Object.create(object), Object.create(Object.getPrototypeOf(object)), { __wbg_ptr: 1_050_000 }, {}, null, undefined, 1]) {
        for (const name of methods(object)) {
          await refuses(foreign, name, object, 'option-invalid');
        }
        assert.throws(() => object.free.call(foreign), { name: 'CertError', code: 'option-invalid' });
      }
    });

    test(`${entry}, ${host}: an object exposes no pointer that could be changed`, async () => {
      const object = make(library);
      assert.deepEqual(Reflect.ownKeys(object), []);
      object.__wbg_ptr = 0;
      const { name } = object.constructor;
      assert.equal(name, library.Cert ? 'Cert' : 'Validator');
      await (library.Cert ? object.verify({}, {}, 'ab'.repeat(32)) : object.validate({}));
      assert.deepEqual(Object.keys(Object.getPrototypeOf(object)), []);
    });

    test(`${entry}, ${host}: \`using\` frees`, { skip: Symbol.dispose === undefined }, async () => {
      const object = make(library);
      object[Symbol.dispose]();
      for (const name of methods(object)) {
        await refuses(object, name, object, 'cert-freed');
      }
    });
  }
}

test('freeing an object does not affect its running operations', async () => {
  const hasher = async (value) => `${value}`.padEnd(64, '0').slice(0, 64);
  const object = new cert.Cert({ schema, hasher });
  const [begun, expected] = [object.imprint({ name: 'Ada' }), await new cert.Cert({ schema, hasher }).imprint({ name: 'Ada' })];
  object.free();
  assert.equal(await begun, expected);
});

test('a class may be extended', async () => {
  class Own extends aih2.Cert {
    identify() {
      return `own ${super.identify()}`;
    }
  }
  const own = new Own({ schema, key: aih2.generateKey() });
  assert.match(own.identify(), /^own 0x/);
  assert.match(await own.imprint({ name: 'Ada' }), /^aih2:/);
});
