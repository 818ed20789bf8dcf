// Compares the published conventions in both module systems with their source.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Cert, identify } from '@assay/cert';
import * as esm from '@assay/cert/conventions';

const commonjs = createRequire(import.meta.url)('@assay/cert/conventions');
const texts = new URL('../../../cert-core/conventions/', import.meta.url);

for (const [name, { assetEvidence, baseAsset, convention, conventions, digitalCollectible, evidence }] of Object.entries({ esm, commonjs })) {
  test(`${name}: the module has every published text, with both of its ids`, async () => {
    const files = (await readdir(texts)).filter((file) => file.endsWith('.json'));
    assert.equal(conventions.length, files.length);
    const left = new Map(await Promise.all(files.map(async (file) => [(await readFile(new URL(file, texts), 'utf8')).trimEnd(), file])));
    for (const { number, id, sortedId, schema } of conventions) {
      const file = left.get(JSON.stringify(schema));
      assert.ok(file?.startsWith(`${number}-`), file);
      left.delete(JSON.stringify(schema));
      assert.deepEqual([identify(schema), identify(schema, { sorted: true })], [id, sortedId]);
      assert.ok(new Cert({ schema }));
    }
  });

  test(`${name}: a convention is found in its newest version, or by id in any version`, () => {
    assert.deepEqual(
      [baseAsset, assetEvidence, digitalCollectible].map(({ number }) => number),
      [86, 87, 88],
    );
    // From the npm package `@0xcert/conventions` 2.1.1.
    assert.deepEqual(
      [baseAsset, assetEvidence, digitalCollectible].map(({ schema }) => schema.title),
      ['Base Asset', 'Asset evidence', 'Crypto Collectible'],
    );
    for (const known of conventions) {
      assert.equal(convention(known.sortedId), known);
      assert.equal(convention(`0x${known.id.slice(2).toUpperCase()}`), known);
    }
    for (const id of ['', '0x', `${baseAsset.id}0`, undefined, '__proto__']) assert.equal(convention(id), undefined);
    const { properties } = baseAsset.schema;
    for (const part of [conventions, baseAsset, baseAsset.schema, properties, properties.name]) assert.ok(Object.isFrozen(part));
  });

  test(`${name}: proofs become evidence`, async () => {
    const cert = new Cert({ schema: baseAsset.schema });
    const data = { name: 'Nighthawks', description: 'A painting', image: 'https://gallery.example/1.jpg' };
    const proofs = await cert.disclose(data, [['name']]);
    const file = evidence(proofs);
    assert.deepEqual(Object.keys(file), Object.keys(assetEvidence.schema.properties));
    assert.deepEqual(file, { $schema: 'https://conventions.0xcert.org/87-asset-evidence.json', data: proofs });
    assert.equal(await cert.calculate({ name: data.name }, JSON.parse(JSON.stringify(file))), await cert.imprint(data));
    assert.equal(evidence(proofs, { $schema: 'https://gallery.example/87.json' }).$schema, 'https://gallery.example/87.json');
    for (const wrong of [undefined, file, Promise.resolve(proofs)]) {
      assert.throws(() => evidence(wrong), { name: 'CertError', code: 'option-invalid' });
    }
  });
}
