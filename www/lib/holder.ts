// Opens a holder's files, and makes copies that show a part of their content. Needs no network. Does not use the DOM.
import { Cert } from '/cert/src/init.js';
import { Cert as Aih2 } from '/cert/aih2/src/init.js';
import type { Evidence, Json } from '/cert/aih2/src/init.js';
import { evidence as evidenceFile } from '/cert/src/evidence.js';
import { checkCopy } from '../../pkg/view/src/copy.ts';
import type { Field } from '../../pkg/view/src/field.ts';
import { isFile, readFile, toFragment, writeFile } from './file.ts';
import { ASSET_KEYS, assetOf, describes, emptyPaths, isAssetKey, isPointer, isPrivateFile, readPrivateFile, withoutPointers } from '../../pkg/view/src/issue.ts';
import type { Profile } from '../../pkg/view/src/issue.ts';
import { Refusal, isObject, own } from '../../pkg/view/src/json.ts';
import type { JsonObject, Path } from '../../pkg/view/src/json.ts';
import { load } from '../../pkg/view/src/load.ts';
import { plainFields } from '../../pkg/view/src/model.ts';
import { lay } from './plan.ts';
import type { PlanNode } from './plan.ts';
import { evidenceOf } from '../../pkg/view/src/untrusted.ts';

const NO_IMPRINT = '0'.repeat(64);

/** The ids of a certificate. They are empty if neither the file nor the document names them. */
interface Ids {
  ledger: string;
  asset: string;
}

/** A certificate that its holder opened, with everything that can be shown. */
export interface Held extends Ids {
  schema: JsonObject;
  document: JsonObject;
  imprint: string;
  profile: Profile;
  nodes: PlanNode[];
  fields: Field[];
  /** The paths that an issuer's private file lists as public. Empty for other files. */
  paths: Path[];
}

/** A certificate from which a part can be shown. `disclose` makes the document and the evidence of a part. */
interface Source {
  profile: Profile;
  imprint: string;
  schema: JsonObject;
  document: JsonObject;
  paths?: Path[];
  ledger?: string;
  asset?: string;
  disclose(shown: readonly Path[]): Promise<{ document: { [key: string]: Json } | null; evidence: unknown }>;
}

/** Opens the texts of a holder's files: a private file, a certificate's file, or evidence with its schema. */
export async function openHeld({ texts }: { texts: string[] }): Promise<Held> {
  const { schema, document, imprint, profile, paths, ledger, asset } = await sourceOf(texts);
  const isShown = ({ path: [key] }: { path: Path }) => !isPointer(key) && !isAssetKey(key);
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
export async function shareHeld({ texts, paths, ledger, asset, service }: Ids & { texts: string[]; paths: readonly Path[]; service: string }): Promise<{ file: string; fragment: string | null }> {
  const source = await sourceOf(texts);
  const { document, evidence } = await source.disclose(withAssetPaths(source.schema, paths));
  const file = { service, ledger, asset, imprint: source.imprint, schema: source.schema, document, evidence };
  // Evidence with values needs no document.
  const short = Array.isArray(own(evidence, 'values')) ? { ...file, document: null } : file;
  return { file: writeFile(file), fragment: await toFragment(short) };
}

/** Reads a copy that shows `paths` as its recipient does. */
export async function readShared({ texts, paths }: { texts: string[]; paths: readonly Path[] }): Promise<{ fields: Field[]; hidden: Path[] }> {
  const { schema, imprint, disclose } = await sourceOf(texts);
  const shown = withAssetPaths(schema, paths);
  if (shown.length === 0) {
    return { fields: [], hidden: Object.keys(Object(schema.properties)).map((key) => [key]) };
  }
  return checkCopy({ schema, ...(await disclose(shown)), record: { asset: { imprint } } });
}

const withAssetPaths = (schema: unknown, paths: readonly Path[]): Path[] => [...ASSET_KEYS.filter((key) => describes(schema, key)).map((key) => [key]), ...paths];

async function sourceOf(texts: string[]) {
  const [text] = texts;
  const source: Source = await (text !== undefined && texts.length === 1 && isPrivateFile(text) ? fromPrivateFile(text) : fromEvidence(texts));
  const { ledgerId, assetId } = assetOf(source.document);
  return { ledger: ledgerId, asset: assetId, paths: [], ...source };
}

/** Opens the issuer's private file, which has the key or the secret. */
async function fromPrivateFile(text: string): Promise<Source> {
  const { profile, imprint, secret, paths, ...documents } = readPrivateFile(text);
  await load(profile);
  const [data, schema]: [JsonObject, JsonObject] = [JSON.parse(documents.data), JSON.parse(documents.schema)];
  const isAih2 = profile === 'AIH-2';
  if (isAih2 && !/^[0-9a-f]{64}$/.test(secret)) {
    throw Refusal.of('refusal.damaged');
  }
  const document = isAih2 ? withoutPointers(data, schema) : data;
  const { cert, evidence } = isAih2 ? certOfAih2(schema, document, secret) : certOfAih1(schema, document, secret);
  if (digits(await cert.imprint(document)) !== digits(imprint)) {
    throw Refusal.of('share.changed');
  }
  const disclose = async (shown: readonly Path[]) => ({ document: cert.expose(document, shown), evidence: await evidence(shown) });
  return { profile, imprint: digits(imprint), schema, document, paths, disclose };
}

function certOfAih1(schema: JsonObject, document: JsonObject, secret: string) {
  const cert = new Cert({ schema, noncer: secret === '' ? undefined : { secret } });
  return { cert, evidence: async (shown: readonly Path[]) => evidenceFile(await cert.disclose(document, shown)) };
}

function certOfAih2(schema: JsonObject, document: JsonObject, key: string) {
  const cert = new Aih2({ schema, key: bytesOf(key) });
  return { cert, evidence: (shown: readonly Path[]) => cert.disclose(document, [...shown, ...emptyPaths(schema, document, shown)]) };
}

/** Opens a certificate's file, or evidence of AIH-2 with its schema. Evidence that shows less can be made from it without a key. */
async function fromEvidence(texts: string[]): Promise<Source> {
  const [only = ''] = texts;
  const file = texts.length === 1 && isFile(only) ? readFile(only) : null;
  const { schema, document: given, evidence: untrusted } = file ?? partsOf(texts);
  if (own(untrusted, 'profile') !== 'AIH-2') {
    throw Refusal.of('share.profile');
  }
  await load('AIH-2');
  const cert = new Aih2({ schema });
  const document = given === null ? null : withoutPointers(given, schema);
  const evidence = evidenceOf(untrusted);
  const whole = document === null || Array.isArray(own(evidence, 'values')) ? null : document;
  const verify = (imprint: string) => (whole === null ? cert.verify(evidence, imprint) : cert.verify(whole, evidence, imprint));
  const reduce = (paths: Path[]): Promise<Evidence> => (whole === null ? cert.reduce(evidence, paths) : cert.reduce(whole, evidence, paths));
  const { imprint } = await verify(NO_IMPRINT);
  const report = imprint === null ? null : await verify(imprint);
  if (imprint === null || !report?.valid || !report.document || (file !== null && digits(imprint) !== file.imprint)) {
    throw Refusal.of('share.changed');
  }
  const held = report.document;
  const provable = new Set(report.absent.map((path) => JSON.stringify(path)));
  const disclose = async (shown: readonly Path[]) => {
    const empty = emptyPaths(schema, held, shown).filter((path) => provable.has(JSON.stringify(path)));
    const reduced = await reduce([...shown, ...empty]);
    const made = await cert.verify(reduced, imprint);
    return { document: made.document, evidence: reduced };
  };
  return { profile: 'AIH-2', imprint: digits(imprint), schema, document: held, disclose, ...(file === null ? {} : { ledger: file.ledger, asset: file.asset }) };
}

/** Distinguishes evidence, schema and document among separate files. */
function partsOf(texts: string[]) {
  const values = texts.map(parsed);
  const evidence = values.find((value) => typeof own(value, 'profile') === 'string' && typeof own(value, 'proof') === 'string');
  const schema = values.filter(isObject).find((value) => isObject(own(value, 'properties')));
  const document = values.filter(isObject).find((value) => value !== evidence && value !== schema) ?? null;
  if (evidence === undefined && schema === undefined) {
    throw Refusal.of(values.some(Array.isArray) ? 'foreign.list' : 'share.foreign');
  }
  if (evidence === undefined || schema === undefined) {
    throw Refusal.of(evidence === undefined ? 'share.evidenceMissing' : 'share.schemaMissing');
  }
  return { schema, document, evidence };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw Refusal.of('file.json');
  }
}

const digits = (imprint: string) => imprint.replace(/^(aih2:|0x)/, '').toLowerCase();

const bytesOf = (key: string) => Uint8Array.from(key.match(/../g) ?? [], (pair: string) => Number.parseInt(pair, 16));
