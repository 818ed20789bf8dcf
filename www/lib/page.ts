// Browser code shared by the pages: elements, files, the clipboard, downloads.
import { checkKind, checkSize, sentenceOf, visible } from '../../pkg/view/src/json.ts';
import { decoded, notText } from './text-file.ts';

/** The attributes of an element. A value of true sets an empty attribute. False and undefined set none. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The content of an element. Strings become text, never markup. */
export type Child = Node | string;

/** Returns the element with an id. Throws if there is no such element, or if it is not of the class `kind`. */
export function byId(id: string): HTMLElement;
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind;
export function byId(id: string, kind: new () => HTMLElement = HTMLElement): HTMLElement {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) {
    throw new Error(`the page has no ${kind.name} with the id \`${id}\``);
  }
  return found;
}

/** Creates an element with attributes and children. Strings become text, never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? '' : String(value));
    }
  }
  made.append(...children);
  return made;
}

/** Returns an untrusted or certified text. Browsers do not translate it, and its direction does not change the text around it. */
export const certified = (text: string, kind?: string) => element('bdi', { class: kind, translate: 'no' }, text);

/** Returns the rest of a long text, which the visitor can open. */
export const restElement = (rest: string, summary: string) => element('details', { class: 'rest' }, element('summary', {}, summary), certified(rest, 'said'));

/** Shows the page's main answer in a live region, so that screen readers read it. `kind` selects the style. */
export function answer(region: HTMLElement, kind: string, heading: string, sentence: string) {
  region.dataset.kind = kind;
  region.replaceChildren(element('strong', {}, heading), ' ', sentence);
}

/** The maximum length of a text in a field, in characters. Browsers lay out longer texts slowly. */
const MAX_FIELD = 100_000;
/** The long texts that are kept outside of their fields, by field. These fields stay empty. */
const kept = new WeakMap<HTMLTextAreaElement, string>();

/** Puts a text into its field. A long text is kept outside of the field, and the field's placeholder shows its `name`. */
export function put(area: HTMLTextAreaElement, text: string, name?: string) {
  const long = text.length > MAX_FIELD;
  area.value = long ? '' : text;
  area.dataset.invitation ??= area.placeholder;
  area.placeholder = long ? `${name}: ${text.length} characters. ${area.dataset.invitation}` : area.dataset.invitation;
  kept.set(area, long ? text : '');
}

/** Returns the text of a field. Typed text replaces kept text. */
export function textOf(area: HTMLTextAreaElement): string {
  return area.value || (kept.get(area) ?? '');
}

/** Returns the files that a visitor chose in a file field. */
export const filesOf = (field: HTMLInputElement) => [...(field.files ?? [])];

/** Makes a file field show these files as the chosen ones. */
function hold(field: HTMLInputElement, files: File[]) {
  const transfer = new DataTransfer();
  for (const file of files) {
    transfer.items.add(file);
  }
  field.files = transfer.files;
}

/** The sentences about files. */
interface Words {
  read(names: string[]): string;
  sentence(error: unknown): string;
}

const ENGLISH: Words = { read: (names) => `Read ${names.join(', ')}.`, sentence: sentenceOf };

/**
 * Fills the text areas from their file fields and from dropped files. `place` returns the area for a text. `report` gets a sentence and the
 * number of files that were read. `words` has the sentences: `read(names)`, and `sentence(error)`. Files dropped while `isActive` returns false
 * are ignored.
 */
export function acceptFiles(areas: HTMLTextAreaElement[], place: (text: string) => HTMLTextAreaElement, report: (sentence: string, count: number) => void, words = ENGLISH, isActive = () => true) {
  const fieldOf = (area: HTMLTextAreaElement) => byId(`${area.id}-file`, HTMLInputElement);
  const take = async (file: File, area: HTMLTextAreaElement | undefined) => {
    checkSize(file.size, `file ${visible(file.name)}`);
    const { text, isText } = decoded(new Uint8Array(await file.arrayBuffer()));
    checkKind(text, `file ${visible(file.name)}`);
    if (!isText) {
      throw notText(file.name);
    }
    const target = area ?? place(text);
    put(target, text, visible(file.name));
    target.dispatchEvent(new Event('input'));
    hold(fieldOf(target), [file]);
  };
  const takeAll = async (files: File[], area: HTMLTextAreaElement | undefined) => {
    const [read, refused]: [string[], string[]] = [[], []];
    for (const file of files) {
      try {
        await take(file, area);
        read.push(visible(file.name));
      } catch (error) {
        refused.push(words.sentence(error));
      }
    }
    report([read.length > 0 ? words.read(read) : '', ...refused].filter((sentence) => sentence !== '').join(' '), read.length);
  };
  for (const area of areas) {
    const field = fieldOf(area);
    area.addEventListener('input', () => {
      // Typed text no longer belongs to the chosen file.
      field.value = '';
      if (area.value) {
        put(area, area.value);
      }
    });
    // Allows choosing the same file again after a change.
    let before: File[] = [];
    field.addEventListener('click', () => {
      before = filesOf(field);
      field.value = '';
    });
    field.addEventListener('cancel', () => hold(field, before));
    field.addEventListener('change', () => takeAll(filesOf(field), area));
  }
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', async (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0 || !isActive()) {
      return;
    }
    event.preventDefault();
    await takeAll(files, files.length === 1 ? areas.find((one) => event.target instanceof Node && one.parentElement?.contains(event.target)) : undefined);
  });
}

/** Makes a button copy `text()`. If the browser does not allow copying, the button selects the content of `shown` instead. Reports the result with a sentence of `words`. */
export function copyButton(button: HTMLElement, shown: Node, text: () => string, report: (sentence: string) => void, words = { copied: 'Copied.', selected: 'Selected: copy it with your keyboard.' }) {
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text());
      report(words.copied);
    } catch {
      getSelection()?.selectAllChildren(shown);
      report(words.selected);
    }
  });
}

/** Downloads a text as a file. */
export function download(name: string, text: BlobPart, type = 'application/json') {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
