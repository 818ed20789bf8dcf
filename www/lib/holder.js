// Opens a holder's files, and makes copies that show a part of their content. Needs no network. Does not use the DOM.
import { Cert } from '/cert/src/init.js';
import { Cert as Aih2 } from '/cert/aih2/src/init.js';
import { evidence as evidenceFile } from '/cert/src/evidence.js';
import { checkCopy } from './copy.js';
import { isFile, readFile, toFragment, writeFile } from './file.js';
import { ASSET_KEYS, assetOf, describes, emptyPaths, isPointer, isPrivateFile, readPrivateFile, withoutPointers } from './issue.js';
import { Refusal, isObject, own } from './json.js';
import { load } from './load.js';
import { plainFields } from './model.js';
import { lay } from './plan.js';

const NO_IMPRINT = '0'.repeat(64);

/**
 * Opens the texts of a holder's files: a private file, a certificate's file, or evidence with its schema. Returns the document, and everything that
 * can be shown: `{ schema, document, imprint, profile, ledger, asset, nodes, fields, paths }`. `ledger` and `asset` are empty if neither the
 * file nor the document names them. `paths` are the paths that an issuer's private file lists as public. For other files, `paths` is empty.
 */
export async function openHeld({ texts }) {
  const { schema, document, imprint, profile, paths, ledger, asset } = await sourceOf(texts);
  const isShown = ({ path }) => !isPointer(path[0]) && !ASSET_KEYS.includes(path[0]);
  const nodes = lay(schema, document).filter(isShown);
  if (nodes.length === 0) {
    throw Refusal.of('share.nothing');
  }
  return { schema, document, imprint, profile, ledger, asset, nodes, fields: plainFields(schema, document, 'proven'), paths: paths.filter((path) => isShown({ path })) };
}

/**
 * Makes a copy that shows `paths`, and the fields that name its asset. Returns `{ file, fragment }`: the text of a file, and the short form
 * for a link. `fragment` is null if the short form would be too long.
 */
export async function shareHeld({ texts, paths, ledger, asset, service }) {
  const source = await sourceOf(texts);
  const { document, evidence } = await source.disclose(withAssetPaths(source.schema, paths));
  const file = { service, ledger, asset, imprint: source.imprint, schema: source.schema, document, evidence };
  // Evidence with values needs no document.
  const short = Array.isArray(own(evidence, 'values')) ? { ...file, document: null } : file;
  return { file: writeFile(file), fragment: await toFragment(short) };
}

/** Reads a copy that shows `paths` as its recipient does. Returns `{ fields, hidden }`, as `checkCopy` does. */
export async function readShared({ texts, paths }) {
  const { schema, imprint, disclose } = await sourceOf(texts);
  const shown = withAssetPaths(schema, paths);
  if (shown.length === 0) {
    return { fields: [], hidden: Object.keys(schema.properties).map((key) => [key]) };
  }
  return checkCopy({ schema, ...(await disclose(shown)), imprints: [imprint], record: null });
}

const withAssetPaths = (schema, paths) => [...ASSET_KEYS.filter((key) => describes(schema, key)).map((key) => [key]), ...paths];

async function sourceOf(texts) {
  const [text] = texts;
  const source = await (texts.length === 1 && isPrivateFile(text) ? fromPrivateFile(text) : fromEvidence(texts));
  const { ledgerId, assetId } = assetOf(source.document);
  return { ledger: ledgerId, asset: assetId, paths: [], ...source };
}

/** Opens the issuer's private file, which has the key or the secret. */
async function fromPrivateFile(text) {
  const { profile, imprint, secret, paths, ...documents } = readPrivateFile(text);
  await load(profile);
  const [data, schema] = [documents.data, documents.schema].map((text) => JSON.parse(text));
  const isAih2 = profile === 'AIH-2';
  if (isAih2 && !/^[0-9a-f]{64}$/.test(secret)) {
    throw Refusal.of('refusal.damaged');
  }
  const document = isAih2 ? withoutPointers(data, schema) : data;
  const cert = isAih2 ? new Aih2({ schema, key: bytesOf(secret) }) : new Cert({ schema, noncer: secret === '' ? undefined : { secret } });
  if (digits(await cert.imprint(document)) !== digits(imprint)) {
    throw Refusal.of('share.changed');
  }
  const disclose = async (shown) => {
    const proof = await cert.disclose(document, isAih2 ? [...shown, ...emptyPaths(schema, document, shown)] : shown);
    return { document: cert.expose(document, shown), evidence: isAih2 ? proof : evidenceFile(proof) };
  };
  return { profile, imprint: digits(imprint), schema, document, paths, disclose };
}

/** Opens a certificate's file, or evidence of AIH-2 with its schema. Evidence that shows less can be made from it without a key. */
async function fromEvidence(texts) {
  const { schema, document: given, evidence, ...named } = texts.length === 1 && isFile(texts[0]) ? readFile(texts[0]) : partsOf(texts);
  if (own(evidence, 'profile') !== 'AIH-2') {
    throw Refusal.of('share.profile');
  }
  await load('AIH-2');
  const cert = new Aih2({ schema });
  const document = given === null ? null : withoutPointers(given, schema);
  const brought = Array.isArray(own(evidence, 'values'));
  const proof = document === null || brought ? [evidence] : [document, evidence];
  const { imprint } = await cert.verify(...proof, NO_IMPRINT);
  const report = imprint === null ? null : await cert.verify(...proof, imprint);
  if (!report?.valid || !report.document || (named.imprint !== undefined && digits(imprint) !== named.imprint)) {
    throw Refusal.of('share.changed');
  }
  const provable = new Set(report.absent.map((path) => JSON.stringify(path)));
  const disclose = async (shown) => {
    const empty = emptyPaths(schema, report.document, shown).filter((path) => provable.has(JSON.stringify(path)));
    const reduced = await cert.reduce(...proof, [...shown, ...empty]);
    const made = await cert.verify(reduced, imprint);
    return { document: made.document, evidence: reduced };
  };
  const { ledger, asset } = named;
  return { profile: 'AIH-2', imprint: digits(imprint), schema, document: report.document, disclose, ...(ledger === undefined ? {} : { ledger, asset }) };
}

/** Distinguishes evidence, schema and document among separate files. */
function partsOf(texts) {
  const values = texts.map(parsed);
  const evidence = values.find((value) => typeof own(value, 'profile') === 'string' && typeof own(value, 'proof') === 'string');
  const schema = values.find((value) => isObject(own(value, 'properties')));
  const document = values.find((value) => isObject(value) && value !== evidence && value !== schema) ?? null;
  if (evidence === undefined && schema === undefined) {
    throw Refusal.of(values.some(Array.isArray) ? 'foreign.list' : 'share.foreign');
  }
  if (evidence === undefined || schema === undefined) {
    throw Refusal.of(evidence === undefined ? 'share.evidenceMissing' : 'share.schemaMissing');
  }
  return { schema, document, evidence };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw Refusal.of('file.json');
  }
}

const digits = (imprint) => imprint.replace(/^(aih2:|0x)/, '').toLowerCase();

const bytesOf = (key) => Uint8Array.from(key.match(/../g), (pair) => Number.parseInt(pair, 16));
