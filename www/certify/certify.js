// The certify page. It reads data and schema, lets the visitor choose fields, and calls lib/worker.js for imprint, metadata and evidence.
import { ask, forget } from '/lib/beside.js';
import { leave } from '/lib/handover.js';
import { holderFile } from '/lib/holder-file.js';
import { isPrivateFile, randomHex, readPrivateFile } from '/lib/issue.js';
import { Refusal, isObject, own, sentenceOf, visible } from '/lib/json.js';
import { acceptFiles, answer, byId, copyButton, download, put, textOf } from '/lib/page.js';
import { showTree } from '/lib/tree.js';

const areas = ['data', 'schema'].map(byId);
const note = (text) => (byId('note').textContent = text);

/** The document that was read last, with its ticked fields: `{ data, schema, ticked() }`. Null after a change of the texts. */
let chosen = null;
/** The texts of the shown certificate, with `saved`: false until its private file is saved, if it needs one. */
let made = null;
/** The last used secret and its document. Another document gets another secret. */
let spent = null;

const KEEP = {
  'AIH-2': 'It holds the document, the schema and the key. You need it to show more of this document later. Do not publish it.',
  protected: 'It holds the document, the schema and the secret. You need it to show more of this document later. Do not publish it.',
  open: 'It holds the document and the schema. Do not publish it: it contains everything that you hide.',
};

/** Returns the field for a dropped text: a document with an object `properties` is a schema. */
function placeOf(text) {
  try {
    return !isPrivateFile(text) && isObject(own(JSON.parse(text), 'properties')) ? byId('schema') : byId('data');
  } catch {
    return byId('data');
  }
}

function say(kind, heading, sentence) {
  byId('answer').hidden = false;
  answer(byId('answer'), kind, heading, sentence);
}

function refuse(error) {
  say('unchecked', 'Not possible.', sentenceOf(error));
  lookAt(byId('answer'));
}

/** Scrolls an element to the top of the window, so that the content after it is visible. */
function lookAt(place) {
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: 'start' });
}

/** Discards the earlier result, because the input has changed. */
function forgetResult() {
  forget();
  made = null;
  byId('answer').hidden = true;
  byId('result').hidden = true;
  for (const id of ['copied', 'private-saved', 'handover']) {
    byId(id).textContent = '';
  }
}

function forgetChoice() {
  forgetResult();
  chosen = null;
  byId('choice').hidden = true;
}

/** Shows the fields that can be made public. `opened` is the content of a private file, whose public values are ticked again. */
async function read(opened = { paths: [] }) {
  forgetChoice();
  say('busy', 'Reading…', 'Please wait.');
  try {
    const [data, schema] = areas.map(textOf);
    const profile = byId('profile').value;
    const { nodes, outside, addresses, asset } = await ask('read', { data, schema, profile });
    chosen = { data, schema, profile, ticked: showTree(byId('tree'), nodes, opened.paths) };
    tellProfile(profile);
    askForAsset(asset, opened.secret !== undefined);
    const names = outside.slice(0, 5).map(visible).join(', ');
    const more = outside.length > 5 ? ` and ${outside.length - 5} more` : '';
    byId('outside').textContent = names && `Not certified, because the schema does not describe it: ${names}${more}.`;
    for (const [name, address] of Object.entries(addresses)) {
      byId(`${name}-address`).value = address || byId(`${name}-address`).value;
    }
    provideSecret(opened.secret, data);
    byId('answer').hidden = true;
    byId('choice').hidden = false;
    lookAt(byId('choice'));
  } catch (error) {
    refuse(error);
  }
}

/** Shows the texts of a profile. AIH-2 always uses a key; under AIH-1 a secret is optional. */
function tellProfile(profile) {
  const isAih2 = profile === 'AIH-2';
  byId('protect-label').hidden = isAih2;
  byId('protect-hint').hidden = isAih2;
  byId('secret-label').textContent = isAih2 ? 'Key of this document' : 'Secret';
  byId('secret').disabled = !isAih2 && !byId('protect').checked;
}

/** Shows the fields of the asset. A private file without an asset reproduces its certificate, so they stay hidden then. */
function askForAsset(asset, isOpened) {
  byId('asset').hidden = asset === null;
  if (asset === null) {
    return;
  }
  for (const [key, id] of [['ledger-id', asset.ledgerId], ['asset-id', asset.assetId]]) {
    byId(key).value = id || (isOpened ? '' : byId(key).value);
  }
  byId('unbound').checked = isOpened && asset.ledgerId === '';
  byId('bound-schema').textContent = asset.schemaId;
  byId('bound-added').hidden = !asset.isAdded;
  tellBound();
}

function tellBound() {
  const isUnbound = byId('unbound').checked;
  byId('ledger-id').disabled = isUnbound;
  byId('asset-id').disabled = isUnbound;
}

/** Sets the secret of a private file. Otherwise creates a new secret, unless the field has one that no other document uses. */
function provideSecret(opened, data) {
  const field = byId('secret');
  if (opened !== undefined) {
    field.value = opened;
    byId('protect').checked = opened !== '';
    field.disabled = opened === '' && byId('profile').value === 'AIH-1';
    tellSecret(opened && 'From the private file.');
  } else if (field.value === '' || (field.value === spent?.secret && data !== spent.data)) {
    field.value = randomHex(32);
    tellSecret('New, for this document only. It is stored in your private file alone, which you save after certifying.');
  }
}

const tellSecret = (text) => (byId('secret-origin').textContent = text);

/** Continues from a private file, if it was given instead of a document. */
function openPrivateFile() {
  const text = textOf(byId('data'));
  if (!isPrivateFile(text)) {
    return;
  }
  try {
    const { data, schema, profile, ...opened } = readPrivateFile(text);
    byId('profile').value = profile;
    put(byId('data'), data, 'From the private file');
    put(byId('schema'), schema, 'From the private file');
    for (const name of ['evidence', 'schema']) {
      byId(`${name}-address`).value = '';
    }
    read(opened);
  } catch (error) {
    refuse(error);
  }
}

async function certify() {
  forgetResult();
  try {
    if (!chosen) {
      throw new Refusal('Choose the fields first.');
    }
    const { data, schema, profile, ticked } = chosen;
    const paths = ticked();
    if (paths.length === 0) {
      throw new Refusal('Tick at least one value to show.');
    }
    const secret = profile === 'AIH-2' || byId('protect').checked ? byId('secret').value.trim() : undefined;
    if (profile === 'AIH-2' && !/^[0-9a-f]{64}$/.test(secret)) {
      throw new Refusal('The key has to have 64 characters, each 0 to 9 or a to f. Choose the fields again for a new one.');
    }
    if (secret === '') {
      throw new Refusal('The secret is missing. Choose the fields again for a new one, or certify without.');
    }
    const addresses = { evidence: byId('evidence-address').value.trim(), schema: byId('schema-address').value.trim() };
    const asset = profile === 'AIH-1' || byId('unbound').checked ? null : { ledgerId: byId('ledger-id').value, assetId: byId('asset-id').value };
    say('busy', 'Certifying…', 'Please wait.');
    const certificate = await ask('certify', { data, schema, profile, paths, secret, addresses, asset });
    if (secret !== undefined) {
      spent = { secret, data };
    }
    show({ ...certificate, profile, addresses, asset, saved: secret === undefined });
    say('valid', 'Done.', secret === undefined ? 'Your files are below.' : 'First save your private file. Then you can download the files to publish.');
    lookAt(byId('answer'));
  } catch (error) {
    refuse(error);
  }
}

function show({ imprint, schemaId, metadata, evidence, schema, profile, kept, whole, document, files, addresses, asset, saved }) {
  made = { files, public: { metadata: metadata.whole, evidence: evidence.whole, schema, imprint }, kept, saved };
  made.holders = asset === null ? null : () => holderFile({ ...asset, imprint, schema: JSON.parse(schema), document, whole: JSON.parse(whole) });
  byId('whole').hidden = asset === null;
  byId('imprint').textContent = imprint;
  byId('schema-id').textContent = schemaId;
  byId('metadata').textContent = metadata.shown;
  byId('evidence').textContent = evidence.shown;
  byId('evidence-place').textContent = placeSentence(addresses.evidence);
  byId('schema-place').textContent = placeSentence(addresses.schema);
  byId('badge-note').textContent = addresses.evidence === '' || addresses.schema === '' ? 'No badge yet: fill in both addresses above and certify again.' : '';
  byId('keep').textContent = saved ? KEEP.open : KEEP[profile] ?? KEEP.protected;
  byId('public').hidden = !saved;
  byId('result').hidden = false;
}

function placeSentence(address) {
  return address === '' ? 'Publish it beside the metadata.' : `Upload it to ${visible(address)}`;
}

function savePrivateFile() {
  download(`${made.files.certificate}.private.json`, made.kept);
  made.saved = true;
  byId('public').hidden = false;
  say('valid', 'Done.', 'The public files are below.');
  byId('private-saved').textContent = 'Saved with your downloads. Move it to a safe place.';
  lookAt(byId('publish-title'));
}

function saveHolders() {
  try {
    const { name, text, type } = made.holders();
    download(name, text, type);
  } catch (error) {
    refuse(error);
  }
}

/** Hands the certificate to the verify page. If it is too large, the visitor has to open its files there. */
function handOver(event) {
  if (made !== null && !leave(made.public)) {
    event.preventDefault();
    byId('handover').textContent = 'This is too large to hand over. Download the files, and drop them on the page Verify.';
  }
}

acceptFiles(areas, placeOf, note);
copyButton(byId('copy'), byId('imprint'), () => byId('imprint').textContent, (text) => (byId('copied').textContent = text));
for (const area of areas) {
  area.addEventListener('input', forgetChoice);
}
byId('data').addEventListener('input', openPrivateFile);
byId('unbound').addEventListener('change', tellBound);
byId('protect').addEventListener('change', () => (byId('secret').disabled = !byId('protect').checked));
byId('secret').addEventListener('input', () => tellSecret(''));
for (const name of ['metadata', 'evidence', 'schema']) {
  byId(`save-${name}`).addEventListener('click', () => download(`${name === 'schema' ? made.files.schema : made.files.certificate}.${name}.json`, made.public[name]));
}
byId('save-private').addEventListener('click', savePrivateFile);
byId('save-whole').addEventListener('click', saveHolders);
byId('profile').addEventListener('input', forgetChoice);
// The secret exists only in this page until it is saved.
addEventListener('beforeunload', (event) => made?.saved === false && event.preventDefault());
byId('verify').addEventListener('click', handOver);
byId('choice').addEventListener('input', forgetResult);
byId('read').addEventListener('click', () => read());
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  certify();
});
