// Verifies a copy of a certificate: its public files, or what a holder shares. No DOM here.
import { Cert } from '/cert/verify/src/init.js';
import { standsAlone } from './aih2.js';
import { check } from './check.js';
import { expiryOf } from './expiry.js';
import { withoutPointers } from './issue.js';
import { load } from './load.js';

/** The maximum number of findings for the page. */
const MAX_FIELDS = 2000;

/**
 * Verifies a copy under the ledger's imprint. `record` is `{ ledger: { id, schemaId }, asset: { id } }`, or null for a file without its
 * ledger. Returns:
 *
 * - `integrity`: as in `/badge.json`.
 * - `fields`: `{ path, value, status, reason, certified }` of each value.
 * - `hidden`: the paths of fields that the copy does not show.
 * - `isOther`: the evidence is sound, but of another imprint.
 * - `expiresAt`: the first moment at which the certificate is expired, if the copy proves one, in milliseconds.
 */
export async function checkCopy({ schema, document, evidence, imprint, record }) {
  const metadata = document ?? (await documentOf(schema, evidence));
  const result = await check({ metadata, evidence, schema, imprint, origin: 'ledger', record });
  return {
    integrity: result.integrity,
    fields: result.fields.slice(0, MAX_FIELDS),
    hidden: result.hidden.filter(({ absent }) => !absent).map(({ path }) => path).slice(0, MAX_FIELDS),
    isOther: result.reasons.some(({ code }) => code === 'imprint-mismatch') && result.imprint.evidence !== null,
    expiresAt: result.integrity === 'unchanged' ? expiryOf(schema, result.fields) : null,
    imprint: result.imprint.evidence,
  };
}

/** Returns the document that evidence with values shows, or null if the evidence is not sound. */
async function documentOf(schema, evidence) {
  if (!standsAlone(evidence)) {
    return null;
  }
  await load('verifier');
  const cert = new Cert({ schema });
  const { imprint } = await cert.verify(evidence, '0'.repeat(64));
  const report = imprint === null ? null : await cert.verify(evidence, imprint);
  return report?.document ? withoutPointers(report.document, schema) : null;
}
