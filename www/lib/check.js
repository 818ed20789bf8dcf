// What can be said of a document: the library's report, put into an answer and sentences. No DOM here.
import { Cert, identify } from '/cert/src/init.js';
import { Refusal, count, isObject, own, pathText, setOwn, valueAt } from './json.js';

/** Keys that say where things are, not what they are. */
const POINTERS = new Set(['$schema', '$evidence']);
/** Where an imprint can be from. */
const ORIGINS = { ledger: 'the ledger has', typed: 'you gave', made: 'you have just made' };
/** Fields whose absence is looked into at most. */
const MAX_MISSING = 2000;

const REASONS = {
  'value-mismatch': 'The evidence proves another value.',
  'not-covered': 'The schema describes it, but the evidence says nothing of it.',
  'not-in-schema': 'The schema does not describe it, so nobody certified it.',
  'data-type-mismatch': 'It is not of the type that the schema asks for.',
  'nothing-stated': 'It states nothing that could be proven.',
  'imprint-mismatch': 'The evidence belongs to another imprint.',
};

export const reasonText = (code) => REASONS[code] ?? 'The evidence is not sound.';

/** 64 hexadecimal characters, or nothing at all. */
export function parseImprint(text) {
  const imprint = text.trim().replace(/^0x/i, '').toLowerCase();
  if (imprint !== '' && !/^[0-9a-f]{64}$/.test(imprint)) {
    throw new Refusal('The imprint is not one: it has to be 64 hexadecimal characters. Leave it empty if you have none.');
  }
  return imprint;
}

/**
 * Verifies `metadata` by `evidence` and `schema`. `imprint` is empty where there is none to compare with; else `origin` is a key of
 * `ORIGINS`. `ledger`, with its `id` and `schemaId`, is the one that the imprint is from, or null.
 */
export async function check({ metadata, evidence, schema, imprint, origin, ledger }) {
  const cert = new Cert({ schema });
  const schemaId = identify(schema);
  const schemaIds = [schemaId, identify(schema, { sorted: true })];
  if (ledger?.schemaId && !schemaIds.includes(ledger.schemaId.toLowerCase())) {
    throw new Refusal('The schema is not the one that the ledger names, so the imprint says nothing about this document.');
  }
  const given = await cert.verify(metadata, evidence, imprint);
  // Without an imprint to compare with, document and evidence can still be compared with each other.
  const report = imprint === '' && given.imprint !== null ? await cert.verify(metadata, evidence, given.imprint) : given;
  const fields = report.entries.map((entry) => ({ ...entry, value: valueAt(metadata, entry.path) }));
  const found = answerOf(report, fields, imprint, ORIGINS[origin]);
  return {
    ...found,
    imprint: { compared: imprint || null, source: imprint ? origin : null, evidence: report.imprint },
    ledger,
    schemaId,
    reasons: report.reasons,
    fields: found.answer === 'untrusted' ? fields.map(untrusted) : fields,
    lists: report.lists,
    hidden: report.imprint === null ? [] : await hiddenFields(cert, schema, metadata, evidence, report.imprint),
  };
}

/** Without an imprint to compare with nothing is proven: anyone can make evidence that a value fits. */
function untrusted(field) {
  return field.status === 'proven' ? { ...field, status: 'untrusted' } : field;
}

/** The answer, with the plain sentence that stands first. */
function answerOf(report, fields, imprint, whose) {
  const of = (status) => fields.filter((field) => field.status === status);
  const names = (some) => {
    const more = some.length > 3 ? ` and ${some.length - 3} more` : '';
    return some.slice(0, 3).map((field) => pathText(field.path)).join(', ') + more;
  };
  if (report.reasons.some(({ code }) => code === 'imprint-mismatch')) {
    return { answer: 'invalid', sentence: `The evidence belongs to another imprint than the one that ${whose}: document and evidence may fit each other, but they are not what was certified.` };
  }
  if (report.imprint === null) {
    return { answer: 'invalid', sentence: `The evidence proves nothing: ${report.reasons[0]?.message ?? 'it is not sound'}.` };
  }
  const unproven = of('not-proven');
  const uncovered = of('not-covered').filter(({ reason }) => reason !== 'not-in-schema');
  if (unproven.length > 0) {
    const too = uncovered.length > 0 ? ` Nor does the evidence cover: ${names(uncovered)}.` : '';
    return { answer: 'invalid', sentence: `${count(unproven.length, 'value')} of this document ${unproven.length === 1 ? 'is' : 'are'} not what was certified: ${names(unproven)}.${too}` };
  }
  const outside = of('not-covered').filter(({ reason, path }) => reason === 'not-in-schema' && !POINTERS.has(path[0]));
  if (uncovered.length > 0) {
    return { answer: 'invalid', sentence: `The evidence does not cover ${count(uncovered.length, 'value')} that this document states: ${names(uncovered)}.` };
  }
  const proven = of('proven').filter(({ path }) => !POINTERS.has(path[0]));
  if (proven.length === 0 || !report.valid) {
    return { answer: 'invalid', sentence: 'This document states nothing that the evidence proves.' };
  }
  const beyond = outside.length > 0 ? ` Not certified by anybody, because the schema does not describe it: ${names(outside)}.` : '';
  if (imprint === '') {
    return { answer: 'untrusted', sentence: `Document and evidence fit each other, but there is no imprint to compare with, and anyone can make such a pair. Get the imprint from the ledger or from the issuer.${beyond}` };
  }
  return { answer: 'valid', sentence: `${count(proven.length, 'value')} of this document ${proven.length === 1 ? 'is' : 'are'} proven under the imprint that ${whose}.${beyond}` };
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

/** A copy of `value` with null for every described property that it lacks; their paths are added to `missing`. */
function withNulls(schema, value, path, missing) {
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      if (item === null && missing.length < MAX_MISSING) {
        missing.push([...path, index]);
      }
      return withNulls(own(schema, 'items'), item, [...path, index], missing);
    });
  }
  if (!isObject(value)) {
    return value;
  }
  const copy = {};
  const properties = own(schema, 'properties');
  for (const key of Object.keys(value)) {
    setOwn(copy, key, withNulls(own(properties, key), value[key], [...path, key], missing));
  }
  for (const key of isObject(properties) ? Object.keys(properties) : []) {
    if (!Object.hasOwn(value, key) && missing.length < MAX_MISSING) {
      setOwn(copy, key, null);
      missing.push([...path, key]);
    }
  }
  return copy;
}
