// Runs the vectors of AIH-2 in each of Node's module systems, and through the entry that only verifies.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as esm from '@assay/cert/aih2';
import * as verifier from '@assay/cert/verify';
import { cases, keys, unordered, value } from './support.mjs';

const require = createRequire(import.meta.url);
const entries = { esm, commonjs: require('@assay/cert/aih2') };
const verifiers = { ...entries, verifier, 'commonjs verifier': require('@assay/cert/verify') };
const disclosed = cases.filter(({ kind, valid }) => kind === 'disclose' && valid);

for (const [name, { Cert }] of Object.entries(entries)) {
  test(`${name}: imprints equal the vectors`, async () => {
    let count = 0;
    for (const { schema, schemaId, data, imprint, ...rest } of disclosed) {
      for (const options of keys(rest)) {
        const cert = new Cert({ schema, ...options });
        assert.equal(cert.identify(), schemaId);
        assert.equal(await cert.imprint(data), imprint, rest.name);
        count += 1;
      }
    }
    assert.ok(count > 120, String(count));
  });

  test(`${name}: evidence equals the vectors to the byte`, async () => {
    let reduced = 0;
    const same = (made, of, title) => {
      assert.equal(made.proof, of.evidence.proof, title);
      assert.deepEqual(unordered(made.values), unordered(of.values), title);
    };
    for (const one of disclosed) {
      const { schema, data, paths, document, evidence, name: title } = one;
      for (const options of keys(one)) {
        const issuer = new Cert({ schema, ...options });
        assert.deepEqual(await issuer.disclose(data, paths, { detached: true }), evidence, title);
        same(await issuer.disclose(data, paths), one, title);
        assert.deepEqual(issuer.expose(data, paths), document, title);
        const holder = new Cert({ schema });
        const whole = await issuer.notarize(data);
        assert.deepEqual(await holder.reduce(data, whole, paths, { detached: true }), evidence, title);
      }
      const { reduce } = one;
      if (reduce) {
        const holder = new Cert({ schema });
        assert.deepEqual(await holder.reduce(document, evidence, reduce.paths, { detached: true }), reduce.evidence, title);
        same(await holder.reduce({ ...evidence, values: one.values }, reduce.paths), reduce, title);
        assert.deepEqual(holder.expose(document, reduce.paths), reduce.document, title);
        reduced += 1;
      }
    }
    assert.ok(reduced > 20, String(reduced));
  });

  test(`${name}: certifying fails as in the vectors`, async () => {
    let count = 0;
    const attempt = async (one) => {
      const schema = value(one, 'schema');
      if (one.kind === 'reduce') {
        return new Cert({ schema }).reduce(value(one, 'document'), value(one, 'evidence'), one.paths);
      }
      const options = keys(one);
      for (const key of options.length > 0 ? options : [{}]) {
        const cert = new Cert({ schema, ...key });
        await cert.notarize(value(one, 'data'));
        if (one.kind === 'disclose') {
          await cert.disclose(value(one, 'data'), one.paths);
        }
      }
    };
    for (const one of cases.filter(({ kind, valid }) => kind !== 'verify' && !valid)) {
      await assert.rejects(attempt(one), { name: 'CertError', code: one.code }, one.name);
      count += 1;
    }
    assert.ok(count > 30, String(count));
  });
}

for (const [name, { Cert }] of Object.entries(verifiers)) {
  test(`${name}: evidence is verified`, async () => {
    for (const one of disclosed) {
      const cert = new Cert({ schema: one.schema });
      for (const part of [one, ...(one.reduce ? [one.reduce] : [])]) {
        const { document, evidence, values } = part;
        const attached = { ...evidence, values };
        const reports = [await cert.verify(document, evidence, one.imprint), await cert.verify(attached, one.imprint), await cert.verify(document, attached, one.imprint)];
        for (const report of reports) {
          assert.deepEqual([report.valid, report.imprint, report.errors, report.document], [true, one.imprint, [], document], one.name);
          for (const list of ['absent', 'objects', 'lists']) {
            assert.deepEqual(unordered(report[list]), unordered(part[list]), `${one.name}: ${list}`);
          }
          assert.deepEqual(unordered(report.entries), unordered(reports[0].entries), one.name);
        }
        assert.equal(await cert.calculate(document, evidence), one.imprint);
        assert.equal(await cert.calculate(attached), one.imprint);
      }
    }
  });

  test(`${name}: evidence is refused as in the vectors`, async () => {
    let count = 0;
    const attempt = async (one) => {
      const cert = new Cert({ schema: value(one, 'schema') });
      const [document, evidence] = [value(one, 'document'), value(one, 'evidence')];
      return 'document' in one ? cert.verify(document, evidence, one.imprint) : cert.verify(evidence, one.imprint);
    };
    for (const one of cases.filter(({ kind }) => kind === 'verify')) {
      const report = await attempt(one).catch(({ code }) => ({ valid: false, errors: [{ code }] }));
      assert.equal(report.valid, one.valid, one.name);
      assert.equal(report.errors[0]?.code, one.code, one.name);
      count += 1;
    }
    assert.ok(count > 60, String(count));
  });
}
