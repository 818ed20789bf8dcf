// Prints certificates, each on sheets of its own, with its link and QR code.
import { element } from './page.js';
import { qrPicture } from './qr.js';
import { showPaper } from './sheet.js';
import { say } from './texts.js';

/** The longest time to wait for logos and pictures, in milliseconds. */
const PATIENCE = 5_000;

/**
 * Prints certificates `{ certificate, link, ...options }`. `certificate` is a result of `certificateOf`, and `options` are options of `showPaper`.
 * While they are printed, they are in `place`, an element that the screen does not show.
 */
export async function printSheets(place, sheets) {
  place.replaceChildren(...sheets.map(sheetElement));
  await leaveOutUnloaded([...place.querySelectorAll('img')]);
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

/** Waits until pictures are loaded, and removes those that do not load. */
async function leaveOutUnloaded(pictures) {
  const loaded = new Set();
  const all = Promise.allSettled(pictures.map(async (picture) => {
    await picture.decode();
    loaded.add(picture);
  }));
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  for (const picture of pictures.filter((one) => !loaded.has(one))) {
    picture.remove();
  }
}
