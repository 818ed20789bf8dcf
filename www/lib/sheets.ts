// Prints certificates, each on sheets of its own, with a QR code that proves the values on the sheet. Without the values, a reader of the code could take
// any name on the paper for the certified one.
import { PRIVATE_ENDING, SHARED_ENDING, readFile, toFragment } from './file.ts';
import type { Shown } from './compact.ts';
import { plainFields, certificateOf } from '../../pkg/view/src/model.ts';
import { fileStem, isAssetKey, isPointer } from '../../pkg/view/src/issue.ts';
import { own } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import { hiddenNames } from './paper.ts';
import { part } from './part.ts';
import type { Design } from './design.ts';
import { framedSheet } from './framed.ts';
import type { Sheet } from './framed.ts';
import { locale } from './texts.ts';

export type { Sheet } from './framed.ts';

/** The longest time to wait for logos and pictures, in milliseconds. */
const PATIENCE = 5_000;

/** A holder's certificate to print. */
export interface Held {
  /** The text of the holder's file. */
  holder: string;
  /** The address of the certificate's page, with the ids as the service writes them. */
  link: string;
  /** The public evidence, or null. With it, the code of the sheet needs only what the public evidence lacks. */
  open: unknown;
}

/**
 * Returns the sheet of a certificate with all values that its code can prove. `readable` returns the schema with titles in the reader's language.
 * If no code has the whole certificate, the longest values are left out.
 */
export async function sheetOfHolder({ holder, link, open }: Held, readable: (schema: unknown) => Promise<unknown>): Promise<Sheet> {
  const { schema, document, evidence, imprint } = readFile(holder);
  const titled = await readable(schema);
  const stem = fileStem(document ?? {}, { assetId: (link.split('/').at(-1) ?? '').slice(0, 8) }, imprint);
  const sheetOf = (shown: unknown, proving: string | null, hidden: string[], file = holder): Sheet => ({
    certificate: certificateOf({ schema: titled, fields: plainFields(schema, shown, 'proven'), locale }),
    link,
    source: { file, name: `${stem}${file === holder ? PRIVATE_ENDING : SHARED_ENDING}` },
    proving,
    hidden,
    level: 2,
  });
  if (document === null || isOfAih1(evidence)) {
    const { MAX_QR } = await part(import('./qr.ts'));
    const whole = `${link}#${await toFragment({ schema, document, evidence })}`;
    return sheetOf(document, whole.length <= MAX_QR ? whole : null, []);
  }
  const isShown = (key: string) => !isPointer(key) && !isAssetKey(key);
  const keys = Object.keys(document)
    .filter(isShown)
    .toSorted((one, other) => sizeOf(document[one]) - sizeOf(document[other]));
  const { provingLink } = await part(import('./proving.ts'));
  let proving = await provingLink({ schema, document, evidence }, link, open);
  let shown: JsonObject = document;
  let file = holder;
  let left = keys.length;
  while (proving === null && left > 1) {
    left -= 1;
    const shorter = await reduced(holder, keys.slice(0, left), link);
    proving = await provingLink(shorter, link, open);
    ({ document: shown, file } = shorter);
  }
  const hidden = hiddenNames(
    titled,
    keys.slice(left).map((key) => [key]),
  );
  return proving === null ? sheetOf(document, null, []) : sheetOf(shown, proving, hidden, file);
}

const isOfAih1 = (evidence: unknown) => own(evidence, 'profile') === undefined;

const sizeOf = (value: unknown) => JSON.stringify(value).length;

/** Returns the copy of a holder's file that shows only these keys. */
async function reduced(holder: string, keys: readonly string[], link: string): Promise<Shown & { file: string }> {
  const { ask } = await part(import('./beside.ts'));
  const [, , ledger = '', asset = ''] = new URL(link).pathname.split('/');
  const { file } = await ask('share', { texts: [holder], paths: keys.map((key) => [key]), ledger, asset, service: new URL(link).origin });
  const { schema, document, evidence } = readFile(file);
  return { schema, document: document ?? {}, evidence, file };
}

/** Prints certificates. While they are printed, they are in `place`, an element that the screen does not show. */
export async function printSheets(place: HTMLElement, sheets: readonly Sheet[], design: Design) {
  const qr = await part(import('./qr.ts'));
  place.replaceChildren(...sheets.map((sheet) => framedSheet(sheet, design, qr)));
  await leaveOutUnloaded([...place.querySelectorAll('img')]);
  document.body.classList.add('printing');
  addEventListener(
    'afterprint',
    () => {
      document.body.classList.remove('printing');
      place.replaceChildren();
    },
    { once: true },
  );
  print();
}

/** Waits until pictures are loaded, and removes those that do not load. */
async function leaveOutUnloaded(pictures: HTMLImageElement[]) {
  const loaded = new Set<HTMLImageElement>();
  const all = Promise.allSettled(
    pictures.map(async (picture) => {
      await picture.decode();
      loaded.add(picture);
    }),
  );
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  for (const picture of pictures.filter((one) => !loaded.has(one))) {
    picture.remove();
  }
}
