// Runs the vectors in each of Node's module systems.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as esm from '@assay/cert';
import { byPath, cases } from './support.mjs';

const commonjs = createRequire(import.meta.url)('@assay/cert');

for (const [name, { Cert, identify }] of Object.entries({ esm, commonjs })) {
  test(`${name}: the ids of schemas equal the vectors`, () => {
    for (const { schema, schemaId } of cases('reference.json')) {
      const cert = new Cert({ schema });
      assert.equal(cert.identify(), `0x${schemaId.literal}`);
      assert.equal(cert.identify({ sorted: true }), `0x${schemaId.sorted}`);
      assert.equal(identify(schema), `0x${schemaId.literal}`);
      assert.equal(identify(schema, { sorted: true }), `0x${schemaId.sorted}`);
    }
  });

  test(`${name}: imprints and full proofs equal the vectors`, async () => {
    for (const { schema, data, imprint, notarize } of cases('reference.json')) {
      const cert = new Cert({ schema });
      assert.equal(await cert.imprint(data), imprint);
      const proofs = await cert.notarize(data);
      assert.deepEqual(byPath(proofs), byPath(notarize));
      for (const [path, proof] of byPath(notarize)) {
        assert.equal(JSON.stringify(byPath(proofs).get(path)), JSON.stringify(proof));
      }
      assert.equal(await cert.calculate(data, proofs), imprint);
      assert.equal(await cert.calculate(data, { $schema: 'x', data: proofs }), imprint);
      const report = await cert.verify(data, proofs, imprint);
      assert.equal(report.valid, true);
      assert.equal(report.imprint, imprint);
      assert.deepEqual(report.reasons, []);
      assert.ok(report.lists.every(({ complete }) => complete));
    }
  });

  test(`${name}: disclosed proofs and exposed data equal the vectors`, async () => {
    let sets = 0;
    for (const { schema, data, imprint, disclose, compound, arraysOver10 } of cases('reference.json')) {
      const cert = new Cert({ schema });
      for (const { paths, proofs, expose } of compound ? [...disclose, compound] : disclose) {
        const exposed = cert.expose(data, paths);
        assert.equal(JSON.stringify(exposed), JSON.stringify(expose));
        const disclosed = await cert.disclose(data, paths);
        if (proofs && !arraysOver10) {
          assert.deepEqual(byPath(disclosed), byPath(proofs));
          assert.equal(await cert.calculate(exposed, proofs), imprint);
        }
        assert.equal(await cert.calculate(exposed, disclosed), imprint);
        sets += 1;
      }
    }
    assert.equal(sets, 287);
  });

  test(`${name}: the forgeries of the vectors are refused`, async () => {
    const forged = cases('forged.json');
    assert.equal(forged.length, 111);
    for (const { name: forgery, schema, data, proofs, imprint } of forged) {
      const cert = new Cert({ schema });
      assert.notEqual(await cert.calculate(data, proofs), imprint, forgery);
      const report = await cert.verify(data, proofs, imprint);
      assert.equal(report.valid, false, forgery);
      const reasons = [...report.reasons, ...report.entries.filter(({ status }) => status !== 'proven')];
      assert.ok(reasons.length > 0, forgery);
    }
  });
}
