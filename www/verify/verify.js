// The expert part of the verify page. It reads the form, calls lib/worker.js to check it, and shows the answer.
import { announceBelow, refuseBelow, showAtHome } from '/lib/answers.js';
import { ask, forget } from '/lib/beside.js';
import { fieldRow } from '/lib/fields.js';
import { take } from '/lib/handover.js';
import { Refusal, count, isObject, own, pathText, sentenceOf, visible } from '/lib/json.js';
import { assetOf } from '/lib/link.js';
import { acceptFiles, byId, copyButton, element, put, textOf } from '/lib/page.js';
import { facts, factsTitle, notInForce, recordOf, unchangedSince } from '/lib/record.js';

const HEADINGS = {
  unchanged: 'Unchanged.',
  changed: 'Not what was certified.',
  uncovered: 'Not certified in full.',
  untrusted: 'Nothing to compare with.',
  unchecked: 'Could not be checked.',
};

/**
 * The source of the imprint: `{ imprint, name, record, texts }`. It applies only while the field still has this imprint. `texts` are the
 * documents that came from the ledger.
 */
let known = null;
let machine = '';
/** The number of changes so far. Answers to requests from before the last change are ignored. */
let changes = 0;

const METADATA_HINT = byId('metadata-hint').textContent;
const areas = ['metadata', 'evidence', 'schema'].map(byId);
const note = (text) => (byId('note').textContent = text);

/** Returns the area for a file that was dropped outside the areas: document, evidence or schema. */
function placeOf(text) {
  try {
    const value = JSON.parse(text);
    const proofs = Array.isArray(value) ? value : own(value, 'data');
    if (typeof own(value, 'profile') === 'string' && typeof own(value, 'proof') === 'string') {
      return byId('evidence');
    }
    if (Array.isArray(proofs) && proofs.every((proof) => Array.isArray(own(proof, 'nodes')))) {
      return byId('evidence');
    }
    return isObject(own(value, 'properties')) ? byId('schema') : byId('metadata');
  } catch {
    return byId('metadata');
  }
}

function say(kind, sentence, heading = HEADINGS[kind]) {
  showAtHome(byId('answer'), kind, heading, sentence);
}

const refuse = (error) => refuseBelow(byId('answer'), HEADINGS.unchecked, sentenceOf(error));

/** Removes the verdict from the page, because the verdict does not apply to changed input. */
function clear() {
  changes += 1;
  forget();
  byId('answer').hidden = true;
  byId('result').hidden = true;
  showRecord(null);
}

/** Returns the imprint's source. A known source applies only while the field still has its imprint. */
function source() {
  return known !== null && byId('imprint').value.trim().toLowerCase() === known.imprint ? known : { name: 'typed', record: null };
}

async function verify() {
  byId('result').hidden = true;
  announceBelow(byId('answer'), 'Checking every value.');
  const { name: origin, record } = source();
  showRecord(record);
  if (record === null && location.search !== '') {
    // The documents are now different from the ones that the page's URL names.
    history.replaceState(null, '', location.pathname);
  }
  try {
    const [metadata, evidence, schema] = areas.map(textOf);
    const result = await ask('verify', { metadata, evidence, schema, imprint: byId('imprint').value, origin, record });
    const sentence = result.answer === 'unchanged' && origin === 'typed' ? `${result.sentence} ${FILES_ALONE}` : result.sentence;
    say(result.answer, sentence, result.answer === 'unchanged' && record !== null ? unchangedSince(record) : result.heading);
    show(result);
    byId('answer').focus();
  } catch (error) {
    refuse(error);
  }
}

const FILES_ALONE = 'Files alone do not show who issued it, or whether it is still in force. To see both, load it from its ledger.';

function showRecord(record) {
  byId('facts').replaceChildren(...(record === null ? [] : facts(record)));
  byId('record-title').textContent = record === null ? '' : factsTitle(record);
  byId('record').hidden = record === null;
}

function show({ answer, title, rows, more, pointers, lists, hidden, machine: { whole, shown } }) {
  const found = answer === 'untrusted' ? 'by this evidence' : 'provably';
  byId('result-title').textContent = title ?? 'Value by value';
  byId('fields').replaceChildren(...rows.map(fieldRow));
  byId('fields-more').textContent = more > 0 ? `${count(more, 'more value')} in the machine-readable result.` : '';
  byId('pointer-fields').replaceChildren(...pointers.map(fieldRow));
  byId('pointers').hidden = pointers.length === 0;
  section('lists', 'Lists', lists.map((list) => listSentence(list, found)));
  section('hidden', 'What the document does not say', hidden.map((field) => hiddenSentence(field, found)));
  machine = whole;
  byId('machine').textContent = shown;
  byId('result').hidden = false;
}

function section(id, heading, sentences) {
  const items = sentences.map((sentence) => element('li', {}, element('bdi', {}, sentence)));
  byId(id).replaceChildren(...(items.length > 0 ? [element('h3', {}, heading), element('ul', {}, ...items)] : []));
}

/** The number of leading items whose positions are certain. Items are hashed in the order of their indexes as strings (0, 1, 10, 2), so the third shown item may be the eleventh. */
const ORDERED = 2;

/** Returns a sentence about a list. Lists of AIH-2 have `atMost`, and their items are at their original positions. */
function listSentence({ path, length, complete, atMost }, found) {
  const name = visible(pathText(path));
  if (complete) {
    return `${name} has ${found} exactly ${count(length, 'item')}.`;
  }
  if (atMost !== undefined) {
    return length === null ? `${name} has ${found} at most ${count(atMost, 'item')}.` : `${name} has ${found} ${count(length, 'item')}, of which some are hidden.`;
  }
  const gaps = length > ORDERED ? ' After the second shown item, items in between may be missing, too.' : '';
  return `${name} shows ${count(length, 'item')}. The list may be longer: the evidence does not show where it ends.${gaps}`;
}

function hiddenSentence({ path, absent }, found) {
  const name = visible(pathText(path));
  return absent ? `${name} is ${found} absent or empty.` : `${name} is hidden. It may have a value or none.`;
}

/**
 * Removes the public metadata if the evidence includes its own values, as a holder's evidence does, and the imprint comes from the ledger.
 * Restores the metadata if the field is empty, and the evidence is the public one or includes no values.
 */
function makeWay() {
  const { name, texts } = source();
  if (name !== 'ledger') {
    return;
  }
  const [metadata, evidence] = areas;
  const isOwn = textOf(evidence) !== texts.evidence && bringsValues(textOf(evidence));
  if (isOwn && textOf(metadata) === texts.metadata) {
    put(metadata, '');
  } else if (!isOwn && textOf(metadata) === '') {
    put(metadata, texts.metadata, 'From the ledger');
  }
  byId('metadata-hint').textContent = textOf(metadata) === '' ? 'Left out, because the evidence includes its values.' : METADATA_HINT;
}

function bringsValues(text) {
  try {
    return Array.isArray(own(JSON.parse(text), 'values'));
  } catch {
    return false;
  }
}

/** Splits a pasted link into the two fields. */
function readLink(field) {
  const asset = assetOf(field.value);
  if (asset === null) {
    byId('link-note').textContent = '';
    return;
  }
  byId('ledger-id').value = asset.ledgerId;
  byId('asset-id').value = asset.assetId;
  const isForeign = asset.host !== null && asset.host !== location.host;
  byId('link-note').textContent = isForeign ? `The link leads to ${visible(asset.host)}. The answer below is what this service says, ${location.host}.` : '';
}

async function load() {
  clear();
  const asked = changes;
  const query = new URLSearchParams({ ledgerId: byId('ledger-id').value.trim(), assetId: byId('asset-id').value.trim() });
  known = null;
  announceBelow(byId('answer'), 'Asking the ledger.');
  try {
    const data = await fetchAsset(query);
    if (asked !== changes) {
      return;
    }
    history.replaceState(null, '', `${location.pathname}?${query}`);
    for (const area of areas) {
      put(area, data[area.id] === null || data[area.id] === undefined ? '' : JSON.stringify(data[area.id], null, 2), 'From the ledger');
      byId(`${area.id}-file`).value = '';
    }
    byId('imprint').value = data.asset?.imprint ?? '';
    const record = recordOf(data, query);
    const texts = Object.fromEntries(areas.map((area) => [area.id, textOf(area)]));
    known = { imprint: byId('imprint').value.toLowerCase(), name: 'ledger', record, texts };
    byId('metadata-hint').textContent = METADATA_HINT;
    showSource();
    const absent = notInForce(record);
    if (absent !== null) {
      showRecord(record.ledger === null ? null : record);
      say(absent.kind, absent.sentence, absent.heading);
      byId('answer').focus();
      return;
    }
    const problem = areas.some((area) => textOf(area) === '') ? data.errors?.[0]?.message : undefined;
    if (problem) {
      showRecord(record);
      throw new Refusal(`${visible(problem.charAt(0).toUpperCase() + problem.slice(1))}.`);
    }
  } catch (error) {
    if (asked === changes) {
      refuse(error);
    }
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

function showSource() {
  const { name, record } = source();
  const sentences = { ledger: () => `From ledger ${record.ledger.id}, asset ${record.asset.id}.`, made: () => 'From the certificate that you have just made.', typed: () => '' };
  byId('imprint-source').textContent = byId('imprint').value === '' ? '' : sentences[name]();
}

/** Opens the certificate that the certify page has left in this browser. */
async function receive({ imprint, ...texts }) {
  for (const area of areas) {
    put(area, texts[area.id], 'What you have made');
  }
  known = { imprint, name: 'made', record: null };
  byId('imprint').value = imprint;
  showSource();
  await verify();
}

/** Reports the files that were read. If the imprint comes from the ledger, checks the files immediately. */
function showFiles(text, read) {
  note(text);
  if (read > 0 && source().name === 'ledger') {
    verify();
  }
}

// Uses capture, because the event that reports a read file does not bubble.
document.addEventListener('input', clear, true);
byId('evidence').addEventListener('input', makeWay);
for (const id of ['ledger-id', 'asset-id']) {
  byId(id).addEventListener('input', ({ target }) => readLink(target));
}
acceptFiles(areas, placeOf, showFiles, undefined, () => fold.open);
copyButton(byId('copy'), byId('machine'), () => machine, (text) => (byId('copied').textContent = text));
byId('imprint').addEventListener('input', showSource);
byId('link').addEventListener('submit', (event) => {
  event.preventDefault();
  load();
});
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  verify();
});

const asked = new URLSearchParams(location.search);
const fold = byId('expert');
fold.open = location.hash === '#expert';
if (asked.has('ledgerId') || asked.has('assetId')) {
  fold.open = true;
  byId('ledger-id').value = asked.get('ledgerId') ?? '';
  byId('asset-id').value = asked.get('assetId') ?? '';
  load();
} else {
  const made = take();
  if (made !== null) {
    fold.open = true;
    receive(made);
  }
}
