// The state of the shared register book, and its reducer. Does not use the DOM, workers or the clock.
import type { BookVersion } from '/client/index.js';
import { lower } from './checking.ts';

/** An account with an ability on the register, and a key that it has signed. */
export interface Member {
  /** The address in lower case. */
  readonly account: string;
  readonly key: string;
  readonly mayWrite: boolean;
  readonly mayManage: boolean;
}

/** The shared book of a register, as this browser judges it. */
export interface Shared {
  readonly kind: 'none' | 'good' | 'stranger' | 'older' | 'forged';
  /** The version that counts, or the one of a stranger. */
  readonly version: BookVersion | null;
  readonly members: readonly Member[];
  /** The accounts that can read the version that counts, in lower case. */
  readonly readers: readonly string[];
  /** The number of keys that their accounts have not signed. They are left out. */
  readonly unsigned: number;
}

/** Why the content of a version that counts cannot be used: it is not encrypted for the key of this browser, or it is no book. */
export type Unopened = 'locked' | 'damaged';

/** What became of the shared book of a register. */
export type BookState = Shared['kind'] | Unopened | 'notReader' | 'unread';

export interface State {
  /** The public key of this browser. An empty text if it has none, and null until it is known. */
  readonly key: string | null;
  /** The recovery key of a new key, until the person has kept it. Before that, no key is stored. */
  readonly recovery: string | null;
  /** Why the content of the shared book cannot be used. Null if it can. */
  readonly unopened: Unopened | null;
  /** The id of the register. */
  readonly ledger: string;
  /** Null until it was read. */
  readonly shared: Shared | null;
  /** The number of certificates of which this browser knows more than the shared book. */
  readonly unshared: number;
  /** What became of the shared books of all registers that were read, by the ids of the registers. */
  readonly books: ReadonlyMap<string, BookState>;
  /** The accounts that the next version lets read, and those that it leaves out. */
  readonly added: ReadonlySet<string>;
  readonly left: ReadonlySet<string>;
  readonly isBusy: boolean;
  readonly note: string;
}

export type Action =
  | { readonly type: 'keyKnown'; readonly key: string }
  | { readonly type: 'recoveryMade'; readonly recovery: string }
  | { readonly type: 'unopened'; readonly ledger: string; readonly shared: Shared; readonly why: Unopened }
  | { readonly type: 'chosen'; readonly ledger: string }
  /** `isReader` is true if the account is a reader of the version that counts. */
  | { readonly type: 'read'; readonly ledger: string; readonly shared: Shared; readonly isReader: boolean; readonly unshared: number }
  | { readonly type: 'unread'; readonly ledger: string }
  | { readonly type: 'toggled'; readonly account: string }
  | { readonly type: 'written'; readonly ledger: string }
  | { readonly type: 'busy'; readonly isBusy: boolean }
  | { readonly type: 'noted'; readonly text: string };

export const startOf = (ledger: string): State => ({
  key: null,
  recovery: null,
  unopened: null,
  ledger,
  shared: null,
  unshared: 0,
  books: new Map(),
  added: new Set(),
  left: new Set(),
  isBusy: false,
  note: '',
});

const NOBODY = { added: new Set<string>(), left: new Set<string>() };

const withBook = ({ books }: State, ledger: string, book: BookState): State['books'] => new Map([...books, [ledger, book]]);

/** Returns the registers with a shared book that was read, and those of which the person has to look at the book. A register without a shared book is neither. */
export function sortedBooks<Register extends { readonly id: string }>({ books }: Pick<State, 'books'>, registers: readonly Register[]) {
  const known = registers.flatMap((register) => {
    const book = books.get(register.id);
    return book === undefined || book === 'none' ? [] : [{ register, book }];
  });
  return { read: known.filter(({ book }) => book === 'good'), doubtful: known.filter(({ book }) => book !== 'good') };
}

/** Returns the state after an action. The book of a register that is no longer chosen changes nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'keyKnown':
      return { ...state, key: action.key, recovery: null, unopened: null, shared: null, unshared: 0, books: new Map() };
    case 'recoveryMade':
      return { ...state, recovery: action.recovery };
    case 'unopened':
      return { ...(action.ledger === state.ledger ? { ...withShared(state, action.shared, false), unopened: action.why } : state), books: withBook(state, action.ledger, action.why) };
    case 'unread':
      return { ...state, books: withBook(state, action.ledger, 'unread') };
    case 'chosen':
      return { ...state, ...NOBODY, ledger: action.ledger, unopened: null, shared: null, unshared: 0, note: '' };
    case 'read': {
      const book = action.shared.kind === 'good' && !action.isReader ? 'notReader' : action.shared.kind;
      const books = withBook(state, action.ledger, book);
      return action.ledger === state.ledger ? { ...withShared(state, action.shared, book === 'good'), books, unopened: null, unshared: action.unshared } : { ...state, books };
    }
    case 'toggled':
      return { ...state, ...toggled(state, lower(action.account)) };
    case 'written':
      return action.ledger === state.ledger ? { ...state, ...NOBODY } : state;
    case 'busy':
      return { ...state, isBusy: action.isBusy, note: action.isBusy ? '' : state.note };
    case 'noted':
      return { ...state, note: action.text };
  }
}

/**
 * Suggests the managers as readers of a book that begins, so that it outlives the person who shares it. The page asks before it uses the suggestion, which comes from
 * the service. A manager who was seen before stays as the person ticked it. A book that opens forgets the suggestion, because the page asks no more.
 */
function withShared(state: State, shared: Shared, isOpen: boolean): State {
  const { added, books, ledger, shared: last } = state;
  if (isOpen) {
    return { ...state, shared, added: books.get(ledger) === 'good' ? added : new Set() };
  }
  const isKnown = (account: string) => last?.members.some((member) => member.account === account && member.mayManage) === true;
  const managers = shared.members.filter(({ account, mayManage }) => mayManage && !isKnown(account));
  return { ...state, shared, added: new Set([...added, ...managers.map(({ account }) => account)]) };
}

function toggled({ shared, added, left }: State, account: string): Pick<State, 'added' | 'left'> {
  const isReader = shared?.readers.includes(account) === true;
  const flipped = (accounts: ReadonlySet<string>) => (accounts.has(account) ? new Set([...accounts].filter((one) => one !== account)) : new Set([...accounts, account]));
  return isReader ? { added, left: flipped(left) } : { added: flipped(added), left };
}

/**
 * Returns true if the account may begin the book again, from what its browser has: it manages the register, and cannot read the last version. Otherwise a version
 * without a manager, or one that is no book, would lock all managers out for ever. An older or a forged version is refused here too.
 */
export function mayBeginAgain({ kind, members, readers }: Pick<Shared, 'kind' | 'members' | 'readers'>, isUnopened: boolean, account: string): boolean {
  const own = lower(account);
  const isUnreadable = kind === 'stranger' || (kind === 'good' && (isUnopened || !readers.includes(own)));
  return isUnreadable && members.some((member) => member.account === own && member.mayManage);
}

/**
 * Returns the members that can read the next version: the person's own account, the readers of the last one, and those that the person lets read. An account without
 * an ability or without a signed key is no member, so the service cannot add a reader.
 */
export function readersOf({ members, readers }: Pick<Shared, 'members' | 'readers'>, { added, left }: Pick<State, 'added' | 'left'>, account: string): Member[] {
  return members.filter((member) => member.account === lower(account) || (readers.includes(member.account) ? !left.has(member.account) : added.has(member.account)));
}
