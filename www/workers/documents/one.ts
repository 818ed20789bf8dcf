// Runs the library in a worker, so that the page stays responsive with long documents. Does not use the DOM.
import { evidence } from '/cert/src/evidence.js';
import { Cert } from '/cert/src/init.js';
import { Cert as Aih2, shownWhole } from '/cert/aih2/src/init.js';
import type { AssetRecord } from '/cert/src/init.js';
import type { Validity } from '/client/index.js';
import { standsAlone } from '/view/aih2.ts';
import { check, parseImprint, reasonText } from '/view/check.ts';
import type { Origin } from '/view/check.ts';
import { checkCopy } from '/view/copy.ts';
import { bySchema, headingOf, rowOf } from '/view/display.ts';
import type { Field } from '/view/field.ts';
import { completeForm, openForm } from '/lib/forms.ts';
import { openHeld, readShared, shareHeld } from '/lib/holder.ts';
import {
  ASSET_KEYS,
  addressesOf,
  assetOf,
  describes,
  emptyPaths,
  fileStem,
  isAssetKey,
  isPointer,
  privateFile,
  publicPart,
  schemaStem,
  withAddresses,
  withAsset,
  withAssetFields,
  withoutPointers,
} from '/view/issue.ts';
import type { Addresses, AssetIds, Profile } from '/view/issue.ts';
import { Refusal, parseDocument, parseJson, visible } from '/view/json.ts';
import type { JsonObject, Path } from '/view/json.ts';
import { load } from '/view/load.ts';
import { lay } from '/lib/plan.ts';
import { serve } from '/lib/serve.ts';
import { dataOf } from '/view/untrusted.ts';

/** The maximum number of shown rows and sentences. The machine-readable result has all findings. */
const MAX_ROWS = 500;
/** The maximum length of a shown result, in characters. Browsers lay out longer texts slowly. */
const MAX_SHOWN = 200_000;
/** The order of statuses, with problems first. Within a status, fields are in the schema's order. */
const TROUBLE: Field['status'][] = ['not-proven', 'not-covered', 'untrusted', 'proven'];

/** The texts of a certificate to verify. `record` is the service's record of its asset, or null. */
interface ToVerify {
  metadata: string;
  evidence: string;
  schema: string;
  imprint: string;
  origin: Origin;
  record: Pick<Validity, 'ledger' | 'asset'> | null;
}

/** The texts of a document and its schema. */
interface Texts {
  data: string;
  schema: string;
}

/** A certificate to make. `asset` is null without a ledger, and under AIH-1. */
interface ToCertify extends Texts {
  profile: Profile;
  paths: readonly Path[];
  secret: string | undefined;
  addresses: Addresses;
  asset: AssetIds | null;
}

/** JSON as readable text: the whole text to copy or save, and the part to show, with invisible characters escaped. */
export interface ShownJson {
  whole: string;
  shown: string;
}

/** A certificate that was made. `document` and `whole`, the evidence for the whole document, are undefined under AIH-1. */
export interface MadeCertificate {
  imprint: string;
  schemaId: string;
  schema: string;
  files: { certificate: string; schema: string };
  metadata: ShownJson;
  evidence: ShownJson;
  kept: string;
  document?: JsonObject;
  whole?: string;
}

export type Tasks = typeof TASKS;

const TASKS = {
  /** Reads the short form in a link, and completes a compact one with the public files. */
  openForm,
  completeForm,

  /** Loads the whole library. Later tasks then need no network. */
  async ready() {
    await load('AIH-1', 'AIH-2', 'verifier');
  },

  /** Verifies a copy of a certificate, for the page that shows it. */
  certificate: checkCopy,

  /** Opens a holder's files, makes a copy that shows a part of them, and reads such a copy as its recipient does. */
  hold: openHeld,
  share: shareHeld,
  preview: readShared,

  /** Verifies three texts under an imprint. `origin` is the imprint's source, and `record` the service's record of its asset, or null. */
  async verify({ metadata, evidence, schema, imprint, origin, record }: ToVerify) {
    const proof = parseJson(evidence, 'evidence');
    const isAlone = standsAlone(proof) && metadata.trim() === '';
    const documents = { metadata: isAlone ? null : parseDocument(metadata, 'metadata', 'Verify'), evidence: proof, schema: parseJson(schema, 'schema') };
    const ledger = record?.ledger;
    // Earlier imprints are left out, because this page does not show the status that they cause.
    const asset: AssetRecord['asset'] = { id: record?.asset?.id, imprint: parseImprint(imprint, proof) };
    const { status, ...result } = await check({ ...documents, record: { ledger, asset }, origin });
    // A value that was certified for another asset is a problem, too.
    const rank = ({ status, reason }: Field) => (reason === 'asset-mismatch' ? -1 : TROUBLE.indexOf(status));
    const inOrder = bySchema(documents.schema);
    const found = result.fields.toSorted((a, b) => rank(a) - rank(b) || inOrder(a.path, b.path));
    // The addresses of schema and evidence are listed separately from the document's values, unless there is a problem with them.
    const isFine = ({ status, reason }: Field) => status === 'proven' || status === 'untrusted' || reason === 'not-in-schema';
    const aside = (field: Field) => isPointer(field.path[0]) && isFine(field);
    const rows = found.filter((field) => !aside(field));
    const { proven = 0, notProven = 0, notCovered = 0 } = result.omitted ?? {};
    const row = (field: Field) => rowOf(documents.schema, field, reasonText);
    return {
      answer: result.answer,
      heading: result.heading,
      sentence: result.sentence,
      title: headingOf(documents.schema),
      rows: rows.slice(0, MAX_ROWS).map(row),
      more: Math.max(rows.length - MAX_ROWS, 0) + proven + notProven + notCovered,
      pointers: found.filter(aside).slice(0, MAX_ROWS).map(row),
      lists: result.lists.slice(0, MAX_ROWS),
      hidden: result.hidden.slice(0, MAX_ROWS),
      machine: text({ ...result, record }),
    };
  },

  /** Returns the fields of a document that can be ticked, and the paths of those that can only be shown as a whole. The library decides whether the document can be certified, and limits its depth. */
  async read({ profile, ...texts }: Texts & { profile: Profile }) {
    const { data, schema } = documents(texts);
    const isAih2 = profile === 'AIH-2';
    await load(profile);
    if (isAih2) {
      // Any key works, because the check does not depend on the key.
      await new Aih2({ schema, key: new Uint8Array(32) }).imprint(withoutPointers(data, schema));
    } else {
      await new Cert({ schema }).imprint(data);
    }
    // The page has separate fields for the asset's keys.
    const isAside = (key: unknown) => isPointer(key) || (isAih2 && isAssetKey(key));
    const nodes = lay(schema, data).filter(({ path }) => !isAside(path[0]));
    if (nodes.length === 0) {
      throw new Refusal('The schema describes no field of this document, so there is nothing to certify.', 'certify.noFields');
    }
    const outside = Object.keys(data).filter((key) => !describes(schema, key) && !isPointer(key));
    return { nodes, outside, addresses: addressesOf(data), asset: isAih2 ? assetFields(data, schema) : null, whole: isAih2 ? shownWhole(schema) : [] };
  },

  /**
   * Returns the id of a schema with the fields of the asset, with which a ledger is deployed, and the paths of the values that can only be shown as a whole:
   * `{ schemaId, isAdded, whole }`.
   */
  async identify({ schema: text }: { schema: string }) {
    await load('AIH-2');
    const schema = dataOf(parseJson(text, 'schema'));
    const { schemaId, isAdded } = assetFields({}, schema);
    return { schemaId, isAdded, whole: shownWhole(schema) };
  },

  /**
   * Makes a certificate that shows `paths` and includes `addresses`. Under AIH-2, `secret` is the key, and the certificate also includes and
   * shows the `asset`, unless `asset` is null. Under AIH-1 without a `secret`, anybody can compute the nonces.
   */
  async certify({ profile, paths, secret, addresses, asset, ...texts }: ToCertify): Promise<MadeCertificate> {
    const { data: given, schema } = documents(texts);
    const data = withAddresses(given, addresses);
    if (profile === 'AIH-2') {
      return certifyAih2({ data, schema, paths, secret: secret ?? '', asset });
    }
    await load('AIH-1');
    const cert = new Cert({ schema, noncer: secret === undefined ? undefined : { secret } });
    const { disclosed, metadata } = publicPart(cert, schema, data, paths);
    const [imprint, proofs] = [await cert.imprint(data), await cert.disclose(data, disclosed)];
    return {
      imprint,
      schemaId: cert.identify(),
      schema: texts.schema,
      files: names(metadata, null, imprint, cert, schema),
      metadata: text(metadata),
      evidence: text(evidence(proofs)),
      kept: privateFile({ imprint, secret, paths, data, schema }),
    };
  },
};

interface ToCertifyAih2 extends Pick<ToCertify, 'paths' | 'asset'> {
  data: JsonObject;
  schema: JsonObject;
  /** The key, 64 hexadecimal digits. */
  secret: string;
}

async function certifyAih2({ data: given, schema: described, paths, secret, asset }: ToCertifyAih2): Promise<MadeCertificate> {
  await load('AIH-2');
  const schema = asset === null ? described : withAssetFields(described);
  const data = asset === null ? given : withAsset(given, schema, asset);
  const key = Uint8Array.from(secret.match(/../g) ?? [], (pair: string) => Number.parseInt(pair, 16));
  const cert = new Aih2({ schema, key });
  const document = withoutPointers(data, schema);
  const { disclosed, metadata } = publicPart(cert, schema, data, paths, ASSET_KEYS);
  const open = [...disclosed, ...emptyPaths(schema, document, disclosed)];
  const [imprint, evidence, whole] = [await cert.imprint(document), await cert.disclose(document, open), await cert.notarize(document)];
  // A ledger accepts only the digits.
  const digits = imprint.replace(/^aih2:/, '');
  return {
    imprint: digits,
    schemaId: cert.identify(),
    schema: text(schema).whole,
    files: names(metadata, asset, digits, cert, schema),
    metadata: text(metadata),
    evidence: text(evidence),
    document,
    whole: text(whole).whole,
    kept: privateFile({ profile: 'AIH-2', imprint: digits, secret, paths, data, schema }),
  };
}

/** Returns the asset in the document, and the id of the schema that certifies it. */
function assetFields(data: unknown, schema: object) {
  const bound = withAssetFields(schema);
  const schemaId = new Aih2({ schema: bound, key: new Uint8Array(32) }).identify();
  return { ...assetOf(data), schemaId, isAdded: bound !== schema };
}

/** Returns the common parts of the file names of the certificate and the schema. */
function names(metadata: unknown, asset: AssetIds | null, imprint: string, cert: { identify(): string }, schema: unknown) {
  return { certificate: fileStem(metadata, asset, imprint), schema: schemaStem(schema, cert.identify()) };
}

function documents(texts: Texts) {
  return { data: dataOf(parseDocument(texts.data, 'document', 'Certify')), schema: dataOf(parseJson(texts.schema, 'schema')) };
}

function text(value: unknown): ShownJson {
  const whole = JSON.stringify(value, null, 2);
  const shown = whole.slice(0, MAX_SHOWN).split('\n').map(visible).join('\n');
  return { whole, shown: shown.length < whole.length ? `${shown}\n… ${whole.length} characters in all` : shown };
}

serve(TASKS);
