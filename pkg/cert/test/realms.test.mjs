// Bytes of another realm, which `instanceof` refuses. In jsdom, Node's `Buffer` is of another realm.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import * as library from '@assay/cert';
import * as aih2 from '@assay/cert/aih2';

const other = createContext({});
const foreign = (code) => runInContext(`(() => { const bytes = new Uint8Array(32).fill(7); return ${code}; })()`, other);
const KINDS = {
  'a Uint8Array': foreign('bytes'),
  'an ArrayBuffer': foreign('bytes.buffer'),
  'a DataView': foreign('new DataView(bytes.buffer)'),
  'a part of a buffer': foreign('new Uint8Array([0, ...bytes, 0]).subarray(1, -1)'),
  'a Buffer': Buffer.alloc(32, 7),
};
const schema = { type: 'object', properties: { name: { type: 'string' } } };
const data = { name: 'Nighthawks' };
const own = new Uint8Array(32).fill(7);

/** The options that take bytes, as functions that return an imprint. */
const TAKERS = {
  'the secret of a noncer': (secret) => new library.Cert({ schema, noncer: { secret, assetId: '1' } }).imprint(data),
  'the key of a document': (key) => new aih2.Cert({ schema, key }).imprint(data),
  'the secret of an issuer': (secret) => new aih2.Cert({ schema, secret, assetId: '1' }).imprint(data),
};
for (const [name, imprint] of Object.entries(TAKERS)) {
  for (const [kind, bytes] of Object.entries(KINDS)) {
    test(`${name} may be ${kind}`, async () => assert.equal(await imprint(bytes), await imprint(own)));
  }

  test(`${name} has to be bytes`, () => {
    const detached = new ArrayBuffer(32);
    structuredClone(detached, { transfer: [detached] });
    for (const wrong of [{ [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 32 }, [1, 2], 32, detached, new SharedArrayBuffer(32)]) {
      assert.throws(() => imprint(wrong), { name: 'CertError' });
    }
  });
}

for (const [entry, file] of [
  ['@assay/cert/init', '@assay/cert/cert_bg.wasm'],
  ['@assay/cert/aih2/init', '@assay/cert/aih2_bg.wasm'],
  ['@assay/cert/verify/init', '@assay/cert/verify_bg.wasm'],
  ['@assay/validate/init', '@assay/validate/validate_bg.wasm'],
]) {
  for (const [kind, load] of Object.entries({
    bytes: 'await init(foreign("bytes"))',
    'a buffer': 'await init(foreign("bytes.buffer"))',
    'a compiled module': 'await init(foreign("new WebAssembly.Module(bytes)"))',
    'bytes, synchronously': 'initSync(foreign("new DataView(bytes.buffer)"))',
    'a compiled module, synchronously': 'initSync(foreign("new WebAssembly.Module(bytes)"))',
  })) {
    test(`${entry} loads from ${kind} of another realm`, async () => {
      const script = `
        const own = require('node:fs').readFileSync(require.resolve('${file}'));
        const { createContext, runInContext } = require('node:vm');
        const other = createContext({ own });
        const foreign = (code) => runInContext('(() => { const bytes = Uint8Array.from(own); return ' + code + '; })()', other);
        import('${entry}').then(async ({ Cert, Validator, init, initSync }) => {
          ${load};
          console.log(typeof (Cert ? new Cert({ schema: { type: 'object', properties: {} } }) : new Validator({})));
        });`;
      const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: new URL('.', import.meta.url) });
      assert.equal(stdout.trim(), 'object');
    });
  }
}
