// What can be said of a document: the library's report, put into an answer and sentences. No DOM here.
import { Cert, identify } from '/cert/src/init.js';
import { certifiedValues } from './certified.js';
import { isPointer } from './issue.js';
import { Refusal, count, isObject, own, pathText, setOwn, valueAt } from './json.js';

/** The source of an imprint, in words. */
const MATCHES = { ledger: 'match what was recorded on the ledger', typed: 'match the imprint that you gave', made: 'match the imprint that you have just made' };
const OTHER = { ledger: 'the one on the ledger', typed: 'the one that you gave', made: 'the one that you have just made' };
/** Fields whose absence is looked into at most. */
const MAX_MISSING = 2000;

const REASONS = {
  'value-mismatch': 'Another value was certified.',
  'not-covered': 'The evidence says nothing about it, so anyone may have added it.',
  'not-in-schema': 'The schema does not describe it, so it was never certified.',
  'data-type-mismatch': 'It is not the kind of value that the schema describes.',
  'nothing-stated': 'It is empty, so there is nothing to prove.',
  'imprint-mismatch': 'The evidence belongs to another imprint.',
};

export const reasonText = (code) => REASONS[code] ?? 'The evidence is not sound.';

/** 64 hexadecimal characters, or nothing at all. */
export function parseImprint(text) {
  const imprint = text.trim().replace(/^0x/i, '').toLowerCase();
  if (imprint !== '' && !/^[0-9a-f]{64}$/.test(imprint)) {
    throw new Refusal('That is not an imprint: an imprint has 64 characters, each 0 to 9 or a to f. Leave the field empty if you have none.');
  }
  return imprint;
}

/**
 * Verifies `metadata` by `evidence` and `schema`. `imprint` is empty where there is none to compare with; else `origin` is a key of
 * `MATCHES`. `record` is what the service says of the asset that the imprint is from, or null.
 */
export async function check({ metadata, evidence, schema, imprint, origin, record }) {
  const cert = new Cert({ schema });
  const schemaId = identify(schema);
  const schemaIds = [schemaId, identify(schema, { sorted: true })];
  if (record && !schemaIds.includes(record.ledger.schemaId.toLowerCase())) {
    throw new Refusal('The schema is not the one that the ledger names, so the imprint says nothing about this document.');
  }
  const given = await cert.verify(metadata, evidence, imprint);
  // Without an imprint to compare with, document and evidence can still be compared with each other.
  const report = imprint === '' && given.imprint !== null ? await cert.verify(metadata, evidence, given.imprint) : given;
  const certified = await certifiedValues({ cert, schema, metadata, evidence, report });
  const fields = report.entries.map((entry) => ({ ...entry, value: valueAt(metadata, entry.path), ...certified(entry.path) }));
  const found = answerOf(report, fields, imprint, origin);
  return {
    ...found,
    imprint: { compared: imprint || null, source: imprint ? origin : null, evidence: report.imprint },
    record,
    schemaId,
    reasons: report.reasons,
    fields: found.answer === 'untrusted' ? fields.map(untrusted) : fields,
    omitted: report.omitted,
    lists: report.lists,
    hidden: report.imprint === null ? [] : await hiddenFields(cert, schema, metadata, evidence, report.imprint),
  };
}

/** Without an imprint to compare with nothing is proven: anyone can make evidence that a value fits. */
function untrusted(field) {
  return field.status === 'proven' ? { ...field, status: 'untrusted' } : field;
}

/** The answer, with the plain sentence that explains it. */
function answerOf(report, fields, imprint, origin) {
  const of = (status) => fields.filter((field) => field.status === status);
  const names = (some, beyond = 0) => {
    const more = Math.max(some.length - 3, 0) + beyond;
    return some.slice(0, 3).map((field) => pathText(field.path)).join(', ') + (more > 0 ? ` and ${more} more` : '');
  };
  const changed = (sentence) => ({ answer: 'changed', sentence });
  const omitted = report.omitted ?? { proven: 0, notProven: 0, notCovered: 0 };
  if (report.reasons.some(({ code }) => code === 'imprint-mismatch')) {
    return changed(`The evidence belongs to another imprint than ${OTHER[origin]}. Document and evidence may fit each other, but they are not what was certified.`);
  }
  if (report.imprint === null) {
    return changed(`The evidence proves nothing: ${report.reasons[0]?.message ?? 'it is not sound'}.`);
  }
  const unproven = of('not-proven');
  const uncovered = of('not-covered').filter(({ reason }) => reason !== 'not-in-schema');
  if (unproven.length > 0) {
    const total = unproven.length + omitted.notProven;
    const too = uncovered.length > 0 ? ` The evidence does not cover: ${names(uncovered)}.` : '';
    return changed(`${count(total, 'value')} of this document ${total === 1 ? 'is' : 'are'} not what was certified: ${names(unproven, omitted.notProven)}.${too}`);
  }
  const outside = of('not-covered').filter((field) => field.reason === 'not-in-schema' && !isPointer(field.path[0]));
  if (uncovered.length > 0) {
    return changed(`The evidence does not cover ${count(uncovered.length, 'value')} that this document states: ${names(uncovered)}.`);
  }
  const proven = of('proven').filter(({ path }) => !isPointer(path[0]));
  if (proven.length === 0 || !report.valid) {
    return changed('This document states nothing that the evidence proves.');
  }
  const beyond = outside.length > 0 ? ` Never certified, because the schema does not describe it: ${names(outside)}.` : '';
  if (imprint === '') {
    return { answer: 'untrusted', sentence: `Document and evidence fit each other, but there is no imprint to compare them with, and anyone can make such a pair. Get the imprint from the ledger or from the issuer.${beyond}` };
  }
  const total = proven.length + omitted.proven;
  return { answer: 'unchanged', sentence: `${count(total, 'value')} of this document ${total === 1 ? MATCHES[origin].replace('match', 'matches') : MATCHES[origin]}.${beyond}` };
}

/**
 * What the schema describes and the document does not state: hidden, or provably absent. Found out by stating nulls, which the
 * library accepts only where the evidence proves that there is no value.
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

/**
 * `value` with null for every described property that it lacks, and without the values that it has: a report lists so many and no
 * more. The paths of the nulls are added to `missing`.
 */
function withNulls(schema, value, path, missing) {
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      if (item === null && missing.length < MAX_MISSING) {
        missing.push([...path, index]);
      }
      const inside = withNulls(own(schema, 'items'), item, [...path, index], missing);
      return typeof inside === 'object' ? inside : null;
    });
  }
  if (!isObject(value)) {
    return value;
  }
  const copy = {};
  const properties = own(schema, 'properties');
  for (const key of Object.keys(value)) {
    const inside = withNulls(own(properties, key), value[key], [...path, key], missing);
    if (typeof inside === 'object' && inside !== null) {
      setOwn(copy, key, inside);
    }
  }
  for (const key of isObject(properties) ? Object.keys(properties) : []) {
    if (!Object.hasOwn(value, key) && missing.length < MAX_MISSING) {
      setOwn(copy, key, null);
      missing.push([...path, key]);
    }
  }
  return copy;
}
