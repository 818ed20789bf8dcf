// The page that certifies: reads data and schema, lets the visitor choose, has lib/worker.js make imprint, metadata and evidence.
import { ask, forget } from '/lib/beside.js';
import { leave } from '/lib/handover.js';
import { Refusal, isObject, own, sentenceOf, visible } from '/lib/json.js';
import { acceptFiles, answer, byId, copyButton, download, textOf } from '/lib/page.js';
import { showTree } from '/lib/tree.js';

const areas = ['data', 'schema'].map(byId);
const note = (text) => (byId('note').textContent = text);

/** What was read last, and what of it is ticked: `{ data, schema, ticked() }`, as long as the texts are the same. */
let chosen = null;
/** The texts of the certificate that is shown. */
let made = null;

/** A document with properties that are schemas is a schema. */
function placeOf(text) {
  try {
    return isObject(own(JSON.parse(text), 'properties')) ? byId('schema') : byId('data');
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
  byId('answer').focus();
}

/** What was made before is not what would be made now. */
function forgetResult() {
  forget();
  made = null;
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
  say('busy', 'Reading…', 'Your machine is at it.');
  try {
    const [data, schema] = areas.map(textOf);
    const { nodes, outside } = await ask('read', { data, schema });
    chosen = { data, schema, ticked: showTree(byId('tree'), nodes) };
    const names = outside.slice(0, 5).map(visible).join(', ');
    const more = outside.length > 5 ? ` and ${outside.length - 5} more` : '';
    byId('outside').textContent = names && `Not certified, because the schema does not describe it: ${names}${more}.`;
    byId('answer').hidden = true;
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
    const { data, schema, ticked } = chosen;
    const paths = ticked();
    if (paths.length === 0) {
      throw new Refusal('Tick at least one value to disclose.');
    }
    const secret = byId('protect').checked ? byId('secret').value.trim() : undefined;
    if (secret === '') {
      throw new Refusal('The secret is missing. Reload the page for a new one, or certify without.');
    }
    say('busy', 'Certifying…', 'Your machine is at it.');
    const { sentence, ...certificate } = await ask('certify', { data, schema, paths, secret });
    show(certificate, schema);
    say('valid', 'Done.', sentence);
    byId('answer').focus();
  } catch (error) {
    refuse(error);
  }
}

function show({ imprint, schemaId, metadata, evidence }, schema) {
  made = { metadata: metadata.whole, evidence: evidence.whole, schema, imprint };
  byId('imprint').textContent = imprint;
  byId('schema-id').textContent = schemaId;
  byId('metadata').textContent = metadata.shown;
  byId('evidence').textContent = evidence.shown;
  byId('result').hidden = false;
}

/** The next page finds what was made; what is too much for that has to be taken there as files. */
function handOver(event) {
  if (made !== null && !leave(made)) {
    event.preventDefault();
    byId('handover').textContent = 'This is more than the browser hands over. Download the files, and drop them on the page Verify.';
  }
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
  byId(`save-${name}`).addEventListener('click', () => download(`${name}.json`, made[name]));
}
byId('verify').addEventListener('click', handOver);
byId('choice').addEventListener('input', forgetResult);
byId('read').addEventListener('click', read);
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  certify();
});
