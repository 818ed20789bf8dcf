// Packs the package as for publication, unpacks it elsewhere, and checks its files, types and sizes there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';

const PACKAGE = fileURLToPath(new URL('../', import.meta.url));
const read = (name) => readFile(path.join(installed, name), 'utf8');

let home;
let installed;
before(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'assay-elements-'));
  installed = path.join(home, 'node_modules/@assay/elements');
  await mkdir(installed, { recursive: true });
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], { cwd: PACKAGE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  execFileSync('tar', ['-xzf', path.join(home, filename), '--strip-components=1', '-C', installed]);
});
// If no test is selected, `before` may not have set `home`.
after(() => home && rm(home, { recursive: true, force: true }));

test('the package has its licences and all its exports, and no tests', async () => {
  const files = (await readdir(installed, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath, path: folder }) => path.relative(installed, path.join(parentPath ?? folder, name)));
  assert.deepEqual(
    files.filter(
      (name) =>
        !/^(dist\/(plain\/)?[a-z-]+\.c?js|dist\/[a-z]+\.d\.cts|dist\/LICENSE-(APACHE|MIT)|(attributes|index|badge|certificate|react|svelte|vue)\.d\.ts|(badge|certificate)\.js|README\.md|(package|custom-elements)\.json)$/.test(
          name,
        ),
    ),
    [],
  );
  for (const licence of ['dist/LICENSE-APACHE', 'dist/LICENSE-MIT']) assert.ok(files.includes(licence));
  const manifest = JSON.parse(await read('package.json'));
  const named = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(named));
  for (const name of [...named(manifest.exports), manifest.types]) assert.ok(files.includes(path.normalize(name)), name);
});

test("the package depends on this tree's version of @assay/cert", async () => {
  const [own, library] = await Promise.all([read('package.json'), readFile(new URL('../../cert/package.json', import.meta.url), 'utf8')]);
  assert.deepEqual(JSON.parse(own).dependencies, { '@assay/cert': JSON.parse(library).version });
});

test('the badge imports no other module, and the certificate only its check', async () => {
  const importsOf = (source) => [...source.matchAll(/(?:\bfrom|\bimport\(?)\s*"([^"]+)"/g)].map(([, name]) => name);
  for (const folder of ['dist', 'dist/plain']) {
    assert.deepEqual(importsOf(await read(`${folder}/badge.js`)), []);
    assert.deepEqual(importsOf(await read(`${folder}/certificate.js`)), ['./check-here.js']);
  }
  assert.deepEqual(importsOf(await read('dist/check-here.js')).sort(), ['@assay/cert', '@assay/cert/verify']);
  assert.deepEqual(importsOf(await read('dist/plain/check-here.js')).sort(), ['../cert/src/init.js', '../cert/verify/src/init.js']);
});

test('no module evaluates text as code or markup', async () => {
  for (const name of ['badge', 'certificate', 'check-here'])
    assert.doesNotMatch(await read(`dist/${name}.js`), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\.style\b|createObjectURL/, name);
});

test('the README says how much a page loads', async () => {
  const [, badge, certificate, check] = /has (\d+) KB gzipped\.\n.*has (\d+) KB gzipped\. .*\n +(\d+) KB of its own code/.exec(await read('README.md'));
  for (const [name, said] of [
    ['badge', badge],
    ['certificate', certificate],
    ['check-here', check],
  ]) {
    const is = gzipSync(await readFile(path.join(installed, `dist/${name}.js`)), { level: 9 }).length / 1024;
    assert.ok(is <= Number(said) && is > Number(said) - 1.5, `${name}: the README says ${said} KB, the file has ${is} KB`);
  }
});

const { ESNext, Node16 } = ts.ModuleKind;
for (const [name, module, moduleResolution] of [
  ['use.mts', Node16, ts.ModuleResolutionKind.Node16],
  ['use.ts', ESNext, ts.ModuleResolutionKind.Bundler],
]) {
  test(`the types compile with ${name}`, async () => {
    const file = path.join(home, name);
    await copyFile(new URL('elements.test-d.ts', import.meta.url), file);
    const program = ts.createProgram([file], {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: [],
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      module,
      moduleResolution,
    });
    assert.deepEqual(
      ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
      [],
    );
  });
}
