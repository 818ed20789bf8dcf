// Finds a method that is missing in the list of asynchronous methods (src/holding.js) or in the README.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import * as aih1 from '@assay/cert';
import * as aih2 from '@assay/cert/aih2';
import * as verifier from '@assay/cert/verify';

const read = (path) => readFile(new URL(path, import.meta.url), 'utf8');
const readme = await read('../README.md');

for (const [entry, { Cert }, folder, isDocumented] of [
  ['@assay/cert', aih1, '../dist/', true],
  ['@assay/cert/aih2', aih2, '../aih2/dist/'],
  ['@assay/cert/verify', verifier, '../verify/dist/'],
]) {
  const types = await read(`${folder}index.d.ts`);
  const declared = new Map([...types.matchAll(/^ {4}(\w+)\(.*\): (.*);$/gm)].map(([, name, type]) => [name, type.startsWith('Promise<')]));
  declared.delete('free');

  test(`${entry}: every method is declared`, () => {
    const methods = Object.getOwnPropertyNames(Cert.prototype).filter((name) => !['constructor', 'free'].includes(name));
    assert.ok(methods.length > 1);
    assert.deepEqual(methods.toSorted(), [...declared.keys()].toSorted());
  });

  test(`${entry}: a method that is declared to return a promise fails by rejecting`, async () => {
    for (const [name, isPromise] of declared) {
      const call = () => Cert.prototype[name].call({});
      if (isPromise) {
        await assert.rejects(call(), { code: 'option-invalid' }, name);
      } else {
        assert.throws(call, { code: 'option-invalid' }, name);
      }
    }
  });

  if (isDocumented) {
    test(`${entry}: the README has a row for every method`, () => {
      for (const name of declared.keys()) {
        assert.match(readme, new RegExp(`^\\| \`${name}\\(`, 'm'), name);
      }
    });
  }
}
