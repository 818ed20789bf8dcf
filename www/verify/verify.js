// The page that verifies: reads the form, has lib/worker.js check it, shows the answer.
import { ask } from '/lib/beside.js';
import { take } from '/lib/handover.js';
import { Refusal, count, isObject, own, pathText, sentenceOf, visible } from '/lib/json.js';
import { acceptFiles, answer, byId, copyButton, element, put, textOf } from '/lib/page.js';

const HEADINGS = { valid: 'Valid.', invalid: 'Not valid.', untrusted: 'Untrusted.', unchecked: 'Could not be checked.', busy: 'Checking…' };
const STATUS = { proven: 'proven', 'not-proven': 'not proven', 'not-covered': 'not covered', untrusted: 'fits' };

/** Where the imprint is from, as long as the field still says what it said: `{ imprint, name, ledger }`. */
let known = null;
let machine = '';

const areas = ['metadata', 'evidence', 'schema'].map(byId);
const note = (text) => (byId('note').textContent = text);

/** Which of the three a document is, where a file was dropped beside them. */
function placeOf(text) {
  try {
    const value = JSON.parse(text);
    const proofs = Array.isArray(value) ? value : own(value, 'data');
    if (Array.isArray(proofs) && proofs.every((proof) => Array.isArray(own(proof, 'nodes')))) {
      return byId('evidence');
    }
    return isObject(own(value, 'properties')) ? byId('schema') : byId('metadata');
  } catch {
    return byId('metadata');
  }
}

function say(kind, sentence) {
  byId('answer').hidden = false;
  answer(byId('answer'), kind, HEADINGS[kind], sentence);
}

/** A known source counts only while the field says what it said. */
function source() {
  return known !== null && byId('imprint').value.trim().toLowerCase() === known.imprint ? known : { name: 'typed', ledger: null };
}

async function verify() {
  byId('result').hidden = true;
  say('busy', 'Your machine is at it.');
  try {
    const [metadata, evidence, schema] = areas.map(textOf);
    const { name: origin, ledger } = source();
    const result = await ask('verify', { metadata, evidence, schema, imprint: byId('imprint').value, origin, ledger });
    say(result.answer, result.sentence);
    show(result);
  } catch (error) {
    say('unchecked', sentenceOf(error));
  }
  byId('answer').focus();
}

function show({ answer, rows, more, lists, hidden, machine: { whole, shown } }) {
  const found = answer === 'untrusted' ? 'by this evidence' : 'provably';
  byId('fields').replaceChildren(...rows.map(row));
  byId('fields-more').textContent = more > 0 ? `${count(more, 'more value')} in the machine-readable result.` : '';
  section('lists', 'Lists', lists.map((list) => listSentence(list, found)));
  section('hidden', 'What the document does not say', hidden.map((field) => hiddenSentence(field, found)));
  machine = whole;
  byId('machine').textContent = shown;
  byId('result').hidden = false;
}

function row({ name, status, value, because }) {
  return element(
    'tr',
    { 'data-status': status },
    element('td', {}, element('span', { class: 'status' }, STATUS[status])),
    element('th', { scope: 'row' }, element('bdi', {}, name)),
    element('td', {}, element('bdi', { class: 'value' }, value), because ? element('p', { class: 'hint' }, because) : ''),
  );
}

function section(id, heading, sentences) {
  const items = sentences.map((sentence) => element('li', {}, element('bdi', {}, sentence)));
  byId(id).replaceChildren(...(items.length > 0 ? [element('h3', {}, heading), element('ul', {}, ...items)] : []));
}

/** Items stand in the order of their indexes as text (0, 1, 10, 2): where a list's end is open, so is whether the third is not the eleventh. */
const ORDERED = 2;

function listSentence({ path, length, complete }, found) {
  const name = visible(pathText(path));
  return complete
    ? `${name} has ${count(length, 'item')}, and ${found} no more.`
    : `${name} shows ${count(length, 'place')}; its end is not proven, so there may be more${length > ORDERED ? ', and of a list of more than ten the items after the second may come from further back' : ''}.`;
}

function hiddenSentence({ path, absent }, found) {
  const name = visible(pathText(path));
  return absent ? `${name} is ${found} absent or empty.` : `${name} is hidden: the evidence does not say what it is, nor whether there is one.`;
}

async function load() {
  const query = new URLSearchParams({ ledgerId: byId('ledger-id').value.trim(), assetId: byId('asset-id').value.trim() });
  known = null;
  byId('result').hidden = true;
  say('busy', 'Asking the ledger.');
  try {
    const data = await fetchAsset(query);
    const ledger = { id: data.ledger.id, schemaId: data.ledger.schemaId, assetId: data.asset.id };
    known = { imprint: data.asset.imprint?.toLowerCase(), name: 'ledger', ledger };
    for (const area of areas) {
      put(area, data[area.id] === null || data[area.id] === undefined ? '' : JSON.stringify(data[area.id], null, 2), 'From the ledger');
    }
    byId('imprint').value = data.asset.imprint ?? '';
    tellSource();
    const problem = areas.some((area) => textOf(area) === '') ? data.errors?.[0]?.message : undefined;
    if (problem) {
      throw new Refusal(`The service could not get everything: ${visible(problem)}`);
    }
  } catch (error) {
    say('unchecked', sentenceOf(error));
    return;
  }
  await verify();
}

async function fetchAsset(query) {
  let envelope;
  try {
    const response = await fetch(`/badge.json?${query}`);
    envelope = await response.json();
  } catch {
    throw new Refusal('The service did not answer. Try again, or paste the documents below.');
  }
  if (!envelope.data) {
    const reasons = (envelope.errors ?? []).map(({ message }) => visible(String(message)));
    throw new Refusal(`The service answered: ${reasons.join('; ') || 'nothing of use'}.`);
  }
  return envelope.data;
}

function tellSource() {
  const { name, ledger } = source();
  const sentences = { ledger: () => `From ledger ${ledger.id}, asset ${ledger.assetId}.`, made: () => 'From the certificate that you have just made.', typed: () => '' };
  byId('imprint-source').textContent = sentences[name]();
}

/** What was made on the page that certifies, still in this browser. */
async function receive({ imprint, ...texts }) {
  for (const area of areas) {
    put(area, texts[area.id], 'What you have made');
  }
  known = { imprint, name: 'made', ledger: null };
  byId('imprint').value = imprint;
  tellSource();
  await verify();
}

acceptFiles(areas, placeOf, note);
copyButton(byId('copy'), byId('machine'), () => machine, (text) => (byId('copied').textContent = text));
byId('imprint').addEventListener('input', tellSource);
byId('load').addEventListener('click', load);
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  verify();
});

const asked = new URLSearchParams(location.search);
if (asked.has('ledgerId') || asked.has('assetId')) {
  byId('ledger-id').value = asked.get('ledgerId') ?? '';
  byId('asset-id').value = asked.get('assetId') ?? '';
  byId('link').open = true;
  load();
} else {
  const made = take();
  if (made !== null) {
    receive(made);
  }
}
