// The state of the shared register book, and its reducer. Does not use the DOM, workers or the clock.
import type { BookVersion } from '/client/index.js';
import { lower } from './checking.ts';

/** An account with an ability on the register, and a key that it has signed. */
export interface Member {
  /** The address in lower case. */
  readonly account: string;
  readonly key: string;
  readonly mayWrite: boolean;
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

export interface State {
  /** The public key of this browser. An empty text if it has none, and null until it is known. */
  readonly key: string | null;
  /** The recovery key of a new key, until the person has kept it. */
  readonly recovery: string | null;
  /** The id of the register. */
  readonly ledger: string;
  /** Null until it was read. */
  readonly shared: Shared | null;
  /** The accounts that the next version lets read, and those that it leaves out. */
  readonly added: ReadonlySet<string>;
  readonly left: ReadonlySet<string>;
  readonly isBusy: boolean;
  readonly note: string;
}

export type Action =
  | { readonly type: 'keyKnown'; readonly key: string; readonly recovery: string | null }
  | { readonly type: 'recoveryKept' }
  | { readonly type: 'chosen'; readonly ledger: string }
  | { readonly type: 'read'; readonly ledger: string; readonly shared: Shared }
  | { readonly type: 'toggled'; readonly account: string }
  | { readonly type: 'written'; readonly ledger: string }
  | { readonly type: 'busy'; readonly isBusy: boolean }
  | { readonly type: 'noted'; readonly text: string };

export const startOf = (ledger: string): State => ({ key: null, recovery: null, ledger, shared: null, added: new Set(), left: new Set(), isBusy: false, note: '' });

const NOBODY = { added: new Set<string>(), left: new Set<string>() };

/** Returns the state after an action. The book of a register that is no longer chosen changes nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'keyKnown':
      return { ...state, key: action.key, recovery: action.recovery };
    case 'recoveryKept':
      return { ...state, recovery: null };
    case 'chosen':
      return { ...state, ...NOBODY, ledger: action.ledger, shared: null, note: '' };
    case 'read':
      return action.ledger === state.ledger ? { ...state, shared: action.shared } : state;
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

function toggled({ shared, added, left }: State, account: string): Pick<State, 'added' | 'left'> {
  const isReader = shared?.readers.includes(account) === true;
  const flipped = (accounts: ReadonlySet<string>) => (accounts.has(account) ? new Set([...accounts].filter((one) => one !== account)) : new Set([...accounts, account]));
  return isReader ? { added, left: flipped(left) } : { added: flipped(added), left };
}

/**
 * Returns the members that can read the next version: the person's own account, the readers of the last one, and those that the person lets read. An account without
 * an ability or without a signed key is no member, so the service cannot add a reader.
 */
export function readersOf({ members, readers }: Pick<Shared, 'members' | 'readers'>, { added, left }: Pick<State, 'added' | 'left'>, account: string): Member[] {
  return members.filter((member) => member.account === lower(account) || (readers.includes(member.account) ? !left.has(member.account) : added.has(member.account)));
}
