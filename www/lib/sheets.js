// Prints certificates, each on sheets of its own, with its link and QR code.
import { element } from './page.js';
import { qrPicture } from './qr.js';
import { showPaper } from './sheet.js';
import { say } from './texts.js';

/**
 * Prints certificates `{ certificate, link, ...options }`, where `certificate` is of `certificateOf` and `options` are those of `showPaper`. `place` has
 * them while they are printed, and is not shown on the screen.
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
