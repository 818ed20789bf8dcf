// The fields of a document as rows of a table. The rows come from `rowOf` of pkg/view/src/display.ts.
import type { Difference } from '../../pkg/view/src/alike.ts';
import type { Display, FieldRow } from '../../pkg/view/src/display.ts';
import { certified, element, restElement } from './page.ts';
import type { Child } from './page.ts';
import { split } from '../../pkg/view/src/visible.ts';

/** The number of UTF-16 code units of a name and a title that are not proven. */
const MAX_TITLE = 160;

const STATUS: Record<FieldRow['status'], string> = { proven: 'proven', 'not-proven': 'not proven', 'not-covered': 'not covered', untrusted: 'fits', unchecked: 'not checked' };

/** Returns a table row with the finding, the field's name and its value. If the value was changed and the certified value is known, the row has both values. */
export function fieldRow({ title, name, status, value, certified: original, alike = null, because }: FieldRow): HTMLTableRowElement {
  const isChanged = original !== undefined;
  const says = (label: string, shown: Display) => element('div', {}, `${label}: `, ...valueElements(shown));
  const values: Child[] = isChanged ? [says('Certified', original), says('This document says', value), ...(alike === null ? [] : alikeElements(alike))] : valueElements(value);
  const most = status === 'proven' ? Infinity : MAX_TITLE;
  const path = title === undefined ? [] : [element('div', { class: 'hint path' }, ...cutElements(name, most))];
  return element(
    'tr',
    { 'data-status': status },
    element('td', {}, element('span', { class: 'status' }, isChanged ? 'changed' : STATUS[status])),
    element('th', { scope: 'row' }, ...cutElements(title ?? name, most, title === undefined ? undefined : 'title'), ...path),
    element('td', {}, ...values, because && !isChanged ? element('p', { class: 'hint' }, because) : ''),
  );
}

/** Shows the different characters of two texts that look alike. */
function alikeElements(alike: Difference[]) {
  const items = alike.map(({ text, points, otherText, otherPoints }) =>
    element('li', {}, 'This document has ', certified(text), ` (${points}), certified was `, certified(otherText), ` (${otherPoints}).`),
  );
  return [element('p', {}, 'The two texts look alike, but their characters differ:'), element('ul', {}, ...items)];
}

/** Shows a text, at most `most` code units of it at first. */
function cutElements(text: string, most: number, kind?: string) {
  const [start, rest] = split(text, most);
  return rest === '' ? [certified(text, kind)] : [certified(`${start}…`, kind), restElement(rest, `Show the other ${rest.length} characters`)];
}

/** Returns the elements for a value of `displayOf`. The page fetches remote content only at the visitor's request. */
function valueElements(display: Display): Child[] {
  const { text, rest } = display;
  switch (display.kind) {
    case 'date':
      return [element('time', { datetime: display.exact, title: display.exact, translate: 'no' }, text)];
    case 'number':
      return [element('data', { value: display.exact, title: display.exact, translate: 'no' }, text)];
    case 'link':
      return [link(display.address, text)];
    case 'picture':
      return [display.host === undefined ? picture(display.address) : remotePicture(display.address, text, display.host)];
    default: {
      const style = display.kind === 'json' ? 'value' : 'said';
      return rest === '' ? [certified(text, style)] : [certified(`${text}…`, style), restElement(rest, `Show the other ${rest.length} characters`)];
    }
  }
}

const link = (address: string, text: string) => element('a', { href: address, target: '_blank', rel: 'noopener noreferrer nofollow' }, certified(text));

const picture = (address: string) => element('img', { class: 'picture', src: address, alt: 'Picture of this document', referrerpolicy: 'no-referrer' });

/** Returns a button that loads a remote picture. After loading, a note warns that the host may change the picture. */
function remotePicture(address: string, text: string, host: string) {
  const note = element('p', { class: 'hint', role: 'status' });
  const button = element('button', { type: 'button' }, `Show the picture from ${host}`);
  const place = element('div', { class: 'picture-place' }, button, note, element('p', { class: 'hint' }, link(address, text)));
  button.addEventListener('click', () => {
    const shown = picture(address);
    shown.addEventListener('error', () => {
      shown.replaceWith(button);
      note.textContent = 'The picture could not be loaded.';
    });
    shown.addEventListener('load', () => {
      note.textContent = `Loaded from ${host}, which may change it: only its address is certified.`;
    });
    button.replaceWith(shown);
  });
  return place;
}
