// Runs the library in a worker, so that the page stays responsive with long documents. Does not use the DOM.
import { evidence } from '/cert/src/evidence.js';
import { Cert } from '/cert/src/init.js';
import { Cert as Aih2, shownWhole } from '/cert/aih2/src/init.js';
import { standsAlone } from './aih2.js';
import { check, parseImprint, reasonText } from './check.js';
import { checkCopy } from './copy.js';
import { bySchema, headingOf, rowOf } from './display.js';
import { openHeld, readShared, shareHeld } from './holder.js';
import { ASSET_KEYS, addressesOf, assetOf, describes, emptyPaths, fileStem, isPointer, privateFile, publicPart, schemaStem, withAddresses, withAsset, withAssetFields, withoutPointers } from './issue.js';
import { Refusal, parseDocument, parseJson, sentenceOf, visible } from './json.js';
import { load } from './load.js';
import { lay } from './plan.js';

/** The maximum number of shown rows and sentences. The machine-readable result has all findings. */
const MAX_ROWS = 500;
/** The maximum length of a shown result, in characters. Browsers lay out longer texts slowly. */
const MAX_SHOWN = 200_000;
/** The order of statuses, with problems first. Within a status, fields are in the schema's order. */
const TROUBLE = ['not-proven', 'not-covered', 'untrusted', 'proven'];

const TASKS = {
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
  async verify({ metadata, evidence, schema, imprint, origin, record }) {
    const proof = parseJson(evidence, 'evidence');
    const isAlone = standsAlone(proof) && metadata.trim() === '';
    const documents = { metadata: isAlone ? null : parseDocument(metadata, 'metadata', 'Verify'), evidence: proof, schema: parseJson(schema, 'schema') };
    const result = await check({ ...documents, imprint: parseImprint(imprint, proof), origin, record });
    // A value that was certified for another asset is a problem, too.
    const rank = ({ status, reason }) => (reason === 'asset-mismatch' ? -1 : TROUBLE.indexOf(status));
    const inOrder = bySchema(documents.schema);
    const found = result.fields.toSorted((a, b) => rank(a) - rank(b) || inOrder(a.path, b.path));
    // The addresses of schema and evidence are listed separately from the document's values, unless there is a problem with them.
    const isFine = ({ status, reason }) => status === 'proven' || status === 'untrusted' || reason === 'not-in-schema';
    const aside = (field) => isPointer(field.path[0]) && isFine(field);
    const rows = found.filter((field) => !aside(field));
    const { proven = 0, notProven = 0, notCovered = 0 } = result.omitted ?? {};
    const row = (field) => rowOf(documents.schema, field, reasonText);
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
      machine: text(result),
    };
  },

  /** Returns the fields of a document that can be ticked, and the paths of those that can only be shown as a whole. The library decides whether the document can be certified, and limits its depth. */
  async read({ profile, ...texts }) {
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
    const isAside = (key) => isPointer(key) || (isAih2 && ASSET_KEYS.includes(key));
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
  async identify({ schema: text }) {
    await load('AIH-2');
    const schema = parseJson(text, 'schema');
    const { schemaId, isAdded } = assetFields({}, schema);
    return { schemaId, isAdded, whole: shownWhole(schema) };
  },

  /**
   * Makes a certificate that shows `paths` and includes `addresses`. Under AIH-2, `secret` is the key, and the certificate also includes and
   * shows the `asset`, unless `asset` is null. Under AIH-1 without a `secret`, anybody can compute the nonces.
   */
  async certify({ profile, paths, secret, addresses, asset, ...texts }) {
    const { data: given, schema } = documents(texts);
    const data = withAddresses(given, addresses);
    if (profile === 'AIH-2') {
      return certifyAih2({ data, schema, paths, secret, asset });
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

async function certifyAih2({ data: given, schema: described, paths, secret, asset }) {
  await load('AIH-2');
  const schema = asset === null ? described : withAssetFields(described);
  const data = asset === null ? given : withAsset(given, schema, asset);
  const key = Uint8Array.from(secret.match(/../g), (pair) => Number.parseInt(pair, 16));
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
function assetFields(data, schema) {
  const bound = withAssetFields(schema);
  const schemaId = new Aih2({ schema: bound, key: new Uint8Array(32) }).identify();
  return { ...assetOf(data), schemaId, isAdded: bound !== schema };
}

/** Returns the common parts of the file names of the certificate and the schema. */
function names(metadata, asset, imprint, cert, schema) {
  return { certificate: fileStem(metadata, asset, imprint), schema: schemaStem(schema, cert.identify()) };
}

function documents(texts) {
  return { data: parseDocument(texts.data, 'document', 'Certify'), schema: parseJson(texts.schema, 'schema') };
}

/** Returns JSON as readable text in two forms: the whole text to copy or save, and the part to show, with invisible characters escaped. */
function text(value) {
  const whole = JSON.stringify(value, null, 2);
  const shown = whole.slice(0, MAX_SHOWN).split('\n').map(visible).join('\n');
  return { whole, shown: shown.length < whole.length ? `${shown}\n… ${whole.length} characters in all` : shown };
}

self.addEventListener('message', async ({ data: { turn, task, input } }) => {
  try {
    self.postMessage({ turn, result: await TASKS[task](input) });
  } catch (error) {
    self.postMessage({ turn, refusal: sentenceOf(error), key: error.key, values: error.values });
  }
});
