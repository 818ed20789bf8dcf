// The ways to load the package.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';

const SCRIPT = `
  const assert = require('node:assert/strict');
  const schema = { type: 'object', properties: {} };
  const bytes = require('node:fs').readFileSync(require.resolve('@assay/cert/cert_bg.wasm'));
`;

/** Runs a CommonJS script in a separate process, so that nothing is loaded yet. */
async function run(script, ...flags) {
  const cwd = new URL('.', import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', SCRIPT + script], { cwd });
  return stdout.trim();
}

test('use before loading fails with instructions', async () => {
  const code = await run(`import('@assay/cert/init').then(({ Cert, identify }) => {
    assert.throws(() => new Cert({ schema }), { name: 'CertError', code: 'not-initialized', message: /await init\\(\\)/ });
    assert.throws(() => identify(schema), { code: 'not-initialized' });
    console.log('ok');
  })`);
  assert.equal(code, 'ok');
});

for (const [name, load] of Object.entries({
  bytes: 'await init(bytes)',
  'a compiled module': 'await init(new WebAssembly.Module(bytes))',
  'a promise of a response': "await init(Promise.resolve(new Response(bytes, { headers: { 'content-type': 'application/wasm' } })))",
  'a response of a type with parameters': "await init(new Response(bytes, { headers: { 'content-type': 'application/wasm; charset=utf-8' } }))",
  'bytes, synchronously': 'initSync(bytes)',
  'the file beside its modules': `
    globalThis.fetch = async (url) => {
      assert.match(String(url), /^file:.*\\/dist\\/cert_bg\\.wasm$/);
      return new Response(bytes, { headers: { 'content-type': 'application/wasm' } });
    };
    await init()`,
  'bytes that are passed repeatedly': 'await Promise.all([init(bytes), init(bytes)]); await init(); initSync(bytes)',
})) {
  test(`the package loads from ${name}`, async () => {
    const id = await run(`import('@assay/cert/init').then(async ({ Cert, init, initSync }) => {
      ${load};
      console.log(new Cert({ schema }).identify());
    })`);
    assert.match(id, /^0x[0-9a-f]{64}$/);
  });
}

test('concurrent loads share one instance', async () => {
  const said = await run(`import('@assay/cert/init').then(async ({ Cert, init }) => {
    let instances = 0;
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = (...parameters) => (instances += 1, instantiate(...parameters));
    const slow = new Promise((resolve) => setTimeout(resolve, 50, bytes));
    const other = init(slow);
    await init(bytes);
    const cert = new Cert({ schema });
    const before = await cert.imprint({});
    await other;
    assert.equal(await cert.imprint({}), before);
    console.log(instances);
  })`);
  assert.equal(said, '1');
});

for (const [entry, file, use] of [
  ['@assay/cert/init', '@assay/cert/cert_bg.wasm', '{ const cert = new library.Cert({ schema }); return () => cert.identify(); }'],
  ['@assay/cert/aih2/init', '@assay/cert/aih2_bg.wasm', '{ const cert = new library.Cert({ schema }); return () => cert.identify(); }'],
  ['@assay/cert/verify/init', '@assay/cert/verify_bg.wasm', '{ const cert = new library.Cert({ schema }); return () => typeof cert.verify; }'],
  ['@assay/validate/init', '@assay/validate/validate_bg.wasm', "{ const one = new library.Validator({ type: 'integer' }); return () => one.validate('1').length; }"],
]) {
  test(`${entry}: objects survive a synchronous load during an asynchronous one`, async () => {
    const said = await run(`import('${entry}').then(async (library) => {
      const bytes = require('node:fs').readFileSync(require.resolve('${file}'));
      const slow = library.init(new Promise((resolve) => setTimeout(resolve, 50, bytes)));
      library.initSync(bytes);
      const use = (() => ${use})();
      const before = use();
      await slow;
      assert.equal(use(), before);
      for (let count = 0; count < 1000; count += 1) {
        assert.equal((() => ${use})()(), before);
      }
      assert.equal(use(), before);
      console.log('ok');
    })`);
    assert.equal(said, 'ok');
  });

  test(`${entry}: under the condition development, the modules contain the WebAssembly`, async () => {
    const said = await run(
      `import('${entry}').then(async (library) => {
        globalThis.fetch = () => assert.fail('nothing is fetched');
        await library.init();
        (() => ${use})()();
        console.log('ok');
      })`,
      '--conditions=development',
    );
    assert.equal(said, 'ok');
  });

  test(`${entry}: an answer that is not WebAssembly is a clear error`, async () => {
    const said = await run(`import('${entry}').then(async ({ init }) => {
      const answer = (body, status) => Object.defineProperty(new Response(body, { status }), 'url', { value: 'https://example.com/x.wasm' });
      await assert.rejects(init(answer('<!doctype html>', 200)), { name: 'CertError', code: 'not-initialized', message: /^the WebAssembly is not loaded: https:..example.com.x.wasm is something else/ });
      await assert.rejects(init(answer('', 404)), { code: 'not-initialized', message: /^the WebAssembly is not loaded: https:..example.com.x.wasm answers 404/ });
      console.log('ok');
    })`);
    assert.equal(said, 'ok');
  });
}

test('loading can be retried after a failure', async () => {
  const said = await run(`import('@assay/cert/init').then(async ({ Cert, init }) => {
    await assert.rejects(init(Promise.reject(new Error('offline'))), /offline/);
    assert.throws(() => new Cert({ schema }), { code: 'not-initialized' });
    await init(bytes);
    console.log(new Cert({ schema }).identify());
  })`);
  assert.match(said, /^0x/);
});

test('an error of any entry is a CertError, in both module systems', async () => {
  const check = `
    for (const make of [() => new Cert({}), () => new Validator({ type: 5 })]) {
      assert.throws(make, (error) => error instanceof CertError && error instanceof Error && !(new Error('x') instanceof CertError));
    }
    for (const other of [undefined, null, 'CertError', { name: 'CertError' }]) assert.ok(!(other instanceof CertError));
    console.log('ok')`;
  assert.equal(await run(`const { Cert, CertError } = require('@assay/cert'); const { Validator } = require('@assay/validate'); ${check}`), 'ok');
  assert.equal(await run(`Promise.all([import('@assay/cert'), import('@assay/validate')]).then(([{ Cert, CertError }, { Validator }]) => {${check}})`), 'ok');
});

test('importing the package compiles nothing', async () => {
  const said = await run(`
    let compiled = 0;
    const { Module } = WebAssembly;
    WebAssembly.Module = class extends Module {
      constructor(bytes) {
        super(bytes);
        compiled += 1;
      }
    };
    import('@assay/cert').then(({ Cert }) => {
      const before = compiled;
      new Cert({ schema });
      new Cert({ schema });
      console.log(before, compiled);
    })`);
  assert.equal(said, '0 1');
});

test('a host that does not compile WebAssembly gets one error, which names the README', async () => {
  const said = await run(`
    delete globalThis.WebAssembly;
    import('@assay/cert').then(async ({ Cert, init }) => {
      const error = { name: 'CertError', code: 'not-initialized', message: /WebAssembly.*see "Hosts" in the README/ };
      assert.throws(() => new Cert({ schema }), error);
      await assert.rejects(init(), error);
      console.log('ok');
    })`);
  assert.equal(said, 'ok');
});

test('a host without encoders imports the package, and its use fails with a reason', async () => {
  const said = await run(`
    delete globalThis.TextEncoder;
    delete globalThis.TextDecoder;
    process.getBuiltinModule = undefined;
    import('@assay/cert').then(({ Cert }) => {
      assert.throws(() => new Cert({ schema: { type: 'object', properties: { ä: {} } } }), /this host has no .TextEncoder./);
      console.log('ok');
    })`);
  assert.equal(said, 'ok');
});

test('both module systems load the WebAssembly by themselves', async () => {
  assert.equal(await run(`const { Cert, init } = require('@assay/cert'); init().then(() => console.log(typeof new Cert({ schema }).imprint))`), 'function');
  assert.equal(await run(`import('@assay/cert').then(({ Cert }) => console.log(typeof new Cert({ schema }).imprint))`), 'function');
});

test('every file named in package.json exists', async () => {
  const root = new URL('../', import.meta.url);
  const manifest = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const files = JSON.stringify(manifest.exports).match(/\.\/[^"]+\.(?:js|cjs|ts|cts|wasm|json)(?=")/g);
  assert.ok(files.length > 10);
  for (const file of files.filter((file) => !/^\.\/\w+_bg/.test(file))) {
    await readFile(new URL(file, root));
  }
});
