// The short link on the holder's page: its choice of days, its QR code, and its end.
import { refuseBelow } from '/lib/answers.ts';
import { operatorOf } from '/lib/operator.ts';
import { byId, copyButton, element } from '/lib/page.ts';
import { part } from '/lib/part.ts';
import { sentence } from '/lib/sentence.ts';
import type { ShortLink } from '/lib/short.ts';
import { momentText, say } from '/lib/texts.ts';

/** The days that are chosen at first, and the others. */
const DAYS = [7, 1, 30];

let last: ShortLink | null = null;

/** Prepares the part for short links. Shows it if the service keeps them. `address` returns the link of what is shown now, or null. */
export function offerShort(address: () => string | null) {
  byId('short-days', HTMLSelectElement).replaceChildren(...DAYS.map((days) => element('option', { value: days }, say('short.day', { count: days }))));
  byId('short-make').addEventListener('click', () => make(address()));
  byId('short-end').addEventListener('click', end);
  copyButton(
    byId('short-copy'),
    byId('short-link'),
    () => byId('short-link').textContent ?? '',
    (text) => (byId('short-note').textContent = text),
    { copied: say('common.copied'), selected: say('common.selected') },
  );
  operatorOf()
    .then(({ hasShortLinks }) => (byId('short').hidden = !hasShortLinks))
    .catch(() => {});
}

/** Hides the last short link, because it stands for what was shown before. The link itself stays valid. */
export function forgetShort() {
  last = null;
  byId('short-made').hidden = true;
  byId('short-answer').hidden = true;
}

async function make(address: string | null) {
  if (address === null) {
    return;
  }
  forgetShort();
  const button = byId('short-make', HTMLButtonElement);
  button.disabled = true;
  try {
    const [{ makeShort }, { qrPicture }] = await part(Promise.all([import('/lib/short.ts'), import('/lib/qr.ts')]));
    const made = await makeShort(address, Number(byId('short-days', HTMLSelectElement).value));
    last = made;
    byId('short-link').textContent = made.link;
    byId('short-code').replaceChildren(qrPicture(made.link, say('short.code')));
    byId('short-note').textContent = say('short.until', { date: momentText(new Date(made.expiresAt)) });
    byId('short-end', HTMLButtonElement).disabled = false;
    byId('short-made').hidden = false;
  } catch (error) {
    refuse(error);
  } finally {
    button.disabled = false;
  }
}

async function end() {
  if (last === null) {
    return;
  }
  const button = byId('short-end', HTMLButtonElement);
  button.disabled = true;
  try {
    const { endShort } = await part(import('/lib/short.ts'));
    await endShort(last);
    byId('short-code').replaceChildren();
    byId('short-link').textContent = '';
    byId('short-note').textContent = say('short.ended');
  } catch (error) {
    button.disabled = false;
    refuse(error);
  }
}

const refuse = (error: unknown) => refuseBelow(byId('short-answer'), say('common.notPossible'), sentence(error));
