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

/**
 * The report, the document's fields, and what the document does not state; `metadata` is null where evidence stands alone. With a `record`
 * the library also compares the asset on the ledger with the one that the document was certified for.
 */
export async function readAih2({ metadata, evidence, schema, imprint, record }) {
  const cert = new Cert({ schema });
  const document = isObject(metadata) ? withoutPointers(metadata, schema) : metadata;
  const given = document === null ? [evidence] : [document, evidence];
  const options = record ? [{ asset: { ledgerId: record.ledger.id, assetId: record.asset.id } }] : [];
  const verify = (against) => cert.verify(...given, against, ...options);
  let found = await verify(imprint === '' ? NONE : imprint);
  if (imprint === '' && found.imprint !== null) {
    found = await verify(found.imprint);
  }
  const isSound = found.imprint !== null && !found.errors.some(({ code }) => code === 'imprint-mismatch');
  const omitted = found.omitted && { proven: found.omitted.entries, notProven: found.omitted.errors, notCovered: 0 };
  const reasons = isSound ? [] : found.errors.map(({ code, path }) => ({ code, path, message: REASONS[code] ?? `it is not sound (${code})` }));
  const report = { ...found, reasons, omitted };
  return { report, fields: fieldsOf(found, document), hidden: isSound && document !== null ? hiddenFields(found, schema, document) : [] };
}

/** The library's words for a value of the document, as AIH-1's reports have them. */
const STATUS = {
  proven: { status: 'proven', reason: null },
  changed: { status: 'not-proven', reason: 'value-mismatch' },
  'not-covered': { status: 'not-covered', reason: 'not-covered' },
  'not-in-schema': { status: 'not-covered', reason: 'not-certified' },
};

/** The document's values, with what was certified in their place where the evidence has it; without a document, those of the evidence. */
function fieldsOf({ entries, errors, shown }, document) {
  const certified = new Map(entries.map(({ path, value }) => [JSON.stringify(path), value]));
  const elsewhere = new Set(errors.filter(({ code }) => code === 'asset-mismatch').map(({ path }) => JSON.stringify(path)));
  const values = document === null ? entries.map(({ path }) => ({ path, status: 'proven' })) : [...shown, ...withheld(errors, shown)];
  return values.map(({ path, status }) => {
    const key = JSON.stringify(path);
    const value = document === null ? certified.get(key) : valueAt(document, path);
    const said = STATUS[status] ?? { status: 'not-proven', reason: errors[0]?.code };
    const known = status === 'changed' && certified.has(key) ? { certified: certified.get(key) } : {};
    return { path, value, ...said, ...known, ...(elsewhere.has(key) ? { reason: 'asset-mismatch' } : {}) };
  });
}

/** Places that the evidence shows and the document beside it does not. */
function withheld(errors, shown) {
  const paths = new Set(shown.map(({ path }) => JSON.stringify(path)));
  const missing = errors.filter(({ code, path }) => code === 'value-mismatch' && !paths.has(JSON.stringify(path)));
  return missing.map(({ path }) => ({ path, status: 'changed' }));
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
