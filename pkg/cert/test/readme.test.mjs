// Runs the README's examples and checks their results. An example with a file name is for one host, and tests/packages runs it there.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as library from '@assay/cert';
import * as aih2 from '@assay/cert/aih2';
import * as conventions from '@assay/cert/conventions';

const AsyncFunction = (async () => {}).constructor;
const read = (path) => readFile(new URL(path, import.meta.url), 'utf8');
const readme = await read('../README.md');
const types = await read('../dist/index.d.ts');

test('the examples have the stated results', async () => {
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
  const [first, ...others] = blocks.filter((code) => !/^\/\/ \S+\.[a-z]+\n/.test(code));
  assert.equal(others.length, 4);
  let checked = 0;
  const check = (actual, expected) => {
    checked += 1;
    assert.deepEqual(actual, expected);
  };
  let made;
  const give = (...given) => (made = given);
  // The other examples use the variables of the first one. A line that ends in a comment with a value must have that value.
  const body = [first, 'give(schema, data, proofs);', ...others.map((code) => `{\n${code}}\n`)]
    .join('')
    .replaceAll(/^import (\{.*\}) from '(.*)';$/gm, "const $1 = modules['$2'];")
    .replaceAll(/^const (\w+) = (.*); \/\/ ([[{].*)$/gm, 'const $1 = $2; check($1, $3);')
    .replaceAll(/^(?!const )(\S.*); \/\/ (.*)$/gm, 'check($1, $2);');
  const modules = { '@assay/cert': library, '@assay/cert/aih2': aih2, '@assay/cert/conventions': conventions };
  const scope = { modules, check, give };
  await new AsyncFunction(...Object.keys(scope), body)(...Object.values(scope));
  assert.equal(checked, 10);

  // The first sample's hidden values cannot be guessed: no published hash matches the true value under public nonces.
  const [schema, data, proofs] = made;
  const hashes = (proofs) => proofs.flatMap(({ nodes }) => nodes.map(({ hash }) => hash));
  const guessed = new Set(hashes(await new library.Cert({ schema }).notarize(data)));
  assert.ok(hashes(proofs).length > 0);
  assert.deepEqual(
    hashes(proofs).filter((hash) => guessed.has(hash)),
    [],
  );
});

test('evidence of each profile is verified by its entry, and only proven values are shown', async () => {
  const code = /^\/\/ either\.js\n(.*?)^```$/ms.exec(readme)[1];
  const verify = await new AsyncFunction(`${code.replace('export ', '')} return verify;`)();
  const schema = { type: 'object', properties: { name: {}, born: {} } };
  const [data, document, paths] = [{ name: 'Ada', born: 1815 }, { name: 'Ada' }, [['name']]];
  const first = new library.Cert({ schema });
  const second = new aih2.Cert({ schema, key: aih2.generateKey() });
  const proofs = await first.disclose(data, paths);
  for (const [cert, evidence, alone] of [
    [first, proofs],
    [first, conventions.evidence(proofs)],
    [second, await second.disclose(data, paths), true],
    [second, await second.disclose(data, paths, { detached: true })],
  ]) {
    const imprint = await cert.imprint(data);
    const refused = { valid: false, document: null };
    assert.deepEqual(await verify({ schema, document, evidence, imprint }), { valid: true, document });
    // An asset that the schema does not name.
    assert.deepEqual(await verify({ schema, document, evidence, imprint, asset: { ledgerId: `0x${'ab'.repeat(20)}`, assetId: '1' } }), { valid: true, document });
    assert.deepEqual(await verify({ schema, document, evidence, imprint: 'ab'.repeat(32) }), refused);
    for (const forged of [{ name: 'Eve' }, { ...document, born: 1815 }]) {
      assert.deepEqual(await verify({ schema, document: forged, evidence, imprint }), refused);
    }
    if (alone) {
      assert.deepEqual(await verify({ schema, evidence, imprint }), { valid: true, document });
    }
  }
  // Under AIH-1, a valid document may have uncertified values that its schema does not describe. They are not part of the result.
  const more = await verify({ schema, document: { ...document, price: 0 }, evidence: proofs, imprint: await first.imprint(data) });
  assert.deepEqual(more, { valid: true, document });
});

for (const [what, said, files] of [
  ['the WebAssembly of a page', /(\d+) KB of WebAssembly/, ['dist/cert_bg.wasm']],
  ['AIH-2', /entry for AIH-2 has (\d+) KB/, ['aih2/dist/aih2_bg.wasm', 'aih2/dist/aih2_bg.js']],
  ['the verifier', /that only verifies has (\d+) KB/, ['verify/dist/verify_bg.wasm', 'verify/dist/verify_bg.js']],
]) {
  test(`the README states the size: ${what}`, async () => {
    const sizes = files.map(async (file) => gzipSync(await readFile(new URL(`../${file}`, import.meta.url)), { level: 9 }).length);
    const size = (await Promise.all(sizes)).reduce((sum, size) => sum + size) / 1000;
    const kilobytes = Number(said.exec(readme)[1]);
    // The scripts that all entries share are not counted here.
    assert.ok(Math.abs(size - kilobytes) < size / 10, `${size} KB`);
  });
}

/** Returns the codes of a union type, including the union types that it refers to. */
function union(name) {
  const [, members] = new RegExp(`export type ${name} =([^;]*);`).exec(types);
  const others = [...members.matchAll(/\| (\w+)/g)].flatMap(([, other]) => union(other));
  return [...others, ...members.match(/[a-z]+(-[a-z]+)+/g)];
}

test('the types and the table list every error code', async () => {
  const core = [...(await read('../../../cert-core/src/error.rs')).matchAll(/Self::\w+ => "([a-z-]+)"/g)].map(([, code]) => code);
  const own = ['cert-freed', 'not-initialized'];
  assert.ok(core.length > 10);
  assert.deepEqual(union('CertErrorCode').toSorted(), [...core, ...own].toSorted());
  const table = readme.split('## Errors')[1].split('\n## ')[0];
  const told = [...table.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, codes]) => codes.match(/[a-z-]+[a-z]/g));
  assert.deepEqual(told.toSorted(), union('CertErrorCode').toSorted());
});

test('the types list every reason', async () => {
  const core = [...(await read('../../../cert-core/src/verify/report.rs')).matchAll(/Self::\w+ => "([a-z-]+)"/g)].map(([, code]) => code);
  const statuses = ['proven', 'not-proven', 'not-covered'];
  assert.deepEqual([...new Set([...union('ReasonCode'), ...statuses])].toSorted(), [...new Set(core)].toSorted());
});
