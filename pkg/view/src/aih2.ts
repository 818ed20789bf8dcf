// Reads evidence of AIH-2, and reports on a document in the same shape as for AIH-1. Does not use the DOM.
import { Cert } from '/cert/verify/src/init.js';
import type { AssetRecord, ErrorCode, Json, Report, Status, Verdict } from '/cert/verify/src/init.js';
import type { Field, HiddenField, ListFinding } from './field.ts';
import { Refusal, own, valueAt } from './json.ts';
import type { Path } from './json.ts';
import { load } from './load.ts';
import { withNulls } from './missing.ts';
import { dataOf, evidenceOf } from './untrusted.ts';

/** The documents of a certificate, parsed but not checked. `metadata` is null if the evidence comes without a document. */
export interface Documents {
  metadata: unknown;
  evidence: unknown;
  schema: unknown;
  record: AssetRecord;
}

/** A report on evidence of either profile. */
export interface CommonReport {
  imprint: string | null;
  /** The reasons why the evidence as a whole was refused. */
  reasons: { code: string; path: Path; message: string }[];
  lists: ListFinding[];
  omitted?: { proven: number; notProven: number; notCovered: number } | undefined;
  errors?: { code: string; path: Path }[];
}

/** The verdict on documents, with the findings about each field. */
export interface Reading {
  verdict: Pick<Verdict<unknown>, 'integrity' | 'status'>;
  report: CommonReport;
  fields: Field[];
  hidden: HiddenField[];
}

const REASONS: Partial<Record<ErrorCode, string>> = {
  'imprint-mismatch': 'it belongs to another imprint',
  'schema-mismatch': 'it is of another schema',
  'evidence-malformed': 'it is not evidence: something in it is missing, unknown or malformed',
  'document-missing': 'it needs its document, and none was given',
  'nothing-open': 'it shows nothing',
  'too-much-work': 'it takes more hashes than are allowed',
};

/** Returns true if the evidence's `profile` is AIH-2, and false if there is no `profile`, as in AIH-1. Refuses any other profile. */
export function isAih2(evidence: unknown): boolean {
  const profile = own(evidence, 'profile');
  if (profile !== undefined && profile !== 'AIH-2') {
    throw new Refusal('The evidence is of a profile that this page does not know.', 'refusal.profile');
  }
  return profile === 'AIH-2';
}

/** Returns true if evidence of AIH-2 includes its values. Such evidence needs no document. */
export const standsAlone = (evidence: unknown) => isAih2(evidence) && Array.isArray(own(evidence, 'values'));

/** Returns the verdict, its report in the shape of AIH-1, the document's fields, and the fields that the document lacks. */
export async function readAih2({ metadata, evidence, schema, record }: Documents): Promise<Reading> {
  await load('verifier');
  const verdict = await new Cert({ schema: dataOf(schema) }).judge(metadata === null ? null : dataOf(metadata), evidenceOf(evidence), record, Date.now());
  const found = verdict.report;
  const isSound = found.imprint !== null && !found.errors.some(({ code }) => code === 'imprint-mismatch');
  const omitted = found.omitted && { proven: found.omitted.entries, notProven: found.omitted.errors, notCovered: 0 };
  const reasons = isSound ? [] : found.errors.map(({ code, path }) => ({ code, path, message: REASONS[code] ?? `it is not sound (${code})` }));
  const report = { ...found, reasons, omitted };
  return { verdict, report, fields: fieldsOf(found, metadata), hidden: isSound && metadata !== null ? hiddenFields(found, schema, metadata) : [] };
}

/** The status and reason in AIH-1's reports for each status in AIH-2's reports. */
const STATUS: Partial<Record<Status, Pick<Field, 'status' | 'reason'>>> = {
  proven: { status: 'proven', reason: null },
  changed: { status: 'not-proven', reason: 'value-mismatch' },
  'not-covered': { status: 'not-covered', reason: 'not-covered' },
  'not-in-schema': { status: 'not-covered', reason: 'not-certified' },
};

type Found = Report['shown'][number];

/** Returns the document's values, each with the certified value if the evidence has it. Without a document, returns the evidence's values. */
function fieldsOf({ entries, errors, shown }: Report, document: unknown): Field[] {
  const certified = new Map<string, Json>(entries.map(({ path, value }) => [JSON.stringify(path), value]));
  const elsewhere = new Set(errors.filter(({ code }) => code === 'asset-mismatch').map(({ path }) => JSON.stringify(path)));
  const values: Found[] = document === null ? entries.map(({ path }) => ({ path, status: 'proven' })) : [...shown, ...withheld(errors, shown)];
  return values.map(({ path, status }) => {
    const key = JSON.stringify(path);
    const value = document === null ? certified.get(key) : valueAt(document, path);
    const said: Pick<Field, 'status' | 'reason'> = STATUS[status] ?? { status: 'not-proven', reason: errors[0]?.code };
    const known = status === 'changed' && certified.has(key) ? { certified: certified.get(key) } : {};
    return { path, value, ...said, ...known, ...(elsewhere.has(key) ? { reason: 'asset-mismatch' } : {}) };
  });
}

/** Returns the places that the evidence shows but the document does not. */
function withheld(errors: Report['errors'], shown: Report['shown']): Found[] {
  const paths = new Set(shown.map(({ path }) => JSON.stringify(path)));
  const missing = errors.filter(({ code, path }) => code === 'value-mismatch' && !paths.has(JSON.stringify(path)));
  return missing.map(({ path }) => ({ path, status: 'changed' }));
}

/** Returns the fields of the schema that the document lacks: provably absent, or hidden. */
function hiddenFields({ absent, entries }: Report, schema: unknown, document: unknown): HiddenField[] {
  const missing: Path[] = [];
  withNulls(schema, document, [], missing);
  const isAbsent = new Set(absent.map((path) => JSON.stringify(path)));
  const isShown = new Set(entries.map(({ path }) => JSON.stringify(path)));
  const hidden = missing.filter((path) => !isShown.has(JSON.stringify(path)));
  return hidden.map((path) => ({ path, absent: isAbsent.has(JSON.stringify(path)) }));
}
