// The state of the view of certificates, and its reducer. Does not use the DOM, workers or the clock.
import type { Asset, Validity } from '/client/index.js';
import type { Focus } from '../../components/answer.ts';
import { type Entry, factOf, idOf } from '../../lib/book.ts';

export interface Id {
  readonly ledgerId: string;
  readonly id: string;
}

/** A certificate, as lists have it. `unknown` is one that is not in force. Its record says why. */
export interface Certificate extends Id {
  /** Null if it is not in force. */
  readonly asset: Asset | null;
  /** The time of its issue. An empty text if the time is not known yet. */
  readonly date: string;
  /** The account that issued it, also after another one has withdrawn it. Null if it is not known. */
  readonly by: string | null;
  readonly status: 'inForce' | 'withdrawn' | 'unknown';
}

/** An event of a certificate's history. */
export interface Happening {
  readonly kind: 'issued' | 'replaced' | 'transferred' | 'withdrawn';
  readonly at: string | null;
  readonly by: string | null;
  readonly reason: string | null;
}

/** `register` is the id of a ledger or `ALL`, and `month` begins an ISO date, such as `2026-06`. Null does not filter. */
export interface Filter {
  readonly register: string | null;
  readonly status: 'inForce' | 'withdrawn' | null;
  readonly month: string | null;
}

/** The filter that shows the registers of other accounts as well. */
export const ALL = 'all';

/**
 * Returns the registers that a filter shows. Anybody can let an account issue on a register and fill that register, so without a filter, the registers that others
 * deployed are left out if the account has its own.
 */
export function registersIn<Register extends { readonly id: string; readonly isForeign?: boolean }>(registers: readonly Register[], filter: string | null): readonly Register[] {
  const own = registers.filter(({ isForeign = false }) => !isForeign);
  if (filter === null) {
    return own.length > 0 ? own : registers;
  }
  return filter === ALL ? registers : registers.filter(({ id }) => id === filter);
}

/** What the certificate's public record adds. The record is null if it could not be read. */
export interface Details {
  readonly name: string | null;
  readonly record: Validity | null;
}

/** An entry of the book, with the text in which a search looks. */
export interface Known {
  readonly entry: Entry;
  readonly searched: string;
}

/** A withdrawn certificate whose reason the service does not have yet. */
export interface Unexplained {
  readonly id: Id;
  readonly reason: string;
}

/** The numbers of certificates by their status. Of those in force, `replaced` have had an earlier content. */
export interface Counts {
  readonly valid: number;
  readonly replaced: number;
  readonly withdrawn: number;
  /** Whether there may be more. */
  readonly isMinimum: boolean;
}

export interface State {
  readonly filter: Filter;
  /** The list in progress. Another object lists anew. */
  readonly list: object;
  readonly rows: readonly Certificate[];
  readonly isEnd: boolean;
  readonly isReading: boolean;
  /** Whether the list could not be read on. */
  readonly isUnread: boolean;
  readonly query: string;
  /** Whether certificates that the search found are being looked up. */
  readonly isLooking: boolean;
  /** Certificates that were looked up one by one, by their keys. */
  readonly lookedUp: ReadonlyMap<string, Certificate>;
  readonly book: ReadonlyMap<string, Known>;
  readonly details: ReadonlyMap<string, Details>;
  readonly ticked: ReadonlySet<string>;
  /** The certificates that were withdrawn here since the list was begun. They stay in it, so that the person sees what happened. */
  readonly ended: ReadonlySet<string>;
  readonly count: Counts | null;
  /** The certificates that the dialog withdraws, or null while it is closed. */
  readonly withdrawing: readonly Certificate[] | null;
  readonly unexplained: readonly Unexplained[];
  readonly isBusy: boolean;
  readonly note: string;
  readonly focus: Focus | null;
}

export type Action =
  | { readonly type: 'filtered'; readonly filter: Partial<Filter> }
  /** Lists anew with the same filter, because others can have issued and withdrawn since. */
  | { readonly type: 'lookedAgain' }
  | { readonly type: 'reading'; readonly list: object }
  | { readonly type: 'read'; readonly list: object; readonly found: readonly Certificate[]; readonly isEnd: boolean }
  | { readonly type: 'unread'; readonly list: object }
  | { readonly type: 'searched'; readonly query: string }
  | { readonly type: 'lookedUp'; readonly found: readonly Certificate[] }
  | { readonly type: 'lookedAll' }
  | { readonly type: 'bookRead'; readonly book: ReadonlyMap<string, Known> }
  | { readonly type: 'detailed'; readonly key: string; readonly details: Details }
  | { readonly type: 'counted'; readonly count: State['count'] }
  | { readonly type: 'ticked'; readonly key: string; readonly isTicked: boolean }
  | { readonly type: 'allTicked'; readonly keys: readonly string[]; readonly isTicked: boolean }
  /** Ticks all certificates of the list that were read. */
  | { readonly type: 'listTicked'; readonly list: object }
  | { readonly type: 'withdrawalAsked'; readonly certificates: readonly Certificate[] }
  | { readonly type: 'dialogClosed' }
  | { readonly type: 'withdrawn'; readonly ids: readonly Id[]; readonly reason: string }
  | { readonly type: 'explained'; readonly id: Id }
  | { readonly type: 'replaced'; readonly id: Id }
  | { readonly type: 'busy'; readonly isBusy: boolean }
  | { readonly type: 'noted'; readonly text: string };

/** The maximum number of certificates of the book that a search shows. */
export const MAX_FOUND = 200;

export const startOf = (filter: Partial<Filter> = {}): State => ({
  filter: { register: null, status: 'inForce', month: null, ...filter },
  list: {},
  rows: [],
  isEnd: false,
  isReading: false,
  isUnread: false,
  query: '',
  isLooking: false,
  lookedUp: new Map(),
  book: new Map(),
  details: new Map(),
  ticked: new Set(),
  ended: new Set(),
  count: null,
  withdrawing: null,
  unexplained: [],
  isBusy: false,
  note: '',
  focus: null,
});

/** Returns true if the account owns the certificate. It may then always withdraw it. */
export const isOwnedBy = ({ asset }: Certificate, account: string): boolean => asset?.ownerId.toLowerCase() === account.toLowerCase();

/** Returns the key of a certificate, which the book uses too. */
export const keyOf = ({ ledgerId, id }: Id): string => idOf({ ledger: ledgerId, asset: id });

/** Letters that Unicode does not decompose, as people type them on a keyboard that lacks them. */
const TYPED: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe', ı: 'i', ħ: 'h', ŋ: 'n' };
const RARE = new RegExp(`[${Object.keys(TYPED).join('')}]`, 'g');

/** Returns a text as searches compare it: without capital letters and accents. */
export const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(RARE, (letter) => TYPED[letter] ?? letter);

/** Returns the entries of a book with the texts in which searches look. */
export const knownOf = (entries: ReadonlyMap<string, Entry>): Map<string, Known> =>
  new Map([...entries].map(([key, entry]) => [key, { entry, searched: plain(['holder', 'email', 'title'].map((name) => factOf(entry, name as 'holder')).join('\n')) }]));

/** Returns the state after an action. The answers to an earlier filter change nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'filtered':
      return {
        ...state,
        filter: { ...state.filter, ...action.filter },
        list: {},
        rows: [],
        isEnd: false,
        isReading: false,
        isUnread: false,
        isLooking: true,
        ticked: new Set(),
        ended: new Set(),
        note: '',
      };
    case 'lookedAgain':
      return { ...reduce(state, { type: 'filtered', filter: {} }), lookedUp: new Map(), details: new Map() };
    case 'reading':
      return action.list === state.list ? { ...state, isReading: true } : state;
    case 'read':
      return action.list === state.list ? { ...state, rows: [...state.rows, ...action.found], isEnd: action.isEnd, isReading: false } : state;
    case 'unread':
      return action.list === state.list ? { ...state, isEnd: true, isReading: false, isUnread: true } : state;
    case 'searched':
      return { ...state, query: action.query, isLooking: true, note: '' };
    case 'lookedUp': {
      const found = new Map(action.found.map((one): [string, Certificate] => [keyOf(one), one]));
      const gone = action.found.filter(({ asset }) => asset === null).map(keyOf);
      return { ...state, rows: state.rows.map((row) => found.get(keyOf(row)) ?? row), lookedUp: new Map([...state.lookedUp, ...found]), ticked: withTicks(state.ticked, gone, false) };
    }
    case 'lookedAll':
      return { ...state, isLooking: false };
    case 'bookRead':
      return { ...state, book: action.book };
    case 'detailed':
      return { ...state, details: new Map([...state.details, [action.key, action.details]]) };
    case 'counted':
      return { ...state, count: action.count };
    case 'ticked':
      return { ...state, ticked: withTicks(state.ticked, [action.key], action.isTicked), note: '' };
    case 'allTicked':
      return { ...state, ticked: withTicks(state.ticked, action.keys, action.isTicked), note: '' };
    case 'listTicked':
      return action.list === state.list ? { ...state, ticked: withTicks(state.ticked, state.rows.filter(({ asset }) => asset !== null).map(keyOf), true), note: '' } : state;
    case 'withdrawalAsked':
      return { ...state, withdrawing: action.certificates };
    case 'dialogClosed':
      return { ...state, withdrawing: null };
    case 'withdrawn':
      return withWithdrawn(state, action);
    case 'explained':
      return withoutDetails({ ...state, unexplained: state.unexplained.filter(({ id }) => keyOf(id) !== keyOf(action.id)) }, [action.id]);
    case 'replaced':
      return withoutDetails(state, [action.id]);
    case 'busy':
      return { ...state, isBusy: action.isBusy };
    case 'noted':
      return { ...state, note: action.text };
  }
}

function withTicks(ticked: ReadonlySet<string>, keys: readonly string[], isTicked: boolean): ReadonlySet<string> {
  const next = new Set(ticked);
  for (const key of keys) {
    if (isTicked) {
      next.add(key);
    } else {
      next.delete(key);
    }
  }
  return next;
}

/** The public records are read again. */
function withoutDetails(state: State, ids: readonly Id[]): State {
  const details = new Map(state.details);
  for (const id of ids) {
    details.delete(keyOf(id));
  }
  return { ...state, details };
}

function withWithdrawn(state: State, { ids, reason }: Extract<Action, { type: 'withdrawn' }>): State {
  const keys = new Set(ids.map(keyOf));
  const gone = (one: Certificate): Certificate => (keys.has(keyOf(one)) ? { ...one, asset: null, status: 'withdrawn' } : one);
  return withoutDetails(
    {
      ...state,
      rows: state.rows.map(gone),
      lookedUp: new Map([...state.lookedUp].map(([key, one]) => [key, gone(one)])),
      ticked: withTicks(state.ticked, [...keys], false),
      ended: new Set([...state.ended, ...keys]),
      unexplained: [...state.unexplained, ...ids.map((id) => ({ id, reason }))],
      count: state.count === null ? null : { ...state.count, valid: Math.max(0, state.count.valid - ids.length), withdrawn: state.count.withdrawn + ids.length },
    },
    ids,
  );
}

/** The number of digits from which a word counts as a part of a number. Fewer digits would be in many of the long numbers. */
const MIN_DIGITS = 4;

/** The words of a search. */
interface Words {
  readonly words: readonly string[];
  /** Whether all words are digits. With other words, digits are a part of a name or title, such as in `Person 1500`, because many numbers happen to have them. */
  readonly areDigits: boolean;
}

function wordsOf(query: string): Words {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  return { words, areDigits: words.every((word) => /^\d+$/.test(word)) };
}

/** Returns true if each word is in a text, is a certificate's number or, in a search for digits alone, is the beginning or the end of the number. */
const isFound = ({ words, areDigits }: Words, text: string, id: string): boolean => words.every((word) => text.includes(word) || word === id || (areDigits && isEndOf(word, id)));

const isEndOf = (word: string, id: string): boolean => word.length >= MIN_DIGITS && (id.startsWith(word) || id.endsWith(word));

/** Returns the ids of the book's certificates that a search finds, at most `MAX_FOUND`. All words of the query have to be in the entry. */
export function foundInBook(book: State['book'], query: string, registers: ReadonlySet<string>): Id[] {
  const words = wordsOf(query);
  const found: Id[] = [];
  if (words.words.length === 0) {
    return found;
  }
  for (const { entry, searched } of book.values()) {
    if (registers.has(entry.ledger) && isFound(words, searched, entry.asset)) {
      found.push({ ledgerId: entry.ledger, id: entry.asset });
      if (found.length === MAX_FOUND) {
        break;
      }
    }
  }
  return found;
}

/** Returns the shown certificates: the list, or what the search finds in the book and in the part of the list that was read. `registers` are ids in lower case. */
export function shownOf(
  { rows, query, isLooking, book, lookedUp, details, filter, ended }: Pick<State, 'rows' | 'query' | 'isLooking' | 'book' | 'lookedUp' | 'details' | 'filter' | 'ended'>,
  registers: ReadonlySet<string>,
): readonly Certificate[] {
  const words = wordsOf(query);
  if (words.words.length === 0) {
    return rows;
  }
  const listed = new Map(rows.map((row) => [keyOf(row), row]));
  const found = new Map<string, Certificate>();
  for (const id of foundInBook(book, query, registers)) {
    const key = keyOf(id);
    found.set(key, listed.get(key) ?? lookedUp.get(key) ?? { ...id, asset: null, date: '', by: null, status: 'unknown' });
  }
  for (const row of [...rows, ...lookedUp.values()]) {
    const key = keyOf(row);
    if (!found.has(key) && isFound(words, plain(details.get(key)?.name ?? ''), row.id)) {
      found.set(key, row);
    }
  }
  // The book has a certificate that waits for a second signature, too. If the service does not know it, it is shown only among all.
  const isOfStatus = (certificate: Certificate) => filter.status === null || filter.status === certificate.status || ended.has(keyOf(certificate)) || (certificate.status === 'unknown' && isLooking);
  const isWanted = (certificate: Certificate) =>
    (filter.register === null || filter.register === ALL || certificate.ledgerId.toLowerCase() === filter.register.toLowerCase()) &&
    (filter.month === null || certificate.date === '' || certificate.date.startsWith(filter.month)) &&
    isOfStatus(certificate);
  return [...found.values()].filter(isWanted).toSorted(newestFirst);
}

/** Compares as the service sorts its lists. The certificates of a batch have the same time, so their numbers decide, as texts of 78 digits. */
function newestFirst(one: Certificate, other: Certificate): number {
  const keys = ({ date, id, ledgerId }: Certificate) => [date, id.padStart(78, '0'), ledgerId.toLowerCase()].join(' ');
  const [first, second] = [keys(one), keys(other)];
  return second > first ? 1 : second < first ? -1 : 0;
}

/** Returns how many certificates can be ticked, how many of them are ticked, and how many ticked ones are not shown. */
export function ticksOf(shown: readonly Certificate[], ticked: ReadonlySet<string>): { readonly tickable: number; readonly inView: number; readonly outside: number } {
  const usable = shown.filter(({ asset }) => asset !== null);
  const inView = ticked.size === 0 ? 0 : usable.filter((one) => ticked.has(keyOf(one))).length;
  return { tickable: usable.length, inView, outside: ticked.size - inView };
}

/** Returns true if the end of a number was typed: its last four digits, or all of a shorter one. */
export const isConfirmedBy = (typed: string, { id }: Id): boolean => typed.trim() === id.slice(-4);
