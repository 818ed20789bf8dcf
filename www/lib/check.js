// The verdict on a document: converts the library's report into an answer with sentences. Does not use the DOM.
import { Cert, identify } from '/cert/src/init.js';
import { certifiedValues } from './certified.js';
import { differingIds } from './ids.js';
import { isPointer } from './issue.js';
import { withNulls } from './missing.js';
import { isAih2, readAih2 } from './aih2.js';
import { load } from './load.js';
import { Refusal, count, own, pathText, valueAt } from './json.js';

/** Phrases for the origins of an imprint. */
const MATCHES = { ledger: 'match what was recorded on the ledger', typed: 'match the imprint that you gave', made: 'match the imprint that you have just made' };
const OTHER = { ledger: 'the one on the ledger', typed: 'the one that you gave', made: 'the one that you have just made' };

const REASONS = {
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

export const reasonText = (code) => REASONS[code] ?? 'The evidence is not sound.';

/** The prefix of an AIH-2 imprint outside of ledgers. */
const AIH2 = 'aih2:';

/** Parses an imprint: 64 hexadecimal characters, also after `0x` or `aih2:`, or an empty text. Refuses `aih2:` with evidence of AIH-1. */
export function parseImprint(text, evidence) {
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
 * Verifies `metadata` with `evidence` and `schema`. `imprint` is empty if there is no imprint to compare with. Otherwise `origin` is a key of
 * `MATCHES`. `record` is the service's record of the asset that has the imprint, or null.
 */
export async function check({ metadata, evidence, schema, imprint, origin, record }) {
  const read = isAih2(evidence) ? readAih2 : readAih1;
  const schemaId = await schemaIdOf(schema, evidence, record);
  const { report, fields, hidden } = await read({ metadata, evidence, schema, imprint, record });
  const found = answerOf({ report, fields, imprint, origin, isAlone: metadata === null });
  return {
    ...found,
    imprint: { compared: imprint || null, source: imprint ? origin : null, evidence: report.imprint },
    record,
    schemaId,
    reasons: report.reasons,
    fields: found.answer === 'untrusted' ? fields.map(untrusted) : fields,
    omitted: report.omitted,
    lists: report.lists,
    hidden,
  };
}

/**
 * Returns the schema's id. A ledger names its schema by one of the schema's three ids, and any other schema is refused.
 * Evidence of AIH-2 contains an id too, and is refused later if it belongs to another schema.
 */
async function schemaIdOf(schema, evidence, record) {
  const named = record?.ledger.schemaId.toLowerCase();
  const own = isAih2(evidence) ? evidence.schemaId : undefined;
  if (own !== undefined && (named === undefined || named === own)) {
    return own;
  }
  await load('AIH-1');
  const schemaId = identify(schema);
  if (named !== undefined && ![schemaId, identify(schema, { sorted: true }), own].includes(named)) {
    throw new Refusal('The schema is not the one that the ledger names, so the imprint says nothing about this document.', 'refusal.schema');
  }
  return own ?? schemaId;
}

/** Reads AIH-1 evidence. Returns the report, the document's fields, and the fields that the document lacks. */
async function readAih1({ metadata, evidence, schema, imprint, record }) {
  await load('AIH-1');
  const cert = new Cert({ schema });
  const given = await cert.verify(metadata, evidence, imprint);
  // Without an imprint to compare with, document and evidence can still be compared with each other.
  const report = imprint === '' && given.imprint !== null ? await cert.verify(metadata, evidence, given.imprint) : given;
  const certified = await certifiedValues({ cert, schema, metadata, evidence, report });
  const elsewhere = otherAsset(report, metadata, record);
  const fields = report.entries.map((entry) => ({ ...entry, value: valueAt(metadata, entry.path), ...certified(entry.path), ...elsewhere(entry.path) }));
  const hidden = report.imprint === null ? [] : await hiddenFields(cert, schema, metadata, evidence, report.imprint);
  return { report, fields, hidden };
}

/** Finds a proven `ledgerId` and `assetId` that differ from the asset on the ledger: the certificate is a copy. For AIH-2, the library finds them. */
function otherAsset({ entries }, metadata, record) {
  const proven = new Set(entries.filter(({ path, status }) => path.length === 1 && status === 'proven').map(({ path }) => path[0]));
  const named = (key) => (proven.has(key) ? valueAt(metadata, [key]) : undefined);
  const ids = { ledgerId: named('ledgerId'), assetId: named('assetId') };
  const differs = record ? differingIds(ids, { ledgerId: record.ledger.id, assetId: record.asset.id }) : {};
  return (path) => (path.length === 1 && own(differs, path[0]) ? { reason: 'asset-mismatch' } : {});
}

/** Marks proven fields as untrusted, if there is no imprint to compare with: anyone can make evidence that matches a value. */
function untrusted(field) {
  return field.status === 'proven' ? { ...field, status: 'untrusted' } : field;
}

/** The reasons that prove a change. Evidence that is unsound for other reasons proves neither the values nor a change. */
const DIFFERENT = ['imprint-mismatch', 'hash-mismatch', 'link-mismatch'];

/** Returns the answer with a sentence that explains it, and `integrity` as in `/badge.json`. */
function answerOf({ report, fields, imprint, origin, isAlone }) {
  const of = (status) => fields.filter((field) => field.status === status);
  const names = (some, beyond = 0) => {
    const more = Math.max(some.length - 3, 0) + beyond;
    return some.slice(0, 3).map((field) => pathText(field.path)).join(', ') + (more > 0 ? ` and ${more} more` : '');
  };
  const changed = (sentence) => ({ answer: 'changed', integrity: 'changed', sentence });
  const uncovered = (sentence) => ({ answer: 'uncovered', integrity: 'notCovered', sentence });
  const omitted = report.omitted ?? { proven: 0, notProven: 0, notCovered: 0 };
  if (report.reasons.some(({ code }) => code === 'imprint-mismatch')) {
    return changed(`The evidence belongs to another imprint than ${OTHER[origin]}. Document and evidence may fit each other, but they are not what was certified.`);
  }
  if (report.imprint === null) {
    const say = report.reasons.some(({ code }) => DIFFERENT.includes(code)) ? changed : uncovered;
    return say(`The evidence proves nothing: ${report.reasons[0]?.message ?? 'it is not sound'}.`);
  }
  const unproven = of('not-proven');
  const added = of('not-covered').filter(({ reason }) => reason !== 'not-in-schema');
  const nothingSaid = added.length > 0 ? `The evidence says nothing about ${count(added.length, 'value')} that this document states, so anyone may have added ${added.length > 1 ? 'them' : 'it'}: ${names(added)}.` : '';
  if (unproven.length > 0) {
    const total = unproven.length + omitted.notProven;
    return changed(`${count(total, 'value')} of this document ${total === 1 ? 'is' : 'are'} not what was certified: ${names(unproven, omitted.notProven)}. ${nothingSaid}`.trim());
  }
  if (fields.some(({ reason }) => reason === 'asset-mismatch') || report.errors?.some(({ code }) => code === 'asset-mismatch')) {
    return { ...changed('The values were certified, but for another ledger or asset. Somebody has copied the certificate to this one.'), integrity: 'otherAsset', heading: 'A copy.' };
  }
  if (report.errors?.some(({ code }) => code === 'asset-hidden')) {
    return { ...uncovered(`${REASONS['asset-hidden']} The ledger’s and the asset’s id have to be shown.`), heading: 'May be a copy.' };
  }
  if (added.length > 0) {
    return uncovered(nothingSaid);
  }
  const proven = of('proven').filter(({ path }) => !isPointer(path[0]));
  if (proven.length === 0 || !report.valid || report.proves === false) {
    return uncovered('This document states nothing that the evidence proves.');
  }
  const outside = of('not-covered').filter((field) => field.reason === 'not-in-schema' && !isPointer(field.path[0]));
  const beyond = outside.length > 0 ? ` Never certified, because the schema does not describe it: ${names(outside)}.` : '';
  if (imprint === '') {
    return { answer: 'untrusted', integrity: 'notChecked', sentence: `Document and evidence belong together, but there is no imprint to compare them with. Anybody could have made both. Get the imprint from the ledger or from the issuer.${beyond}` };
  }
  const total = proven.length + omitted.proven;
  const values = `${count(total, 'value')} ${isAlone ? 'that the evidence shows' : 'of this document'}`;
  return { answer: 'unchanged', integrity: 'unchanged', sentence: `${values} ${total === 1 ? MATCHES[origin].replace('match', 'matches') : MATCHES[origin]}.${beyond}` };
}

/**
 * Returns the fields that the schema describes and the document lacks: hidden, or provably absent. To distinguish these, verifies the document
 * with nulls for these fields. The library accepts a null only if the evidence proves that there is no value.
 */
async function hiddenFields(cert, schema, metadata, evidence, imprint) {
  const missing = [];
  const probe = withNulls(schema, metadata, [], missing);
  if (missing.length === 0) {
    return [];
  }
  const { entries } = await cert.verify(probe, evidence, imprint);
  const proven = new Set(entries.filter(({ status }) => status === 'proven').map(({ path }) => JSON.stringify(path)));
  return missing.map((path) => ({ path, absent: proven.has(JSON.stringify(path)) }));
}
