// The register book of this browser: who holds which certificate. The service knows no holder's name, so the office keeps the book itself. It is in IndexedDB,
// and can be saved to a file and merged with another book (docs/book.md). Losing it loses names, not certificates.
import { Refusal, isObject, own } from '../../pkg/view/src/json.ts';
import { within } from './stored.ts';

/** The facts of an entry. `fileKey` is the key in the evidence of the private file, which opens the whole certificate. */
export const FACTS = ['holder', 'email', 'title', 'issuedAt', 'fileKey'] as const;
export type FactName = (typeof FACTS)[number];

/** A fact, and the time at which it was entered, in milliseconds since 1970. An empty text says that there is none. */
export type Fact = readonly [value: string, at: number];

/** The entry of a certificate. `ledger` is in lower case. A fact that is absent is not known. */
export interface Entry extends Partial<Readonly<Record<FactName, Fact>>> {
  readonly ledger: string;
  readonly asset: string;
}

/** What somebody enters about a certificate. Facts that are absent or empty change nothing. */
export interface Given extends Partial<Readonly<Record<FactName, string>>> {
  readonly ledger: string;
  readonly asset: string;
}

/** The maximum number of entries. */
export const MAX_ENTRIES = 200_000;
/** The maximum length of a fact, in characters. Longer ones are cut off. */
const MAX_FACT = 300;
/** The maximum time that a fact may be ahead of this browser's clock, in milliseconds: a day. Nobody could correct a fact of a later time, because the newer one counts. */
const MAX_AHEAD = 86_400_000;
/** The version of saved books. */
const VERSION = 1;
/** The maximum size of a saved book, in bytes. */
export const MAX_BOOK = 100 * 1024 * 1024;
export const BOOK_ENDING = '.assay-book.json';

/** Returns the identity of a certificate in the book. */
export const idOf = ({ ledger, asset }: Pick<Entry, 'ledger' | 'asset'>): string => `${ledger.toLowerCase()}/${asset}`;

/** Returns the value of a fact, or an empty text. */
export const factOf = (entry: Entry | undefined, name: FactName): string => entry?.[name]?.[0] ?? '';

/**
 * Returns the entry with the newer fact of each name. Of two facts of the same time, the greater text counts. Books that are merged in any order, and any number of times, are therefore
 * equal.
 */
export function merged(one: Entry, other: Entry): Entry {
  const facts = FACTS.flatMap((name): [FactName, Fact][] => {
    const [mine, theirs] = [one[name], other[name]];
    const fact = mine === undefined || (theirs !== undefined && isNewer(theirs, mine)) ? theirs : mine;
    return fact === undefined ? [] : [[name, fact]];
  });
  return { ledger: one.ledger, asset: one.asset, ...Object.fromEntries(facts) };
}

/** Returns the number of entries that say something which another book, already merged into them, lacks. A fact that was entered again with the same text is no news. */
export function newsFor(other: readonly Entry[], entries: readonly Entry[]): number {
  const known = new Map(other.map((entry) => [idOf(entry), entry]));
  return entries.filter((entry) => FACTS.some((name) => factOf(entry, name) !== factOf(known.get(idOf(entry)), name))).length;
}

const isNewer = ([text, at]: Fact, [otherText, otherAt]: Fact) => at > otherAt || (at === otherAt && text > otherText);

/** Returns the entry of what somebody enters at a time. */
export function entryOf(given: Given, at: number): Entry {
  const facts = FACTS.flatMap((name): [FactName, Fact][] => {
    const text = (given[name] ?? '').trim();
    return text === '' ? [] : [[name, [text.slice(0, MAX_FACT), at]]];
  });
  return { ledger: given.ledger.toLowerCase(), asset: given.asset, ...Object.fromEntries(facts) };
}

/** Returns the text of a book. `service` is the address of the service whose certificates it names. */
export const writeBook = (entries: readonly Entry[], service: string): string => JSON.stringify({ assayBook: VERSION, service, entries });

/** Returns the entries of a book. Refuses other texts and the books of other services. Drops facts that this version does not know, and those from the future. */
export function readBook(text: string, service: string, now = Date.now()): Entry[] {
  const book = parsed(text);
  const [version, entries, from] = [own(book, 'assayBook'), own(book, 'entries'), own(book, 'service')];
  if (typeof version === 'number' && version > VERSION) {
    throw Refusal.of('console.book.newer');
  }
  if (version !== VERSION || !Array.isArray(entries) || typeof from !== 'string') {
    throw Refusal.of('console.book.wrong');
  }
  if (from !== service) {
    throw Refusal.of('console.book.elsewhere', { service: from.slice(0, MAX_FACT) });
  }
  if (entries.length > MAX_ENTRIES) {
    throw Refusal.of('console.book.full', { most: MAX_ENTRIES });
  }
  return entries.map((entry) => entryIn(entry, now + MAX_AHEAD));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw Refusal.of('console.book.wrong');
  }
}

/** The form of a certificate's number, and of a ledger's id. */
const NUMBER = /^(0|[1-9][0-9]{0,77})$/;
const LEDGER = /^0x[0-9a-f]{40}$/;

function entryIn(value: unknown, latest: number): Entry {
  const [ledger, asset] = [own(value, 'ledger'), own(value, 'asset')];
  if (!isObject(value) || typeof ledger !== 'string' || typeof asset !== 'string' || !LEDGER.test(ledger) || !NUMBER.test(asset)) {
    throw Refusal.of('console.book.wrong');
  }
  const facts = FACTS.flatMap((name): [FactName, Fact][] => {
    const fact = own(value, name);
    if (fact === undefined) {
      return [];
    }
    const [text, at] = [own(fact, 0), own(fact, 1)];
    if (!Array.isArray(fact) || typeof text !== 'string' || text.length > MAX_FACT || typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0) {
      throw Refusal.of('console.book.wrong');
    }
    return at > latest ? [] : [[name, [text, at]]];
  });
  return { ledger, asset, ...Object.fromEntries(facts) };
}

const BOOK = { database: 'assay.book', store: 'entries' };

/** Returns all entries of this browser's book by their ids. */
export async function readEntries(): Promise<Map<string, Entry>> {
  const entries = (await within<Entry[]>(BOOK, 'readonly', (book) => book.getAll())) ?? [];
  return new Map(entries.map((entry) => [idOf(entry), entry]));
}

/** Merges entries into this browser's book. One transaction reads and writes, so another tab loses nothing. */
export async function keepEntries(entries: readonly Entry[]): Promise<void> {
  let isFull = false;
  try {
    await within(BOOK, 'readwrite', (book) => {
      const count = book.count();
      count.onsuccess = () => {
        // Counts entries twice that are replaced, so the limit is reached early rather than late.
        isFull = count.result + entries.length > MAX_ENTRIES;
        if (isFull) {
          book.transaction.abort();
        } else {
          for (const entry of entries) {
            mergeInto(book, entry);
          }
        }
      };
      return count;
    });
  } catch (error) {
    throw isFull ? Refusal.of('console.book.full', { most: MAX_ENTRIES }) : error;
  }
}

function mergeInto(book: IDBObjectStore, entry: Entry) {
  const request: IDBRequest<Entry | undefined> = book.get(idOf(entry));
  request.onsuccess = () => book.put(request.result === undefined ? entry : merged(request.result, entry), idOf(entry));
}

/** Enters what is known about certificates that were just issued. Never fails, because they are issued already: the book can be filled from their files later. */
export async function enter(found: () => readonly Given[]): Promise<void> {
  const now = Date.now();
  try {
    await keepEntries(found().map((one) => entryOf(one, now)));
  } catch (error) {
    console.warn(error);
  }
}

/** Removes the whole book from this browser. */
export async function removeBook(): Promise<void> {
  await within(BOOK, 'readwrite', (book) => book.clear());
}
