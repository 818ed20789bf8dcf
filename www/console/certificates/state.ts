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
  /** The account that issued or withdrew it. Null if it is not known. */
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
  readonly query: string;
  /** Certificates that were looked up one by one, by their keys. */
  readonly lookedUp: ReadonlyMap<string, Certificate>;
  readonly book: ReadonlyMap<string, Known>;
  readonly details: ReadonlyMap<string, Details>;
  readonly ticked: ReadonlySet<string>;
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
  | { readonly type: 'reading'; readonly list: object }
  | { readonly type: 'read'; readonly list: object; readonly found: readonly Certificate[]; readonly isEnd: boolean }
  | { readonly type: 'unread'; readonly list: object }
  | { readonly type: 'searched'; readonly query: string }
  | { readonly type: 'lookedUp'; readonly found: readonly Certificate[] }
  | { readonly type: 'bookRead'; readonly book: ReadonlyMap<string, Known> }
  | { readonly type: 'detailed'; readonly key: string; readonly details: Details }
  | { readonly type: 'counted'; readonly count: State['count'] }
  | { readonly type: 'ticked'; readonly key: string; readonly isTicked: boolean }
  | { readonly type: 'allTicked'; readonly keys: readonly string[]; readonly isTicked: boolean }
  | { readonly type: 'withdrawalAsked'; readonly certificates: readonly Certificate[] }
  | { readonly type: 'dialogClosed' }
  | { readonly type: 'withdrawn'; readonly ids: readonly Id[]; readonly by: string; readonly reason: string }
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
  query: '',
  lookedUp: new Map(),
  book: new Map(),
  details: new Map(),
  ticked: new Set(),
  count: null,
  withdrawing: null,
  unexplained: [],
  isBusy: false,
  note: '',
  focus: null,
});

/** Returns the key of a certificate, which the book uses too. */
export const keyOf = ({ ledgerId, id }: Id): string => idOf({ ledger: ledgerId, asset: id });

/** Returns a text as searches compare it: without capital letters and accents. */
export const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns the entries of a book with the texts in which searches look. */
export const knownOf = (entries: ReadonlyMap<string, Entry>): Map<string, Known> =>
  new Map([...entries].map(([key, entry]) => [key, { entry, searched: plain(['holder', 'email', 'title'].map((name) => factOf(entry, name as 'holder')).join('\n')) }]));

/** Returns the state after an action. The answers to an earlier filter change nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'filtered':
      return { ...state, filter: { ...state.filter, ...action.filter }, list: {}, rows: [], isEnd: false, isReading: false, ticked: new Set(), note: '' };
    case 'reading':
      return action.list === state.list ? { ...state, isReading: true } : state;
    case 'read':
      return action.list === state.list ? { ...state, rows: [...state.rows, ...action.found], isEnd: action.isEnd, isReading: false } : state;
    case 'unread':
      return action.list === state.list ? { ...state, isEnd: true, isReading: false } : state;
    case 'searched':
      return { ...state, query: action.query, note: '' };
    case 'lookedUp': {
      const found = new Map(action.found.map((one): [string, Certificate] => [keyOf(one), one]));
      return { ...state, rows: state.rows.map((row) => found.get(keyOf(row)) ?? row), lookedUp: new Map([...state.lookedUp, ...found]) };
    }
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

function withWithdrawn(state: State, { ids, by, reason }: Extract<Action, { type: 'withdrawn' }>): State {
  const keys = new Set(ids.map(keyOf));
  const gone = (one: Certificate): Certificate => (keys.has(keyOf(one)) ? { ...one, asset: null, by, status: 'withdrawn' } : one);
  return withoutDetails(
    {
      ...state,
      rows: state.rows.map(gone),
      lookedUp: new Map([...state.lookedUp].map(([key, one]) => [key, gone(one)])),
      ticked: withTicks(state.ticked, [...keys], false),
      unexplained: [...state.unexplained, ...ids.map((id) => ({ id, reason }))],
      count: state.count === null ? null : { ...state.count, valid: Math.max(0, state.count.valid - ids.length), withdrawn: state.count.withdrawn + ids.length },
    },
    ids,
  );
}

/** The number of digits from which a word counts as a part of a number. Fewer digits would be in many of the long numbers. */
const MIN_DIGITS = 4;

/** Returns true if a word is the beginning or the end of a certificate's number. */
const isOfNumber = (word: string, id: string): boolean => word === id || (word.length >= MIN_DIGITS && (id.startsWith(word) || id.endsWith(word)));

/** Returns the ids of the book's certificates that a search finds, at most `MAX_FOUND`. All words of the query have to be in the entry. */
export function foundInBook(book: State['book'], query: string, registers: ReadonlySet<string>): Id[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  const found: Id[] = [];
  if (words.length === 0) {
    return found;
  }
  for (const { entry, searched } of book.values()) {
    if (registers.has(entry.ledger) && words.every((word) => searched.includes(word) || isOfNumber(word, entry.asset))) {
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
  { rows, query, book, lookedUp, details, filter }: Pick<State, 'rows' | 'query' | 'book' | 'lookedUp' | 'details' | 'filter'>,
  registers: ReadonlySet<string>,
): readonly Certificate[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) {
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
    const name = plain(details.get(key)?.name ?? '');
    if (!found.has(key) && words.every((word) => isOfNumber(word, row.id) || name.includes(word))) {
      found.set(key, row);
    }
  }
  const isWanted = ({ ledgerId, status, date }: Certificate) =>
    (filter.register === null || filter.register === ALL || ledgerId.toLowerCase() === filter.register.toLowerCase()) &&
    (filter.month === null || date === '' || date.startsWith(filter.month)) &&
    (filter.status === null || filter.status === status || status === 'unknown');
  return [...found.values()].filter(isWanted).toSorted((one, other) => (other.date > one.date ? 1 : other.date < one.date ? -1 : 0));
}

/** Returns true if the end of a number was typed: its last four digits, or all of a shorter one. */
export const isConfirmedBy = (typed: string, { id }: Id): boolean => typed.trim() === id.slice(-4);
