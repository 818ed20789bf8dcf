// Verifies a copy of a certificate: its public files, or what a holder shares. Does not use the DOM.
import { Cert } from '/cert/verify/src/init.js';
import type { Integrity, StatusKind } from '/cert/verify/src/init.js';
import { standsAlone } from './aih2.ts';
import { check } from './check.ts';
import type { CheckedRecord } from './check.ts';
import type { Field } from './field.ts';
import type { Path } from './json.ts';
import { load } from './load.ts';
import { dataOf, evidenceOf } from './untrusted.ts';

/** The maximum number of findings for the page. */
const MAX_FIELDS = 2000;

/** The documents of a copy, with the record of the asset: the members `ledger`, `asset` and `status` of `/badge.json`, or only `{ asset: { imprint } }`. */
export interface CopyToCheck {
  schema: unknown;
  document: unknown;
  evidence: unknown;
  record: CheckedRecord;
}

export interface CheckedCopy {
  /** As in `/badge.json`, under the asset's imprint to which the copy belongs. */
  integrity: Integrity;
  /** The status of the asset for this copy, as in `/badge.json`. */
  status: { kind: StatusKind; since: string | null };
  /** The values, at most 2,000. */
  fields: Field[];
  /** The paths of hidden fields, at most 2,000, without the fields that are proven absent. */
  hidden: Path[];
  /** True if a list of the copy may have more items than it shows. */
  isCut: boolean;
  /** True if the asset never had the copy's imprint. */
  isOther: boolean;
}

/** Verifies a copy for the asset of a record. */
export async function checkCopy({ schema, document, evidence, record }: CopyToCheck): Promise<CheckedCopy> {
  const metadata = document ?? (await documentOf(schema, evidence));
  const { integrity, status, ...result } = await check({ metadata, evidence, schema, record, origin: 'ledger' });
  // Fields with problems come first, because only the beginning of a long list is shown.
  const fields = result.fields.toSorted((one, other) => Number(one.status === 'proven') - Number(other.status === 'proven'));
  return {
    integrity,
    status: { ...status, since: status.since === null ? null : new Date(status.since).toISOString() },
    fields: fields.slice(0, MAX_FIELDS),
    hidden: result.hidden
      .filter(({ absent }) => !absent)
      .map(({ path }) => path)
      .slice(0, MAX_FIELDS),
    isCut: result.lists.some(({ complete }) => !complete),
    isOther: result.reasons.some(({ code }) => code === 'imprint-mismatch'),
  };
}

/** Returns the document that evidence with values shows, or null if the evidence is not sound. */
async function documentOf(schema: unknown, evidence: unknown) {
  if (!standsAlone(evidence)) {
    return null;
  }
  await load('verifier');
  const { report } = await new Cert({ schema: dataOf(schema) }).judge(null, evidenceOf(evidence), {}, Date.now());
  return report.document;
}
