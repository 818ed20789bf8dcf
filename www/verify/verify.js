// The page that verifies: reads the form, asks lib/check.js, shows the answer.
import { check, parseImprint, reasonText } from '/lib/check.js';
import { Refusal, count, isObject, own, parseJson, pathText, valueText, visible } from '/lib/json.js';
import { acceptFiles, answer, byId, copyButton, element, ready, sentenceOf } from '/lib/page.js';

const HEADINGS = { valid: 'Valid.', invalid: 'Not valid.', untrusted: 'Untrusted.', unchecked: 'Could not be checked.', busy: 'Checking…' };
const STATUS = { proven: 'proven', 'not-proven': 'not proven', 'not-covered': 'not covered' };
/** What is wrong is shown first. */
const TROUBLE = ['not-proven', 'not-covered', 'proven'];
/** Rows shown at most; the machine-readable result has them all. */
const MAX_ROWS = 500;

/** The ledger's record of the asset that was loaded: `{ id, schemaId, assetId, imprint }`. */
let loaded = null;
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

/** The ledger counts as the imprint's source only while the field says what the ledger said. */
function source(imprint) {
  return loaded && imprint === loaded.imprint ? { id: loaded.id, schemaId: loaded.schemaId, assetId: loaded.assetId } : null;
}

async function verify() {
  byId('result').hidden = true;
  say('busy', 'Your machine is at it.');
  try {
    const [metadata, evidence, schema] = areas.map((area) => parseJson(area.value, area.id));
    const imprint = parseImprint(byId('imprint').value);
    await ready();
    const result = await check({ metadata, evidence, schema, imprint, ledger: source(imprint) });
    say(result.answer, result.sentence);
    show(result);
  } catch (error) {
    say('unchecked', sentenceOf(error));
  }
  byId('answer').focus();
}

function show(result) {
  const rows = [...result.fields].sort((a, b) => TROUBLE.indexOf(a.status) - TROUBLE.indexOf(b.status));
  byId('fields').replaceChildren(...rows.slice(0, MAX_ROWS).map(row));
  byId('fields-more').textContent = rows.length > MAX_ROWS ? `${count(rows.length - MAX_ROWS, 'more value')} in the machine-readable result.` : '';
  section('lists', 'Lists', result.lists.map(listSentence));
  section('hidden', 'What the document does not say', result.hidden.map(hiddenSentence));
  machine = JSON.stringify(result, null, 2);
  byId('machine').textContent = visibleLines(machine);
  byId('result').hidden = false;
}

function row({ path, value, status, reason }) {
  return element(
    'tr',
    { 'data-status': status },
    element('td', {}, element('span', { class: 'status' }, STATUS[status])),
    element('th', { scope: 'row' }, element('bdi', {}, visible(pathText(path)))),
    element('td', {}, element('bdi', { class: 'value' }, shorten(valueText(value))), reason ? element('p', { class: 'hint' }, reasonText(reason)) : ''),
  );
}

const shorten = (text) => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text);

function section(id, heading, sentences) {
  const items = sentences.slice(0, MAX_ROWS).map((sentence) => element('li', {}, element('bdi', {}, sentence)));
  byId(id).replaceChildren(...(items.length > 0 ? [element('h3', {}, heading), element('ul', {}, ...items)] : []));
}

function listSentence({ path, length, complete }) {
  const name = visible(pathText(path));
  return complete
    ? `${name} has ${count(length, 'item')}, and provably no more.`
    : `${name} shows ${count(length, 'place')}; its end is not proven, so there may be more.`;
}

function hiddenSentence({ path, absent }) {
  const name = visible(pathText(path));
  return absent ? `${name} is provably absent or empty.` : `${name} is hidden: the evidence does not say what it is, nor whether there is one.`;
}

/** The result, its lines kept, with nothing in it that would not be seen. */
const visibleLines = (text) => text.split('\n').map(visible).join('\n');

async function load() {
  const query = new URLSearchParams({ ledgerId: byId('ledger-id').value.trim(), assetId: byId('asset-id').value.trim() });
  loaded = null;
  byId('result').hidden = true;
  say('busy', 'Asking the ledger.');
  try {
    const data = await fetchAsset(query);
    loaded = { id: data.ledger.id, schemaId: data.ledger.schemaId, assetId: data.asset.id, imprint: data.asset.imprint?.toLowerCase() };
    for (const area of areas) {
      area.value = data[area.id] === null || data[area.id] === undefined ? '' : JSON.stringify(data[area.id], null, 2);
    }
    byId('imprint').value = data.asset.imprint ?? '';
    tellSource();
    const problem = areas.some((area) => area.value === '') ? data.errors?.[0]?.message : undefined;
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
  const typed = byId('imprint').value.trim().toLowerCase();
  byId('imprint-source').textContent = source(typed) ? `From ledger ${loaded.id}, asset ${loaded.assetId}.` : '';
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
}
