// The example on the home page. The visitor may change its values. The code that checks certificates also checks each change.
import { ask } from '/lib/beside.js';
import { displayOf } from '/lib/display.js';
import { own, setOwn } from '/lib/json.js';
import { byId } from '/lib/page.js';
import { sentence } from '/lib/sentence.js';
import { markElement, showVerdict } from '/lib/sheet.js';
import { listText, locale, say } from '/lib/texts.js';
import { unreachable, verdictOf } from '/lib/verdict.js';

/** The pause between the last change and the check, in milliseconds. With the pause, a word is checked once and not letter by letter. */
const PAUSE = 250;

const { data } = await (await fetch('/verify/example.json')).json();
const { ledger, asset, schema, metadata, evidence } = data;

/** The values that can be changed: a list of `{ place, path, certified }`. */
const values = [...byId('demo-paper').querySelectorAll('[data-path]')].map((place) => {
  const path = JSON.parse(place.dataset.path);
  return { place, path, certified: path.reduce(own, metadata) };
});

/** The status and issuer of the example. They are unknown, because the example is not recorded on a ledger. */
const UNKNOWN = { status: { kind: 'unknown', since: null, reason: null }, issuer: null };

/** Returns the value that a field shows now: a number if the certified value is a number and the text can be parsed as a number. */
function valueOf({ place, certified }) {
  const text = place.textContent.replaceAll('\u00a0', ' ').trim();
  return typeof certified === 'number' && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Returns the example's document with the values that the fields show. */
function shownDocument() {
  const document = structuredClone(metadata);
  for (const value of values) {
    setOwn(value.path.slice(0, -1).reduce(own, document), value.path.at(-1), valueOf(value));
  }
  return document;
}

async function check() {
  try {
    const record = { ledger: { id: ledger.id, schemaId: ledger.schemaId }, asset: { id: asset.id } };
    const { integrity, fields } = await ask('certificate', { schema, document: shownDocument(), evidence, imprints: [asset.imprint], record });
    const changed = mark(fields);
    const explanation = changed.length > 0 ? say('home.demoChanged', { fields: listText(changed) }) : say('home.demoUnchanged');
    showVerdict(byId('demo-verdict'), verdictOf(data, { integrity, ...UNKNOWN }), integrity === 'unchanged' || changed.length > 0 ? explanation : '');
  } catch (error) {
    showVerdict(byId('demo-verdict'), unreachable(), sentence(error));
  }
}

/** Marks the fields that differ from the certified values, and returns their names. */
function mark(fields) {
  const found = new Map(fields.map((field) => [JSON.stringify(field.path), field]));
  const changed = [];
  for (const value of values) {
    const { place, path } = value;
    const { status, certified } = found.get(JSON.stringify(path)) ?? {};
    value.mark?.remove();
    place.toggleAttribute('data-changed', status !== 'proven');
    if (status !== 'proven') {
      changed.push(place.dataset.name);
      value.mark = markElement({ mark: 'changed', certified: certified === undefined ? undefined : displayOf(certified, { locale }) });
      (place.closest('h3') ?? place).after(value.mark);
    }
  }
  return changed;
}

/** Makes the values editable in place. They stay plain text: no line breaks, no markup. */
function edit({ place }) {
  place.setAttribute('contenteditable', 'plaintext-only');
  place.setAttribute('role', 'textbox');
  place.setAttribute('aria-label', place.dataset.name);
  place.spellcheck = false;
  place.addEventListener('beforeinput', (event) => {
    if (event.inputType.startsWith('insertParagraph') || event.inputType === 'insertLineBreak') {
      event.preventDefault();
    }
  });
}

let timer;
byId('demo-paper').addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(check, PAUSE);
});
byId('demo-forge').addEventListener('click', () => {
  const hours = values.find(({ certified }) => certified === metadata.hours);
  hours.place.textContent = String(metadata.hours * 10);
  check();
});
byId('demo-restore').addEventListener('click', () => {
  for (const { place, certified } of values) {
    place.textContent = String(certified);
  }
  check();
});

values.forEach(edit);
byId('demo-actions').hidden = false;
check();
