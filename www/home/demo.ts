// The example on the home page. The visitor may change its values. The code that checks certificates also checks each change.
import { ask } from '/lib/beside.ts';
import { displayOf } from '/view/display.ts';
import type { Field } from '/view/field.ts';
import { own, setOwn, valueAt } from '/view/json.ts';
import type { Path } from '/view/json.ts';
import { byId } from '/lib/page.ts';
import { sentence } from '/lib/sentence.ts';
import { markElement, showVerdict } from '/lib/sheet.ts';
import { listText, locale, say } from '/lib/texts.ts';
import { isValidity, unreachable, verdictOf } from '/view/verdict.ts';
import type { Parts } from '/view/verdict.ts';

/** The pause between the last change and the check, in milliseconds. With the pause, a word is checked once and not letter by letter. */
const PAUSE = 250;

const data = await readExample();
const { ledger, asset, schema, metadata, evidence } = data;

/** A value that can be changed. `mark` is the element that shows a change, or null. */
interface ShownValue {
  place: HTMLElement;
  path: Path;
  certified: unknown;
  mark: HTMLElement | null;
}

const values = [...byId('demo-paper').querySelectorAll<HTMLElement>('[data-path]')].map((place): ShownValue => {
  const path: Path = JSON.parse(place.dataset.path ?? '[]');
  return { place, path, certified: valueAt(metadata, path), mark: null };
});

/** The status and issuer of the example. They are unknown, because the example is not recorded on a ledger. */
const UNKNOWN: Omit<Parts, 'integrity'> = { status: { kind: 'unknown', since: null, reason: null }, issuer: null };

async function readExample() {
  const answer = await fetch('/verify/example.json');
  const data = own(await answer.json(), 'data');
  if (!isValidity(data)) {
    throw new Error('the example is not an answer of the service');
  }
  return data;
}

/** Returns the value that a field shows now: a number if the certified value is a number and the text can be parsed as a number. */
function valueOf({ place, certified }: ShownValue) {
  const text = place.textContent.replaceAll('\u00a0', ' ').trim();
  return typeof certified === 'number' && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Returns the example's document with the values that the fields show. */
function shownDocument() {
  const document = structuredClone(metadata);
  for (const value of values) {
    const key = value.path.at(-1);
    if (key !== undefined) {
      setOwn(Object(valueAt(document, value.path.slice(0, -1))), key, valueOf(value));
    }
  }
  return document;
}

async function check() {
  try {
    const { integrity, fields } = await ask('certificate', { schema, document: shownDocument(), evidence, record: { ledger, asset } });
    const changed = mark(fields);
    const explanation = changed.length > 0 ? say('home.demoChanged', { fields: listText(changed) }) : say('home.demoUnchanged');
    showVerdict(byId('demo-verdict'), verdictOf(data, { integrity, ...UNKNOWN }), integrity === 'unchanged' || changed.length > 0 ? explanation : '');
  } catch (error) {
    showVerdict(byId('demo-verdict'), unreachable(), sentence(error));
  }
}

/** Marks the fields that differ from the certified values, and returns their names. */
function mark(fields: Field[]) {
  const found = new Map(fields.map((field) => [JSON.stringify(field.path), field]));
  const changed: string[] = [];
  for (const value of values) {
    const { place, path } = value;
    const { status, certified } = found.get(JSON.stringify(path)) ?? {};
    value.mark?.remove();
    place.toggleAttribute('data-changed', status !== 'proven');
    if (status !== 'proven') {
      changed.push(place.dataset.name ?? '');
      value.mark = markElement({ mark: 'changed', certified: certified === undefined ? undefined : displayOf(certified, { locale }) });
      (place.closest('h3') ?? place).after(value.mark);
    }
  }
  return changed;
}

/** Makes the values editable in place. They stay plain text: no line breaks, no markup. */
function edit({ place }: ShownValue) {
  place.setAttribute('contenteditable', 'plaintext-only');
  place.setAttribute('role', 'textbox');
  place.setAttribute('aria-label', place.dataset.name ?? '');
  place.spellcheck = false;
  place.addEventListener('beforeinput', (event) => {
    if (event.inputType.startsWith('insertParagraph') || event.inputType === 'insertLineBreak') {
      event.preventDefault();
    }
  });
}

let timer: number | undefined;
byId('demo-paper').addEventListener('input', () => {
  clearTimeout(timer);
  timer = window.setTimeout(check, PAUSE);
});
byId('demo-forge').addEventListener('click', () => {
  const hours = values.find(({ path }) => path[0] === 'hours');
  if (hours !== undefined) {
    hours.place.textContent = String(Number(hours.certified) * 10);
  }
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
