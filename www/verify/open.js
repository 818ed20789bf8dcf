// The first part of the verify page: one field and one drop zone for every form of a certificate.
import { refuseBelow } from '/lib/answers.js';
import { view } from '/certificate/view.js';
import { PRIVATE_ENDING, cleaned, fromFragment, isAnchor, isFile, readFile, repairedFragment } from '/lib/file.js';
import { foreignKind } from '/lib/foreign.js';
import { assetOf as assetIn, isPrivateFile } from '/lib/issue.js';
import { Refusal, isObject, own, shorten, visible } from '/lib/json.js';
import { assetOf, isCutLink } from '/lib/link.js';
import { byId } from '/lib/page.js';
import { sentence } from '/lib/sentence.js';
import { readText } from '/lib/text-file.js';
import { listText, offerLanguages, say, translate } from '/lib/texts.js';

/** The maximum number of files that are read together. */
const MAX_FILES = 8;
/** The maximum width and height of a picture for the reader of QR codes, in pixels. */
const MAX_PIXELS = 1600;

/** The separate files so far: `{ document, evidence, schema }`. */
let parts = {};

translate();
offerLanguages(byId('languages'));

/** Shows the certificate that a text names. If the text names no other service, opens the certificate's page, because the address of that page can be passed on. */
async function openLink(text, refusal = Refusal.of(isCutLink(text) ? 'file.link' : 'verify.nothing')) {
  const asset = assetOf(text);
  if (asset === null) {
    throw refusal;
  }
  const [ledger, id] = [asset.ledgerId, BigInt(asset.assetId).toString()];
  const given = asset.fragment === null || isAnchor(cleaned(asset.fragment)) ? null : asset.fragment;
  const copy = given === null ? null : await fromFragment(given);
  const path = `/c/${ledger}/${id}`;
  if (asset.host === null || asset.host === location.host) {
    location.assign(copy === null ? path : `${path}#${await repairedFragment(given, copy)}`);
    return;
  }
  byId('whose').textContent = say('verify.other', { host: visible(asset.host) });
  await show(ledger, id, copy, '');
}

async function show(ledger, asset, copy, source, wholeSource = source) {
  byId('view').scrollIntoView({ block: 'start' });
  await view(byId('view'), { ledger, asset, copy, source, wholeSource, address: `${location.origin}/c/${ledger}/${asset}` });
}

async function openFiles(files) {
  reset();
  byId('whose').textContent = say('verify.reading');
  try {
    if (files.length > MAX_FILES) {
      throw Refusal.of('share.tooMany');
    }
    for (const file of files) {
      if (file.type.startsWith('image/')) {
        await openLink(await codeIn(file));
        return;
      }
      if (await openText(await readText(file), file.name)) {
        return;
      }
    }
    await openParts();
  } catch (error) {
    refuse(error);
  } finally {
    clearReading();
  }
}

function clearReading() {
  if (byId('whose').textContent === say('verify.reading')) {
    byId('whose').textContent = '';
  }
}

/** Opens a certificate file. If the file is one of the separate files, keeps it for later and returns false. */
async function openText(text, name) {
  if (isPrivateFile(text)) {
    throw Refusal.of('verify.privateFile');
  }
  if (isFile(text)) {
    await openFile(readFile(text), name.toLowerCase().endsWith(PRIVATE_ENDING));
    return true;
  }
  keep(parsed(text));
  return false;
}

async function openFile({ service, ledger, asset, schema, document, evidence }, isPrivate) {
  if (service !== location.origin) {
    throw Refusal.of('verify.foreignService', { host: new URL(service).host });
  }
  const whole = say('certificate.fromPrivateFile');
  await show(ledger, asset, { schema, document, evidence }, isPrivate ? whole : say('certificate.fromFile'), whole);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    const kind = foreignKind(text);
    throw Refusal.of(kind === null ? 'file.json' : `foreign.${kind}`);
  }
}

/** Stores separate evidence, or a separate schema or document, until all of them are there. */
function keep(value) {
  const proofs = Array.isArray(value) ? value : own(value, 'data');
  if (typeof own(value, 'proof') === 'string' || (Array.isArray(proofs) && proofs.length > 0 && proofs.every((proof) => Array.isArray(own(proof, 'nodes'))))) {
    parts.evidence = value;
  } else if (!isObject(value)) {
    throw Refusal.of('foreign.list');
  } else {
    parts[isObject(own(value, 'properties')) ? 'schema' : 'document'] = value;
  }
}

/** Checks the separate files. Refuses them while one is missing. The record belongs to the asset of the link in the field, or else to the asset that the files name. */
async function openParts() {
  const { evidence, schema, document = null } = parts;
  const missing = Object.entries({ document: document ?? own(evidence, 'values'), evidence, schema }).filter(([, value]) => value === undefined).map(([name]) => say(`verify.${name}`));
  if (missing.length > 0) {
    throw Refusal.of('verify.missing', { files: listText(missing) });
  }
  const named = assetIn(document ?? Object.fromEntries(evidence.values.filter((pair) => Array.isArray(pair) && pair[0]?.length === 1).map(([[key], value]) => [key, value])));
  const asset = assetOf(byId('given').value) ?? assetOf(`${named.ledgerId}/${named.assetId}`);
  if (asset === null) {
    throw Refusal.of('verify.imprintMissing');
  }
  await show(asset.ledgerId, BigInt(asset.assetId).toString(), { schema, document, evidence }, say('certificate.fromFile'));
  parts = {};
}

/** Reads the QR code in a picture. */
async function codeIn(file) {
  let pixels;
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, MAX_PIXELS / Math.max(picture.width, picture.height));
    const [width, height] = [picture.width, picture.height].map((size) => Math.max(1, Math.round(size * scale)));
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.drawImage(picture, 0, 0, width, height);
    pixels = context.getImageData(0, 0, width, height);
  } catch {
    throw Refusal.of('verify.pictureBroken');
  }
  const { default: decodeQR } = await import('/qr/decode.js');
  let text;
  try {
    text = decodeQR(pixels);
  } catch {
    throw Refusal.of('verify.noQr');
  }
  if (assetOf(text) === null) {
    throw Refusal.of('verify.qrForeign', { text: visible(shorten(text, 100)) });
  }
  return text;
}

/** Shows the example. Its record is a file of this page. `change` converts the record to an answer of the service. */
async function openExample(change) {
  reset();
  try {
    const { data } = await (await fetch('/verify/example.json')).json();
    const { ledger, asset } = data;
    const record = async () => change(data);
    await view(byId('view'), { ledger: ledger.id, asset: asset.id, source: say('verify.isExample'), address: null, record, isEmbedded: true });
    byId('view').scrollIntoView({ block: 'start' });
  } catch (error) {
    refuse(error);
  }
}

function reset() {
  byId('refusal').hidden = true;
  byId('whose').textContent = '';
  byId('view').replaceChildren();
}

const refuse = (error) => refuseBelow(byId('refusal'), say('common.notPossible'), sentence(error));

byId('drop').addEventListener('submit', async (event) => {
  event.preventDefault();
  reset();
  try {
    await openLink(byId('given').value);
  } catch (error) {
    refuse(error);
  }
});
byId('given-files').addEventListener('change', ({ target }) => {
  openFiles([...target.files]);
  target.value = '';
});
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  const files = [...(event.dataTransfer?.files ?? [])];
  // If the expert part is open, it handles the files itself.
  if (files.length === 0 || byId('expert').open) {
    return;
  }
  event.preventDefault();
  openFiles(files);
});
byId('example').addEventListener('click', () => openExample((data) => data));
byId('forged').addEventListener('click', () => openExample((data) => ({ ...data, metadata: { ...data.metadata, hours: 960 } })));
