// Fills the register book from files: archives of /issue/many/, private files, result tables of `cert batch`, and saved books, encrypted or not. Does not use the DOM.
import { type Entry, type Given, BOOK_ENDING, MAX_BOOK, entryOf, readBook } from '/lib/book.ts';
import { readCertificate } from '/lib/certificate-file.ts';
import { fromFragment } from '/lib/file.ts';
import { part } from '/lib/part.ts';
import { givenBy, givenOf, holderColumn, isAddress } from '/lib/people.ts';
import { MAX_BYTES, type Table, readTable } from '/lib/tables.ts';
import { readText } from '/lib/text-file.ts';
import { Refusal } from '/view/json.ts';

/** What was found in files. */
export interface Found {
  readonly entries: readonly Entry[];
  /** The number of certificates of other services. */
  readonly foreign: number;
  /** The number of files or rows that could not be read. */
  readonly unread: number;
}

/** The maximum size of an archive, and of its content, in bytes. */
const MAX_ARCHIVE = 300 * 1024 * 1024;
const MAX_CONTENT = 500 * 1024 * 1024;
/** The maximum number of files of an archive that are read, and of rows of a table. */
const MAX_FILES = 10_000;
const MAX_ROWS = 100_000;
/** The number of items after which the page is drawn. */
const AT_ONCE = 200;

const NOTHING: Found = { entries: [], foreign: 0, unread: 0 };

/** Calls `progressed` with the number of items that were read. */
type Progress = (count: number) => void;

/** Returns what a file says about certificates. An encrypted book is opened with the key of the account. */
export function foundIn(file: File, { account, now }: { readonly account: string; readonly now: number }, progressed: Progress): Promise<Found> {
  const name = file.name.toLowerCase();
  if (name.endsWith('.age')) {
    return inSealed(file, account);
  }
  if (name.endsWith('.zip')) {
    return inArchive(file, now, progressed);
  }
  if (/\.(csv|tsv|xlsx|ods)$/.test(name)) {
    return inTable(file, now, progressed);
  }
  return name.endsWith(BOOK_ENDING) ? inBook(file) : inCertificate(file, now);
}

async function inSealed(file: File, account: string): Promise<Found> {
  const { openSealed } = await part(import('./sharing.ts'));
  return { ...NOTHING, entries: await openSealed(file, account) };
}

async function inBook(file: File): Promise<Found> {
  return { ...NOTHING, entries: readBook(await readText(file, MAX_BOOK), location.origin) };
}

/** The content of a key file, which opens an account and says nothing about certificates. */
const KEY_FILE = /^\s*(0x)?[0-9a-f]{64}\s*$/i;
/** The maximum size of a key file, in bytes. */
const MAX_KEY_FILE = 200;

async function inCertificate(file: File, now: number): Promise<Found> {
  if (file.size <= MAX_KEY_FILE && KEY_FILE.test(await file.text())) {
    throw Refusal.of('book.keyFile');
  }
  return ofService(givenBy(await readCertificate(file)), now);
}

const ofService = (given: Given & { readonly service: string }, now: number): Found =>
  given.service === location.origin ? { ...NOTHING, entries: [entryOf(given, now)] } : { ...NOTHING, foreign: 1 };

const sumOf = (one: Found, other: Found): Found => ({ entries: [...one.entries, ...other.entries], foreign: one.foreign + other.foreign, unread: one.unread + other.unread });

async function inArchive(file: File, now: number, progressed: Progress): Promise<Found> {
  if (file.size > MAX_ARCHIVE) {
    throw Refusal.of('file.size', { megabytes: (file.size / 1024 / 1024).toFixed(1) });
  }
  const { unzipSync } = await part(import('/fflate/browser.js'));
  let [left, files] = [MAX_CONTENT, MAX_FILES];
  const isWanted = ({ name, originalSize }: { name: string; originalSize: number }) => {
    const isRead = /(^|\/)(private\/[^/]+\.private\.assay\.json|result\.csv)$/.test(name) && originalSize <= MAX_BYTES;
    left -= isRead ? originalSize : 0;
    files -= isRead ? 1 : 0;
    return isRead && left >= 0 && files >= 0;
  };
  let content: Record<string, Uint8Array>;
  try {
    content = unzipSync(new Uint8Array(await file.arrayBuffer()), { filter: isWanted });
  } catch {
    throw Refusal.of('book.archive');
  }
  let found = NOTHING;
  for (const [index, [name, bytes]] of Object.entries(content).entries()) {
    found = sumOf(found, await inMember(name, bytes, now, progressed));
    if (index % AT_ONCE === 0) {
      progressed(index);
      await drawn();
    }
  }
  if (found.entries.length + found.foreign + found.unread === 0) {
    throw Refusal.of('book.archive');
  }
  return found;
}

/** Returns what a file of an archive says. A file that cannot be read is counted. */
async function inMember(name: string, bytes: Uint8Array, now: number, progressed: Progress): Promise<Found> {
  try {
    if (name.endsWith('.csv')) {
      return await inRows(await readTable(bytes, {}, MAX_ROWS), now, progressed);
    }
    return ofService(givenBy(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), now);
  } catch {
    return { ...NOTHING, unread: 1 };
  }
}

async function inTable(file: File, now: number, progressed: Progress): Promise<Found> {
  if (file.size > MAX_BYTES) {
    throw Refusal.of('file.size', { megabytes: (file.size / 1024 / 1024).toFixed(1) });
  }
  return inRows(await readTable(new Uint8Array(await file.arrayBuffer()), {}, MAX_ROWS), now, progressed);
}

/** The columns that `cert batch` and /issue/many/ add to a table (docs/batch.md). */
const [PUBLIC, WHOLE] = ['certificate_public_link', 'certificate_holder_link'];
const ADDED = /^certificate_/;
/** The apostrophe that keeps spreadsheets from running a cell. */
const SAFE = /^'(?=[=+\-@\t\r\n＝＋－＠])/;

async function inRows({ columns, rows }: Pick<Table, 'columns' | 'rows'>, now: number, progressed: Progress): Promise<Found> {
  const [link, whole] = [columns.indexOf(PUBLIC), columns.indexOf(WHOLE)];
  if (link === -1) {
    throw Refusal.of('book.noLinks');
  }
  const holder = holderColumn(columns.map((name) => (ADDED.test(name) ? '' : name)));
  const entries: Entry[] = [];
  let [foreign, unread] = [0, 0];
  for (const [index, { cells }] of rows.entries()) {
    const address = addressIn(cells[link] ?? '');
    if (address === null) {
      unread += 1;
    } else if (address.service !== location.origin) {
      foreign += 1;
    } else {
      const own = cells.filter((_, column) => !ADDED.test(columns[column] ?? '')).map((cell) => cell.replace(SAFE, ''));
      const named = { ...address, holder: (cells[holder] ?? '').replace(SAFE, ''), email: own.find(isAddress) ?? '' };
      entries.push(entryOf({ ...named, ...(await wholeIn(cells[whole] ?? '', address, own)) }, now));
    }
    if (index % AT_ONCE === 0) {
      progressed(index);
      await drawn();
    }
  }
  return { entries, foreign, unread };
}

/** Returns what the holder's link of a row says, or nothing. A certificate that is too large for a link has none. */
async function wholeIn(link: string, address: { readonly ledger: string; readonly asset: string }, cells: readonly string[]): Promise<Partial<Given>> {
  const [, fragment = ''] = link.split('#');
  try {
    const given = givenOf({ ...address, ...(await fromFragment(fragment)) }, cells);
    return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''));
  } catch {
    return {};
  }
}

/** Returns the service, the ledger and the number in the address of a certificate's page, or null. */
export function addressIn(text: string): { readonly service: string; readonly ledger: string; readonly asset: string } | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const [, ledger, asset] = /^\/c\/(0x[0-9a-fA-F]{40})\/(0|[1-9][0-9]{0,77})\/?$/.exec(url?.pathname ?? '') ?? [];
  return url === null || ledger === undefined || asset === undefined ? null : { service: url.origin, ledger, asset };
}

/** Waits until the browser has drawn the page. */
const drawn = () => new Promise((resolve) => setTimeout(resolve));
