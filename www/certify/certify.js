// The page that certifies: reads data and schema, lets the visitor choose, makes imprint, metadata and evidence.
import { Cert } from '/cert/src/init.js';
import { Refusal, count, isObject, own, parseJson, visible } from '/lib/json.js';
import { acceptFiles, answer, byId, copyButton, download, ready, sentenceOf } from '/lib/page.js';
import { buildTree } from '/lib/tree.js';

const areas = ['data', 'schema'].map(byId);
const note = (text) => (byId('note').textContent = text);

/** What was read last: `{ data, schema, tree }`, as long as the texts are the same. */
let chosen = null;

/** A document with properties that are schemas is a schema. */
function placeOf(text) {
  try {
    return isObject(own(JSON.parse(text), 'properties')) ? byId('schema') : byId('data');
  } catch {
    return byId('data');
  }
}

function refuse(error) {
  byId('answer').hidden = false;
  answer(byId('answer'), 'unchecked', 'Not possible.', sentenceOf(error));
  byId('answer').focus();
}

/** What was made before is not what would be made now. */
function forgetResult() {
  byId('answer').hidden = true;
  byId('result').hidden = true;
  byId('copied').textContent = '';
}

function forgetChoice() {
  forgetResult();
  chosen = null;
  byId('choice').hidden = true;
}

async function read() {
  forgetChoice();
  try {
    const [data, schema] = areas.map((area) => parseJson(area.value, area.id));
    await ready();
    // The library is the judge of what can be certified, and of how deep it may be.
    await new Cert({ schema }).imprint(data);
    const tree = buildTree(byId('tree'), schema, data);
    if (tree.size === 0) {
      throw new Refusal('The schema describes nothing of this data, so there is nothing to certify.');
    }
    chosen = { data, schema, tree };
    const names = tree.outside.slice(0, 5).map(visible).join(', ');
    const more = tree.outside.length > 5 ? ` and ${tree.outside.length - 5} more` : '';
    byId('outside').textContent = names && `Not certified, because the schema does not describe it: ${names}${more}.`;
    byId('choice').hidden = false;
    byId('choice').focus();
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
    const { data, schema, tree } = chosen;
    const paths = tree.paths();
    if (paths.length === 0) {
      throw new Refusal('Tick at least one value to disclose.');
    }
    const noncer = byId('protect').checked ? { secret: byId('secret').value.trim() } : undefined;
    const cert = new Cert({ schema, noncer });
    const [imprint, proofs] = [await cert.imprint(data), await cert.disclose(data, paths)];
    show({ imprint, schemaId: cert.identify(), metadata: cert.expose(data, paths), evidence: { data: proofs } });
    byId('answer').hidden = false;
    answer(byId('answer'), 'valid', 'Done.', `${count(proofs.length, 'proof')} for what you disclose. Nothing has left your machine.`);
    byId('answer').focus();
  } catch (error) {
    refuse(error);
  }
}

function show({ imprint, schemaId, metadata, evidence }) {
  byId('imprint').textContent = imprint;
  byId('schema-id').textContent = schemaId;
  byId('metadata').textContent = JSON.stringify(metadata, null, 2);
  byId('evidence').textContent = JSON.stringify(evidence, null, 2);
  byId('result').hidden = false;
}

function newSecret() {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

byId('secret').value = newSecret();
byId('protect').addEventListener('change', () => (byId('secret').disabled = !byId('protect').checked));
acceptFiles(areas, placeOf, note);
copyButton(byId('copy'), byId('imprint'), () => byId('imprint').textContent, (text) => (byId('copied').textContent = text));
copyButton(byId('copy-secret'), byId('secret'), () => byId('secret').value, (text) => (byId('secret-copied').textContent = text));
for (const area of areas) {
  area.addEventListener('input', forgetChoice);
}
for (const name of ['metadata', 'evidence']) {
  byId(`save-${name}`).addEventListener('click', () => download(`${name}.json`, byId(name).textContent));
}
byId('choice').addEventListener('input', forgetResult);
byId('read').addEventListener('click', read);
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  certify();
});
