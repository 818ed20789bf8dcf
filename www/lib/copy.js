// Verifies a copy of a certificate: its public files, or what a holder shares. Does not use the DOM.
import { Cert } from '/cert/verify/src/init.js';
import { standsAlone } from './aih2.js';
import { check } from './check.js';
import { expiryOf } from './expiry.js';
import { withoutPointers } from './issue.js';
import { load } from './load.js';

/** The maximum number of findings for the page. */
const MAX_FIELDS = 2000;

/**
 * Verifies a copy under `imprints`: the imprint on the ledger, and earlier imprints of the asset. `record` is
 * `{ ledger: { id, schemaId }, asset: { id } }`. Returns:
 *
 * - `integrity`: as in `/badge.json`.
 * - `imprint`: the copy's imprint if it is in `imprints`, otherwise the first of `imprints`.
 * - `fields`: `{ path, value, status, reason, certified }` of each value, at most 2,000.
 * - `hidden`: the paths of hidden fields, at most 2,000, without the fields that are proven absent.
 * - `isOther`: true if the copy's document and evidence match, but its imprint is not in `imprints`.
 * - `expiresAt`: the first moment at which the certificate is expired, in milliseconds. Null unless the copy is unchanged and proves an expiry date.
 */
export async function checkCopy({ schema, document, evidence, imprints, record }) {
  const metadata = document ?? (await documentOf(schema, evidence));
  const under = (imprint) => check({ metadata, evidence, schema, imprint, origin: 'ledger', record });
  let [imprint] = imprints;
  let result = await under(imprint);
  const isOther = result.reasons.some(({ code }) => code === 'imprint-mismatch');
  const found = digits(result.imprint.evidence);
  if (isOther && imprints.includes(found)) {
    imprint = found;
    result = await under(imprint);
  }
  // Fields with problems come first, because only the beginning of a long list is shown.
  const fields = result.fields.toSorted((one, other) => Number(one.status === 'proven') - Number(other.status === 'proven'));
  return {
    integrity: result.integrity,
    imprint,
    fields: fields.slice(0, MAX_FIELDS),
    hidden: result.hidden.filter(({ absent }) => !absent).map(({ path }) => path).slice(0, MAX_FIELDS),
    isOther: isOther && !imprints.includes(found),
    expiresAt: result.integrity === 'unchanged' ? expiryOf(schema, result.fields) : null,
  };
}

const digits = (imprint) => imprint?.replace(/^aih2:/, '') ?? null;

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
