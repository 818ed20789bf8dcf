// The verdict on a document: converts the library's report into an answer with sentences. Does not use the DOM.
import { Cert, identify } from '/cert/src/init.js';
import type { AssetRecord, Integrity } from '/cert/src/init.js';
import { certifiedValues } from './certified.ts';
import { isPointer } from './issue.ts';
import { withNulls } from './missing.ts';
import { isAih2, readAih2 } from './aih2.ts';
import type { CommonReport, Documents, Reading } from './aih2.ts';
import type { Field, HiddenField } from './field.ts';
import { load } from './load.ts';
import { Refusal, count, own, pathText, valueAt } from './json.ts';
import type { Path } from './json.ts';
import { dataOf, proofsOf } from './untrusted.ts';

/** Phrases for the origins of an imprint. */
const MATCHES = { ledger: 'match what was recorded on the ledger', typed: 'match the imprint that you gave', made: 'match the imprint that you have just made' };
const OTHER = { ledger: 'the one on the ledger', typed: 'the one that you gave', made: 'the one that you have just made' };

const REASONS: Partial<Record<string, string>> = {
  'value-mismatch': 'Another value was certified.',
  'not-covered': 'The evidence says nothing about this value, so anyone may have added it.',
  'not-certified': 'The schema does not have it, so it was not certified.',
  'asset-mismatch': 'It was certified for another asset than this one.',
  'asset-hidden': 'The evidence hides which asset it was certified for, so it may be a copy.',
  'not-in-schema': 'The schema does not describe it, so it was never certified.',
  'data-type-mismatch': 'It is not the kind of value that the schema describes.',
  'nothing-stated': 'It is empty, so there is nothing to prove.',
  'imprint-mismatch': 'The evidence belongs to another imprint.',
};

/** The origin of an imprint. */
export type Origin = keyof typeof MATCHES;

/** The record of an asset: the service's, or only its imprint. */
export type CheckedRecord = AssetRecord & { ledger?: { schemaId: string } | null | undefined };

export const reasonText = (code: string) => REASONS[code] ?? 'The evidence is not sound.';

/** The prefix of an AIH-2 imprint outside of ledgers. */
const AIH2 = 'aih2:';

/** Parses an imprint: 64 hexadecimal characters, also after `0x` or `aih2:`, or an empty text. Refuses `aih2:` with evidence of AIH-1. */
export function parseImprint(text: string, evidence: unknown): string {
  const given = text.trim().toLowerCase();
  const imprint = given.startsWith(AIH2) ? given.slice(AIH2.length) : given.replace(/^0x/, '');
  if (imprint !== '' && !/^[0-9a-f]{64}$/.test(imprint)) {
    throw new Refusal('That is not an imprint: an imprint has 64 characters, each 0 to 9 or a to f. Leave the field empty if you have none.');
  }
  if (given.startsWith(AIH2) && !isAih2(evidence)) {
    throw new Refusal('The imprint is one of AIH-2, but the evidence is not: they do not belong together.');
  }
  return imprint;
}

/**
 * Verifies `metadata` with `evidence` and `schema`. `record` is a service's record of the asset, as `/badge.json` has it, or only
 * `{ asset: { imprint } }`. Without an imprint, document and evidence are compared with each other. `origin` is the imprint's origin, a key of `MATCHES`.
 */
export async function check({ metadata, evidence, schema, record, origin }: Documents & { record: CheckedRecord; origin: Origin }) {
  const read = isAih2(evidence) ? readAih2 : readAih1;
  const schemaId = await schemaIdOf(schema, evidence, record);
  const { verdict, report, fields, hidden } = await read({ metadata, evidence, schema, record });
  const { integrity, status } = verdict;
  const imprint = record.asset?.imprint || null;
  return {
    ...answerOf({ integrity, report, fields, origin, isAlone: metadata === null }),
    integrity,
    status,
    imprint: { compared: imprint, source: imprint === null ? null : origin, evidence: report.imprint },
    schemaId,
    reasons: report.reasons,
    fields: integrity === 'notChecked' ? fields.map(untrusted) : fields,
    omitted: report.omitted,
    lists: report.lists,
    hidden,
  };
}

/**
 * Returns the schema's id. A ledger names its schema by one of the schema's three ids, and any other schema is refused.
 * Evidence of AIH-2 contains an id too, and is refused later if it belongs to another schema.
 */
async function schemaIdOf(schema: unknown, evidence: unknown, record: CheckedRecord) {
  const named = record.ledger?.schemaId.toLowerCase();
  const stated = isAih2(evidence) ? own(evidence, 'schemaId') : undefined;
  if (stated !== undefined && (named === undefined || named === stated)) {
    return stated;
  }
  await load('AIH-1');
  const schemaId = identify(dataOf(schema));
  if (named !== undefined && ![schemaId, identify(dataOf(schema), { sorted: true }), stated].includes(named)) {
    throw new Refusal('The schema is not the one that the ledger names, so the imprint says nothing about this document.', 'refusal.schema');
  }
  return stated ?? schemaId;
}

/** Reads AIH-1 evidence. Returns the verdict with its report, the document's fields, and the fields that the document lacks. */
async function readAih1({ metadata, evidence, schema, record }: Documents): Promise<Reading> {
  await load('AIH-1');
  const cert = new Cert({ schema: dataOf(schema) });
  const verdict = await cert.judge(dataOf(metadata), proofsOf(evidence), record, Date.now());
  const { report, faults } = verdict;
  const certified = await certifiedValues({ cert, schema, metadata, evidence, report });
  const elsewhere = new Set(faults.filter(({ code }) => code === 'asset-mismatch').map(({ path }) => JSON.stringify(path)));
  const reasonOf = (path: Path) => (elsewhere.has(JSON.stringify(path)) ? { reason: 'asset-mismatch' } : {});
  const fields = report.entries.map((entry) => ({ ...entry, value: valueAt(metadata, entry.path), ...certified(entry.path), ...reasonOf(entry.path) }));
  const hidden = report.imprint === null ? [] : await hiddenFields(cert, schema, metadata, evidence, report.imprint);
  return { verdict, report, fields, hidden };
}

/** Marks proven fields as untrusted, if there is no imprint to compare with: anyone can make evidence that matches a value. */
function untrusted(field: Field): Field {
  return field.status === 'proven' ? { ...field, status: 'untrusted' } : field;
}

interface Checked {
  integrity: Integrity;
  report: CommonReport;
  fields: Field[];
  origin: Origin;
  isAlone: boolean;
}

/** Returns the answer with a sentence that explains the integrity. */
function answerOf({ integrity, report, fields, origin, isAlone }: Checked): { answer: string; sentence: string; heading?: string } {
  const of = (status: Field['status']) => fields.filter((field) => field.status === status);
  const names = (some: Field[], beyond = 0) => {
    const more = Math.max(some.length - 3, 0) + beyond;
    return (
      some
        .slice(0, 3)
        .map((field) => pathText(field.path))
        .join(', ') + (more > 0 ? ` and ${more} more` : '')
    );
  };
  const omitted = report.omitted ?? { proven: 0, notProven: 0, notCovered: 0 };
  const refusal = report.reasons[0];
  const answer = { changed: 'changed', otherAsset: 'changed', notCovered: 'uncovered', notChecked: 'untrusted', unchanged: 'unchanged' }[integrity];
  if (refusal?.code === 'imprint-mismatch') {
    return { answer, sentence: `The evidence belongs to another imprint than ${OTHER[origin]}. Document and evidence may fit each other, but they are not what was certified.` };
  }
  if (refusal !== undefined || report.imprint === null) {
    return { answer, sentence: `The evidence proves nothing: ${refusal?.message ?? 'it is not sound'}.` };
  }
  const added = of('not-covered').filter(({ reason }) => reason !== 'not-in-schema');
  const nothingSaid =
    added.length > 0 ? `The evidence says nothing about ${count(added.length, 'value')} that this document states, so anyone may have added ${added.length > 1 ? 'them' : 'it'}: ${names(added)}.` : '';
  if (integrity === 'changed') {
    const unproven = of('not-proven');
    const total = unproven.length + omitted.notProven;
    return { answer, sentence: `${count(total, 'value')} of this document ${total === 1 ? 'is' : 'are'} not what was certified: ${names(unproven, omitted.notProven)}. ${nothingSaid}`.trim() };
  }
  if (integrity === 'otherAsset') {
    return { answer, sentence: 'The values were certified, but for another ledger or asset. Somebody has copied the certificate to this one.', heading: 'A copy.' };
  }
  if (report.errors?.some(({ code }) => code === 'asset-hidden')) {
    return { answer, sentence: `${reasonText('asset-hidden')} The ledger’s and the asset’s id have to be shown.`, heading: 'May be a copy.' };
  }
  if (integrity === 'notCovered') {
    return { answer, sentence: nothingSaid || 'This document states nothing that the evidence proves.' };
  }
  const outside = of('not-covered').filter((field) => field.reason === 'not-in-schema' && !isPointer(field.path[0]));
  const beyond = outside.length > 0 ? ` Never certified, because the schema does not describe it: ${names(outside)}.` : '';
  if (integrity === 'notChecked') {
    return {
      answer,
      sentence: `Document and evidence belong together, but there is no imprint to compare them with. Anybody could have made both. Get the imprint from the ledger or from the issuer.${beyond}`,
    };
  }
  const total = of('proven').filter(({ path }) => !isPointer(path[0])).length + omitted.proven;
  const values = `${count(total, 'value')} ${isAlone ? 'that the evidence shows' : 'of this document'}`;
  return { answer, sentence: `${values} ${total === 1 ? MATCHES[origin].replace('match', 'matches') : MATCHES[origin]}.${beyond}` };
}

/**
 * Returns the fields that the schema describes and the document lacks: hidden, or provably absent. To distinguish these, verifies the document
 * with nulls for these fields. The library accepts a null only if the evidence proves that there is no value.
 */
async function hiddenFields(cert: Cert, schema: unknown, metadata: unknown, evidence: unknown, imprint: string): Promise<HiddenField[]> {
  const missing: Path[] = [];
  const probe = withNulls(schema, metadata, [], missing);
  if (missing.length === 0) {
    return [];
  }
  const { entries } = await cert.verify(dataOf(probe), proofsOf(evidence), imprint);
  const proven = new Set(entries.filter(({ status }) => status === 'proven').map(({ path }) => JSON.stringify(path)));
  return missing.map((path) => ({ path, absent: proven.has(JSON.stringify(path)) }));
}
