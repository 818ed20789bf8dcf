// The README's examples run, and say what is true.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import * as library from '@assay/cert';

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);

/** Runs a block; each line that ends in a comment with a value has to have that value. */
async function run(code, scope) {
  let checked = 0;
  const check = (actual, expected) => {
    checked += 1;
    assert.deepEqual(actual, expected);
  };
  const body = code
    .replaceAll(/^import .*$/gm, '')
    .replaceAll(/^const (\w+) = (.*); \/\/ ([[{].*)$/gm, 'const $1 = $2; check($1, $3);')
    .replaceAll(/^(\(.*); \/\/ (.*)$/gm, 'check($1, $2);');
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction('check', ...Object.keys(scope), body)(check, ...Object.values(scope));
  return checked;
}

test('examples', async () => {
  assert.equal(blocks.length, 2);
  assert.equal(await run(blocks[0], { Cert: library.Cert }), 3);
  const schema = { type: 'object', properties: {} };
  await run(blocks[1], { Cert: library.Cert, schema });
});
