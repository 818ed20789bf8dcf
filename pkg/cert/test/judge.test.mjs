// The verdict on the documents of an asset, by both profiles. The rules have tests in cert-core/tests/verdict.rs; these tests cover the conversion of records.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cert as First } from '@assay/cert';
import { Cert as Second } from '@assay/cert/aih2';
import { Cert as Verifier } from '@assay/cert/verify';

const ledgerId = '0x1111111111111111111111111111111111111111';
const OTHER = '0x2222222222222222222222222222222222222222';
const string = { type: 'string' };
const schema = { type: 'object', properties: { name: string, born: string, validUntil: string, ledgerId: string, assetId: string } };
const data = { name: 'Ada', born: '1815', validUntil: '2026-01-01', ledgerId, assetId: '1' };
const IDS = [['ledgerId'], ['assetId']];
const NOW = Date.parse('2025-06-01T00:00:00Z');
const [ISSUED, ENDED] = ['2024-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'];
const digits = (imprint) => imprint.replace('aih2:', '');

const PROFILES = {
  'AIH-1': { cert: new First({ schema }), verifier: new First({ schema }) },
  'AIH-2': { cert: new Second({ schema, key: new Uint8Array(32) }), verifier: new Second({ schema }) },
  'AIH-2, verifier': { cert: new Second({ schema, key: new Uint8Array(32) }), verifier: new Verifier({ schema }) },
};

for (const [profile, { cert, verifier }] of Object.entries(PROFILES)) {
  const imprint = digits(await cert.imprint(data));
  const paths = [['name'], ['validUntil'], ...IDS];
  const evidence = await cert.disclose(data, paths);
  const document = cert.expose(data, paths);
  const record = { ledger: { id: ledgerId }, asset: { id: '1', imprint, createdAt: ISSUED, pastImprints: [] } };
  const withAsset = (changes) => ({ ...record, asset: { ...record.asset, ...changes } });
  const judged = async (changes = {}, asset = record, now = NOW, proofs = evidence) => {
    const { integrity, status } = await verifier.judge({ ...document, ...changes }, proofs, asset, now);
    return [integrity, status.kind, status.since];
  };
  const issued = Date.parse(ISSUED);

  test(`${profile}: documents are judged by their values`, async () => {
    assert.deepEqual(await judged(), ['unchanged', 'inForce', issued]);
    assert.deepEqual(await judged({ name: 'Eva' }), ['changed', 'inForce', issued]);
    assert.deepEqual(await judged({ born: '1815' }), ['notCovered', 'inForce', issued]);
    assert.deepEqual(await judged({ $schema: 's.json', $evidence: 'e.json' }), ['unchanged', 'inForce', issued]);
    assert.deepEqual(await judged({}, { ...record, ledger: { id: OTHER } }), ['otherAsset', 'inForce', issued]);
    assert.deepEqual(await judged({}, withAsset({ imprint: 'ab'.repeat(32) })), ['changed', 'inForce', issued]);
  });

  test(`${profile}: the report is that of the imprint to which the documents belong`, async () => {
    const past = { imprint, endedAt: ENDED, withdrawn: false };
    const { report, expiresAt, faults } = await verifier.judge(document, evidence, withAsset({ imprint: 'ab'.repeat(32), pastImprints: [past] }), NOW);
    assert.deepEqual([report.valid, digits(report.imprint), faults], [true, imprint, []]);
    assert.equal(expiresAt, Date.parse('2026-01-02T00:00:00Z'));
  });

  test(`${profile}: the status follows from the record, the expiry date and the time`, async () => {
    const ended = Date.parse(ENDED);
    const replaced = withAsset({ imprint: 'ab'.repeat(32), pastImprints: [{ imprint, endedAt: ENDED, withdrawn: false }] });
    const later = Date.parse('2026-01-02T00:00:00Z');
    assert.deepEqual(await judged({}, replaced), ['unchanged', 'replaced', ended]);
    assert.deepEqual(await judged({}, record, later - 1), ['unchanged', 'inForce', issued]);
    assert.deepEqual(await judged({}, record, later), ['unchanged', 'expired', later]);
    assert.deepEqual(await judged({}, replaced, later), ['unchanged', 'expired', later]);
    // The id was used again for a new asset.
    const reused = withAsset({ imprint: 'ab'.repeat(32), pastImprints: [{ imprint, endedAt: ENDED, withdrawn: true }] });
    assert.deepEqual(await judged({}, reused, later), ['unchanged', 'withdrawn', ended]);
    const gone = withAsset({ imprint: null, withdrawnAt: ENDED, pastImprints: [{ imprint, endedAt: ENDED, withdrawn: true }] });
    assert.deepEqual(await judged({}, gone), ['unchanged', 'withdrawn', ended]);
  });

  test(`${profile}: documents that hide the expiry date expire at the public one`, async () => {
    const hiding = cert.expose(data, [['name'], ...IDS]);
    const proofs = await cert.disclose(data, [['name'], ...IDS]);
    const kindOf = async (asset) => (await verifier.judge(hiding, proofs, asset, NOW)).status.kind;
    const status = { expiresAt: '2025-01-01T00:00:00.000Z' };
    assert.equal(await kindOf(record), 'inForce');
    assert.equal(await kindOf({ ...record, status }), 'expired');
    // The date of other documents says nothing about an earlier imprint.
    assert.equal(await kindOf({ ...withAsset({ imprint: 'ab'.repeat(32), pastImprints: [{ imprint, endedAt: ENDED, withdrawn: false }] }), status }), 'replaced');
    // A date of its own counts instead of the public one.
    assert.equal((await judged({}, { ...record, status }))[1], 'inForce');
  });

  test(`${profile}: without an imprint, nothing counts as checked`, async () => {
    assert.deepEqual(await judged({}, {}), ['notChecked', 'unknownLedger', null]);
    assert.deepEqual(await judged({}, withAsset({ imprint: null })), ['notChecked', 'neverIssued', null]);
    assert.deepEqual(await judged({ name: 'Eva' }, {}), ['changed', 'unknownLedger', null]);
    assert.deepEqual(await judged({ born: '1815' }, {}), ['notCovered', 'unknownLedger', null]);
  });

  test(`${profile}: members of another type count as unknown, and malformed ids are refused`, async () => {
    const strange = { ledger: 7, asset: { id: '1', imprint, createdAt: 7, withdrawnAt: [], pastImprints: [7, {}, { imprint: 7 }] }, status: 'x' };
    assert.deepEqual(await judged({}, strange), ['unchanged', 'inForce', null]);
    assert.deepEqual(await judged({}, withAsset({ createdAt: 'yesterday' })), ['unchanged', 'inForce', null]);
    for (const asset of [{ ...record, ledger: { id: 'x' } }, withAsset({ id: '-1' })]) {
      await assert.rejects(judged({}, asset), { code: 'option-invalid' });
    }
    for (const now of [undefined, NaN, Infinity]) {
      await assert.rejects(verifier.judge(document, evidence, record, now), { code: 'option-invalid' });
    }
  });

  test(`${profile}: evidence that proves only addresses proves nothing`, async () => {
    const pointed = { type: 'object', properties: { $schema: string, name: string } };
    const other = profile === 'AIH-1' ? new First({ schema: pointed }) : new Second({ schema: pointed, key: new Uint8Array(32) });
    const whole = { $schema: 's.json', name: 'Ada' };
    const proofs = await other.disclose(whole, [['$schema']]);
    const asset = { imprint: digits(await other.imprint(whole)) };
    for (const one of [{ asset }, { ledger: { id: ledgerId }, asset: { ...asset, id: '1' } }]) {
      const { integrity } = await other.judge({ $schema: 's.json' }, proofs, one, NOW);
      assert.equal(integrity, 'notCovered');
    }
  });
}

test('evidence of AIH-2 with values is judged without a document', async () => {
  const { cert, verifier } = PROFILES['AIH-2, verifier'];
  const evidence = await cert.disclose(data, [['name'], ...IDS]);
  const asset = { id: '1', imprint: digits(await cert.imprint(data)) };
  const { integrity, report } = await verifier.judge(null, evidence, { ledger: { id: ledgerId }, asset }, NOW);
  assert.equal(integrity, 'unchanged');
  assert.deepEqual(report.document, { name: 'Ada', ledgerId, assetId: '1' });
});
