// A form made from a schema: a field for each value, and a box to tick if it is public.
import { schemaAt } from '../../pkg/view/src/certified.ts';
import { structureOf } from '../../pkg/view/src/described.ts';
import { nameOf } from '../../pkg/view/src/display.ts';
import { isAssetKey } from '../../pkg/view/src/issue.ts';
import { Refusal, isObject, own, setOwn } from '../../pkg/view/src/json.ts';
import type { JsonObject, Path } from '../../pkg/view/src/json.ts';
import { isFilled } from '../../pkg/view/src/market.ts';
import { element } from './page.ts';
import type { Attributes } from './page.ts';
import { pictureIn } from './pictures.ts';
import { sentence } from './sentence.ts';
import { parseField, problemsOf } from '../../pkg/view/src/templates.ts';
import { locale, say } from './texts.ts';

/** The maximum length of a text in a field of one line, in characters. Longer texts, and texts with line breaks, get a field of several lines. */
const LONG = 80;
/** The maximum number of entries of a list. */
const MAX_ENTRIES = 200;
/** The maximum nesting of objects behind references. A type may contain itself, so deeper objects are only shown if the document has them. */
const MAX_NESTED = 8;

/** Whether the language has a comma before decimals. */
export const hasComma = new Intl.NumberFormat(locale).format(1.5).includes(',');

/** A problem of a field, as a sentence in the page's language. */
export interface FormProblem {
  path: Path;
  sentence: string;
}

/** The content of a form. `document` lacks the empty fields. `paths` are the paths ticked as public, and `hidden` all other paths. Both lists include empty fields. */
export interface FormContent {
  document: JsonObject;
  paths: Path[];
  hidden: Path[];
  problems: FormProblem[];
}

interface FormOptions {
  document?: JsonObject;
  shown?: readonly Path[];
  changed?: () => void;
}

/** What the parts of a form have in common. `around` are the schemas of the objects around a part. */
interface Form {
  schema: unknown;
  isShown: ReadonlySet<string>;
  changed: () => void;
  around: unknown[];
}

/** A part of a form: its elements, its value, and its paths that are public or hidden. */
interface Part<Value = unknown> {
  elements: HTMLElement[];
  value(problems: FormProblem[]): Value;
  paths(isPublic: boolean): Path[];
  mark(problems: readonly FormProblem[]): void;
}

type Tick = Pick<Part, 'elements' | 'paths'>;

let ids = 0;

/**
 * Shows the fields of `schema` in `place`, with the values of `document`, and ticks the paths of `shown`. Calls `changed()` after each change.
 * `refuse` shows problems at their fields and focuses the first one.
 */
export function showForm(place: HTMLElement, schema: unknown, { document = {}, shown = [], changed = () => {} }: FormOptions = {}) {
  const isShown = new Set(shown.map((path) => JSON.stringify(path)));
  const form: Form = { schema, isShown, changed, around: [schema] };
  const root = groupOf(form, schema, document, [], true);
  place.replaceChildren(...root.elements);
  place.oninput = changed;
  return {
    read(): FormContent {
      const problems: FormProblem[] = [];
      const value = root.value(problems) ?? {};
      const isUnread = new Set(problems.map(({ path }) => JSON.stringify(path)));
      const missing = problemsOf(schema, value).filter(({ path }) => !isUnread.has(JSON.stringify(path)));
      problems.push(...missing.map(({ path, key, values }) => ({ path, sentence: say(key, values) })));
      return { document: value, paths: root.paths(true), hidden: root.paths(false), problems };
    },
    refuse(problems: readonly FormProblem[]) {
      root.mark(problems);
      place.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    },
  };
}

/** Returns the part of the form for a schema. `isTicked` is true if the schema's values can be ticked one by one. */
function partOf(form: Form, given: unknown, value: unknown, path: Path, isTicked: boolean): Part {
  const schema = structureOf(form.schema, given);
  if (isObject(own(schema, 'properties'))) {
    const object = isObject(value) ? value : {};
    return schema === given ? fieldset(form, path, groupOf(form, schema, object, path, isTicked), []) : wholeOf(form, schema, object, path, isTicked);
  }
  if (isObject(own(schema, 'items'))) {
    return listOf(form, schema, Array.isArray(value) ? value : [], path, isTicked);
  }
  if (String(own(schema, 'contentMediaType')).startsWith('image/')) {
    return pictureOf(form, value, path, isTicked);
  }
  return fieldOf(form, schema, value, path, isTicked);
}

function groupOf(form: Form, schema: unknown, given: JsonObject, path: Path, isTicked: boolean): Part<JsonObject | undefined> {
  // The asset's keys and the values for marketplaces are filled in when the certificate is issued.
  const isAsked = (key: string, inside: unknown) => path.length > 0 || (!isAssetKey(key) && !isFilled(inside));
  const properties = own(schema, 'properties');
  const parts = Object.entries(isObject(properties) ? properties : {})
    .filter(([key, inside]) => isAsked(key, inside))
    .map(([key, inside]): [string, Part] => [key, partOf(form, inside, own(given, key), [...path, key], isTicked)]);
  return {
    elements: parts.flatMap(([, part]) => part.elements),
    value(problems) {
      const found: JsonObject = {};
      for (const [key, part] of parts) {
        const value = part.value(problems);
        if (value !== undefined) {
          setOwn(found, key, value);
        }
      }
      return Object.keys(found).length === 0 ? undefined : found;
    },
    paths: (isPublic) => parts.flatMap(([, part]) => part.paths(isPublic)),
    mark: (problems) => parts.forEach(([, part]) => part.mark(problems)),
  };
}

function fieldset<Value>(form: Form, path: Path, group: Part<Value>, more: HTMLElement[]): Part<Value> {
  const legend = element('legend', {}, element('bdi', {}, labelOf(form, path)));
  return { ...group, elements: [element('fieldset', {}, legend, ...group.elements, ...more)] };
}

/** An object whose schema is behind a reference or a branch. Such an object is public as a whole. */
function wholeOf(form: Form, schema: unknown, object: JsonObject, path: Path, isTicked: boolean): Part {
  const isRepeated = form.around.includes(schema) || form.around.length > MAX_NESTED;
  if (isRepeated && Object.keys(object).length === 0) {
    return { elements: [], value: () => undefined, paths: () => [], mark: () => {} };
  }
  const group = groupOf({ ...form, around: [...form.around, schema] }, schema, object, path, false);
  const tick = tickOf(form, path, isTicked);
  return fieldset(form, path, { ...group, paths: tick.paths }, tick.elements);
}

/** A list: its entries can be added and removed, and the list is public as a whole. */
function listOf(form: Form, schema: unknown, given: unknown[], path: Path, isTicked: boolean): Part {
  const entries: { part: Part; row: HTMLElement }[] = [];
  const place = element('div', { class: 'entries' });
  const add = element('button', { type: 'button' }, say('form.add'));
  const insert = (value: unknown) => {
    const at = [...path, entries.length];
    const part = partOf(form, own(schema, 'items'), value, at, false);
    const remove = element('button', { type: 'button', 'aria-label': say('form.removeNumber', { number: entries.length + 1 }) }, say('form.remove'));
    const row = element('div', { class: 'list-entry' }, ...part.elements, remove);
    const entry = { part, row };
    remove.addEventListener('click', () => {
      entries.splice(entries.indexOf(entry), 1);
      row.remove();
      add.disabled = false;
      add.focus();
      form.changed();
    });
    entries.push(entry);
    place.append(row);
    add.disabled = entries.length >= MAX_ENTRIES;
    return row;
  };
  if (given.length > MAX_ENTRIES) {
    throw Refusal.of('form.tooMany', { count: MAX_ENTRIES });
  }
  for (const value of given) {
    insert(value);
  }
  add.addEventListener('click', () => {
    insert(undefined).querySelector<HTMLElement>('input, textarea, select, button')?.focus();
    form.changed();
  });
  const tick = tickOf(form, path, isTicked);
  return fieldset(
    form,
    path,
    {
      elements: [place],
      value(problems) {
        // The paths of problems and of fields have the entry's number among all entries, including empty ones.
        const values = entries.map(({ part }) => part.value(problems)).filter((value) => value !== undefined);
        return values.length === 0 ? undefined : values;
      },
      paths: tick.paths,
      mark: (problems) => entries.forEach(({ part }) => part.mark(problems)),
    },
    [element('p', { class: 'actions' }, add), ...tick.elements],
  );
}

function tickOf(form: Form, path: Path, isTicked: boolean): Tick {
  if (!isTicked) {
    return { elements: [], paths: () => [] };
  }
  const name = labelOf(form, path);
  const box = element('input', { type: 'checkbox', 'aria-label': say('form.publicNamed', { name }) });
  box.checked = form.isShown.has(JSON.stringify(path));
  return { elements: [element('label', { class: 'tick' }, box, ' ', say('form.public'))], paths: (isPublic) => (box.checked === isPublic ? [path] : []) };
}

function fieldOf(form: Form, schema: unknown, given: unknown, path: Path, isTicked: boolean): Part {
  ids += 1;
  const [id, note] = [`field-${ids}`, `note-${ids}`];
  const isRequired = requiredIn(form.schema, path);
  const value = given === undefined || given === null ? '' : String(given);
  const input = inputOf(schema, value, { id, 'aria-describedby': note, 'aria-required': isRequired ? 'true' : undefined });
  input.value = value;
  const problem = element('p', { class: 'problem', id: note });
  input.addEventListener('input', () => show(null));
  const show = (text: string | null) => {
    problem.textContent = text ?? '';
    input.toggleAttribute('aria-invalid', false);
    if (text !== null) {
      input.setAttribute('aria-invalid', 'true');
    }
  };
  const tick = tickOf(form, path, isTicked);
  const star = isRequired ? [' ', element('span', { class: 'required' }, say('form.requiredMark'))] : [];
  const label = element('label', { for: id }, element('bdi', {}, labelOf(form, path)), ...star);
  return {
    elements: [element('div', { class: 'entry' }, label, input, ...tick.elements, problem)],
    value(problems) {
      try {
        return parseField(schema, input.value, { hasComma, root: form.schema });
      } catch (error) {
        problems.push({ path, sentence: sentence(error) });
        return undefined;
      }
    },
    paths: tick.paths,
    mark: (problems) => show(problems.find((one) => JSON.stringify(one.path) === JSON.stringify(path))?.sentence ?? null),
  };
}

/** A field for a picture, which becomes part of the document. */
function pictureOf(form: Form, given: unknown, path: Path, isTicked: boolean): Part {
  ids += 1;
  const id = `field-${ids}`;
  const note = element('p', { class: 'problem', role: 'status' });
  const input = element('input', { id, type: 'file', accept: 'image/jpeg,image/png,image/webp' });
  const remove = element('button', { type: 'button' }, say('form.removePicture'));
  const shown = element('div', { class: 'thumb' });
  let value: string | undefined;
  const show = (address: string | undefined) => {
    value = address;
    remove.hidden = address === undefined;
    shown.replaceChildren(...(address === undefined ? [] : [element('img', { src: address, alt: '' })]));
  };
  input.addEventListener('change', async () => {
    note.textContent = '';
    try {
      const [file] = input.files ?? [];
      show(file === undefined ? undefined : await pictureIn(file));
    } catch {
      note.textContent = say('form.pictureBroken');
    }
    // Allows choosing the same file again.
    input.value = '';
    form.changed();
  });
  remove.addEventListener('click', () => {
    show(undefined);
    input.focus();
    form.changed();
  });
  show(typeof given === 'string' && given.startsWith('data:image/') ? given : undefined);
  const tick = tickOf(form, path, isTicked);
  const label = element('label', { for: id }, element('bdi', {}, labelOf(form, path)));
  return {
    elements: [element('div', { class: 'entry' }, label, input, ...tick.elements, shown, remove, note)],
    value: () => value,
    paths: tick.paths,
    mark: () => {},
  };
}

function inputOf(schema: unknown, value: string, attributes: Attributes) {
  const [type, format, choices] = ['type', 'format', 'enum'].map((keyword) => own(schema, keyword));
  const options: [value: string, text: string][] | null =
    type === 'boolean'
      ? [
          ['true', say('common.yes')],
          ['false', say('common.no')],
        ]
      : Array.isArray(choices)
        ? choices.map((choice) => [String(choice), String(choice)])
        : null;
  if (options !== null) {
    return element('select', attributes, element('option', { value: '' }, say('form.choose')), ...options.map(([choice, text]) => element('option', { value: choice }, text)));
  }
  if (type === 'string' && (value.length > LONG || value.includes('\n'))) {
    return element('textarea', { ...attributes, rows: 2 });
  }
  const kind = format === 'date' ? { type: 'date' } : type === 'integer' || type === 'number' ? { type: 'text', inputmode: type === 'integer' ? 'numeric' : 'decimal' } : { type: 'text' };
  return element('input', { ...attributes, ...kind, autocomplete: 'off' });
}

const requiredIn = (schema: unknown, path: Path) => {
  const required = own(schemaAt(schema, path.slice(0, -1)), 'required');
  return typeof path.at(-1) === 'string' && Array.isArray(required) && required.includes(path.at(-1));
};

/** Returns the title of a field, or the number of a list's entry. */
function labelOf({ schema }: Form, path: Path) {
  const step = path.at(-1);
  return nameOf(schema, path) ?? say('form.entry', { number: Number(step) + 1 });
}
