// Evidence of AIH-2: what it says of a document, in the shape that AIH-1's has. No DOM here.
import { Cert } from '/cert/verify/src/init.js';
import { withoutPointers } from './issue.js';
import { Refusal, isObject, own, valueAt } from './json.js';
import { withNulls } from './missing.js';

/** Some imprint, under which evidence says which one is its own. */
const NONE = '0'.repeat(64);

const REASONS = {
  'imprint-mismatch': 'it belongs to another imprint',
  'schema-mismatch': 'it is of another schema',
  'evidence-malformed': 'it is not evidence: something in it is missing, unknown or malformed',
  'document-missing': 'it goes with a document, and there is none',
  'nothing-open': 'it shows nothing',
  'too-much-work': 'it takes more hashes than are allowed',
};

/** Whether evidence says that it is of AIH-2; refuses other profiles. */
export function isAih2(evidence) {
  const profile = own(evidence, 'profile');
  if (profile !== undefined && profile !== 'AIH-2') {
    throw new Refusal('The evidence is of a profile that this page does not know.');
  }
  return profile === 'AIH-2';
}

/** Whether evidence of AIH-2 brings its values along, so that it needs no document. */
export const standsAlone = (evidence) => isAih2(evidence) && Array.isArray(own(evidence, 'values'));

/** The report, the document's fields, and what the document does not state; `metadata` is null where evidence stands alone. */
export async function readAih2({ metadata, evidence, schema, imprint }) {
  const cert = new Cert({ schema });
  const document = isObject(metadata) ? withoutPointers(metadata, schema) : metadata;
  const verify = (against) => (document === null ? cert.verify(evidence, against) : cert.verify(document, evidence, against));
  let found = await verify(imprint === '' ? NONE : imprint);
  if (imprint === '' && found.imprint !== null) {
    found = await verify(found.imprint);
  }
  const isSound = found.imprint !== null && !found.errors.some(({ code }) => code === 'imprint-mismatch');
  const omitted = found.omitted && { proven: found.omitted.entries, notProven: found.omitted.errors, notCovered: 0 };
  const reasons = isSound ? [] : found.errors.map(({ code, path }) => ({ code, path, message: REASONS[code] ?? `it is not sound (${code})` }));
  const report = { ...found, reasons, omitted };
  return { report, fields: isSound ? fieldsOf(found, document) : [], hidden: isSound && document !== null ? hiddenFields(found, schema, document) : [] };
}

/** The proven values, and the places where the document differs, with what was certified there where the evidence has it. */
function fieldsOf({ entries, errors }, document) {
  const certified = new Map(entries.map(({ path, value }) => [JSON.stringify(path), value]));
  const wrong = errors.map(({ code, path }) => {
    const key = JSON.stringify(path);
    const known = certified.has(key) ? { certified: certified.get(key) } : {};
    certified.delete(key);
    const status = code === 'value-mismatch' ? 'not-proven' : 'not-covered';
    return { path, status, reason: code === 'not-in-schema' ? 'not-certified' : code, value: valueAt(document, path), ...known };
  });
  const proven = entries.filter(({ path }) => certified.has(JSON.stringify(path)));
  return [...proven.map(({ path, value }) => ({ path, status: 'proven', reason: null, value })), ...wrong];
}

/** The fields that the schema has and the document does not state: provably absent, or hidden. */
function hiddenFields({ absent, entries }, schema, document) {
  const missing = [];
  withNulls(schema, document, [], missing);
  const isAbsent = new Set(absent.map((path) => JSON.stringify(path)));
  const isShown = new Set(entries.map(({ path }) => JSON.stringify(path)));
  const hidden = missing.filter((path) => !isShown.has(JSON.stringify(path)));
  return hidden.map((path) => ({ path, absent: isAbsent.has(JSON.stringify(path)) }));
}
