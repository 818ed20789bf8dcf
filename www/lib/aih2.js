// Reads evidence of AIH-2, and reports on a document in the same shape as for AIH-1. Does not use the DOM.
import { Cert } from '/cert/verify/src/init.js';
import { isPointer, withoutPointers } from './issue.js';
import { Refusal, isObject, own, valueAt } from './json.js';
import { load } from './load.js';
import { withNulls } from './missing.js';

/** A placeholder imprint. The report of `verify` has the evidence's own imprint, even under this imprint. */
const NONE = '0'.repeat(64);

const REASONS = {
  'imprint-mismatch': 'it belongs to another imprint',
  'schema-mismatch': 'it is of another schema',
  'evidence-malformed': 'it is not evidence: something in it is missing, unknown or malformed',
  'document-missing': 'it needs its document, and none was given',
  'nothing-open': 'it shows nothing',
  'too-much-work': 'it takes more hashes than are allowed',
};

/** Returns true if the evidence's `profile` is AIH-2, and false if there is no `profile`, as in AIH-1. Refuses any other profile. */
export function isAih2(evidence) {
  const profile = own(evidence, 'profile');
  if (profile !== undefined && profile !== 'AIH-2') {
    throw new Refusal('The evidence is of a profile that this page does not know.', 'refusal.profile');
  }
  return profile === 'AIH-2';
}

/** Returns true if evidence of AIH-2 includes its values. Such evidence needs no document. */
export const standsAlone = (evidence) => isAih2(evidence) && Array.isArray(own(evidence, 'values'));

/**
 * Returns the report, the document's fields, and the fields that the document lacks. `metadata` is null if the evidence comes without a document. With a
 * `record`, the library also compares the asset on the ledger with the asset that the document was certified for.
 */
export async function readAih2({ metadata, evidence, schema, imprint, record }) {
  await load('verifier');
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
  const report = { ...found, reasons, omitted, proves: proves(found) };
  return { report, fields: fieldsOf(found, document), hidden: isSound && document !== null ? hiddenFields(found, schema, document) : [] };
}

/**
 * Returns true if the report proves a value, or that a list is empty. An object without shown values proves nothing. The library has the
 * same rule, but applies the rule only if it knows the asset.
 */
function proves({ entries, lists }) {
  return [...entries, ...lists.filter(({ length }) => length === 0)].some(({ path }) => !isPointer(path[0]));
}

/** The status and reason in AIH-1's reports for each status in AIH-2's reports. */
const STATUS = {
  proven: { status: 'proven', reason: null },
  changed: { status: 'not-proven', reason: 'value-mismatch' },
  'not-covered': { status: 'not-covered', reason: 'not-covered' },
  'not-in-schema': { status: 'not-covered', reason: 'not-certified' },
};

/** Returns the document's values, each with the certified value if the evidence has it. Without a document, returns the evidence's values. */
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

/** Returns the places that the evidence shows but the document does not. */
function withheld(errors, shown) {
  const paths = new Set(shown.map(({ path }) => JSON.stringify(path)));
  const missing = errors.filter(({ code, path }) => code === 'value-mismatch' && !paths.has(JSON.stringify(path)));
  return missing.map(({ path }) => ({ path, status: 'changed' }));
}

/** Returns the fields of the schema that the document lacks: provably absent, or hidden. */
function hiddenFields({ absent, entries }, schema, document) {
  const missing = [];
  withNulls(schema, document, [], missing);
  const isAbsent = new Set(absent.map((path) => JSON.stringify(path)));
  const isShown = new Set(entries.map(({ path }) => JSON.stringify(path)));
  const hidden = missing.filter((path) => !isShown.has(JSON.stringify(path)));
  return hidden.map((path) => ({ path, absent: isAbsent.has(JSON.stringify(path)) }));
}
