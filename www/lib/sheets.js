// Prints certificates, each on sheets of its own, with its link and QR code.
import { element } from './page.js';
import { qrPicture } from './qr.js';
import { showPaper } from './sheet.js';
import { say } from './texts.js';

/**
 * Prints certificates `{ certificate, link, ...options }`. `certificate` is a result of `certificateOf`, and `options` are options of `showPaper`.
 * While they are printed, they are in `place`, an element that the screen does not show.
 */
export function printSheets(place, sheets) {
  place.replaceChildren(...sheets.map(sheetElement));
  document.body.classList.add('printing');
  addEventListener('afterprint', () => {
    document.body.classList.remove('printing');
    place.replaceChildren();
  }, { once: true });
  print();
}

function sheetElement({ certificate, link, ...options }) {
  const paper = element('article', { class: 'paper' });
  showPaper(paper, certificate, options);
  const address = element('p', { class: 'address' }, link.replace(/^https?:\/\//, ''));
  paper.append(element('footer', { class: 'foot' }, element('div', {}, element('p', {}, say('certificate.address')), address), element('div', { class: 'qr' }, qrPicture(link, say('certificate.qr')))));
  return paper;
}
