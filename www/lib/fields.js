// The fields of a document as rows of a table. The rows come from `rowOf` of lib/display.js.
import { element } from './page.js';

const STATUS = { proven: 'proven', 'not-proven': 'not proven', 'not-covered': 'not covered', untrusted: 'fits' };

/** Returns a table row with the finding, the field's name and its value. If the value was changed and the certified value is known, the row has both values. */
export function fieldRow({ title, name, status, value, certified, because }) {
  const isChanged = certified !== undefined;
  const says = (label, shown) => element('p', {}, `${label}: `, valueElement(shown));
  const values = isChanged ? [says('Certified', certified), says('This document says', value)] : [valueElement(value)];
  const path = title === undefined ? [] : [element('p', { class: 'hint path' }, element('bdi', {}, name))];
  return element(
    'tr',
    { 'data-status': status },
    element('td', {}, element('span', { class: 'status' }, isChanged ? 'changed' : STATUS[status])),
    element('th', { scope: 'row' }, element('bdi', { class: title === undefined ? undefined : 'title' }, title ?? name), ...path),
    element('td', {}, ...values, because && !isChanged ? element('p', { class: 'hint' }, because) : ''),
  );
}

/** Returns the element for a value of `displayOf`. The page fetches remote content only at the visitor's request. */
function valueElement({ kind, text, exact, address, host }) {
  switch (kind) {
    case 'date':
      return element('time', { datetime: exact, title: exact }, text);
    case 'number':
      return element('data', { value: exact, title: exact }, text);
    case 'link':
      return link(address, text);
    case 'picture':
      return host === undefined ? picture(address) : remotePicture(address, text, host);
    default:
      return element('bdi', { class: kind === 'json' ? 'value' : 'said' }, text);
  }
}

const link = (address, text) => element('a', { href: address, target: '_blank', rel: 'noopener noreferrer nofollow' }, element('bdi', {}, text));

const picture = (address) => element('img', { class: 'picture', src: address, alt: 'Picture of this document', referrerpolicy: 'no-referrer' });

/** Returns a button that loads a remote picture. After loading, a note warns that the host may change the picture. */
function remotePicture(address, text, host) {
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
