// The state of the view of people, and its reducer. Does not use the DOM, workers or the clock.
import type { Ability } from '/client/index.js';
import type { Names } from '../../lib/contacts.ts';
import type { OwnLedger } from '../../lib/issuing.ts';
import { isSame, mayManage } from './roles.ts';

/** A register, and whether the signed-in account may give and take abilities on it. */
export interface Register extends OwnLedger {
  readonly isManaged: boolean;
}

/** The abilities of an account by the ids of registers, in lower case. A register without abilities is absent. */
export interface Person {
  readonly account: string;
  readonly abilities: ReadonlyMap<string, readonly Ability[]>;
}

/** Another set of abilities of an account on a register. */
export interface Change {
  readonly register: Register;
  readonly account: string;
  readonly before: readonly Ability[];
  readonly after: readonly Ability[];
}

/** The changes that the dialog asks about. `isLeaving` takes back everything. `tokens` is the decimal number of tokens that the account gets, or an empty text. */
export interface Asked {
  readonly account: string;
  readonly name: string;
  readonly changes: readonly Change[];
  readonly tokens: string;
  readonly isLeaving: boolean;
}

export interface State {
  /** Null until the registers and their people are read. */
  readonly registers: readonly Register[] | null;
  readonly people: readonly Person[];
  /** Whether a register has more people than were read. */
  readonly isPartial: boolean;
  /** Whether the ledger of the service is a chain. */
  readonly isOnChain: boolean;
  readonly names: Names;
  readonly asked: Asked | null;
  readonly isBusy: boolean;
}

export type Action =
  | { readonly type: 'read'; readonly registers: readonly Register[]; readonly people: readonly Person[]; readonly isPartial: boolean; readonly isOnChain: boolean }
  | { readonly type: 'named'; readonly names: Names }
  | { readonly type: 'asked'; readonly asked: Asked }
  | { readonly type: 'closed' }
  | { readonly type: 'busy'; readonly isBusy: boolean }
  | { readonly type: 'changed'; readonly changes: readonly Change[] };

export const startOf = (names: Names): State => ({ registers: null, people: [], isPartial: false, isOnChain: false, names, asked: null, isBusy: false });

/** Returns the state after an action. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'read':
      return { ...state, registers: action.registers, people: action.people, isPartial: action.isPartial, isOnChain: action.isOnChain };
    case 'named':
      return { ...state, names: action.names };
    case 'asked':
      return state.isBusy ? state : { ...state, asked: action.asked };
    case 'closed':
      return { ...state, asked: null };
    case 'busy':
      return { ...state, isBusy: action.isBusy };
    case 'changed':
      return { ...state, people: withChanges(state.people, action.changes) };
  }
}

const keyOf = (address: string) => address.toLowerCase();

/** Returns the people, with the abilities of another list in place of these. */
export function withChanges(people: readonly Person[], changes: readonly Change[]): Person[] {
  const next = new Map(people.map((person) => [keyOf(person.account), person]));
  for (const { register, account, after } of changes) {
    const abilities = new Map(next.get(keyOf(account))?.abilities);
    if (after.length === 0) {
      abilities.delete(keyOf(register.id));
    } else {
      abilities.set(keyOf(register.id), after);
    }
    next.set(keyOf(account), { account, abilities });
  }
  return [...next.values()].filter(({ abilities }) => abilities.size > 0);
}

/** Returns the person with an account, who may have no abilities yet. */
export const personOf = ({ people }: Pick<State, 'people'>, account: string): Person => people.find((person) => keyOf(person.account) === keyOf(account)) ?? { account, abilities: new Map() };

/** Returns the abilities of a person on a register. */
export const abilitiesOn = ({ abilities }: Person, { id }: Pick<Register, 'id'>): readonly Ability[] => abilities.get(keyOf(id)) ?? [];

/** Returns the changes that give a person these abilities on registers. Registers on which the person already has exactly these are left out. */
export const changesTo = (person: Person, registers: readonly Register[], after: readonly Ability[]): Change[] =>
  registers.map((register) => ({ register, account: person.account, before: abilitiesOn(person, register), after })).filter(({ register, before }) => register.isManaged && !isSame(before, after));

/** Returns the registers that nobody can manage through the service any more after these changes, though somebody can now. */
export function abandonedBy(people: readonly Person[], changes: readonly Change[]): Register[] {
  const next = withChanges(people, changes);
  const isManaged = (list: readonly Person[], register: Register) => list.some((person) => mayManage(abilitiesOn(person, register)));
  return [...new Set(changes.map(({ register }) => register))].filter((register) => isManaged(people, register) && !isManaged(next, register));
}

/** The maximum number of changes in an order. An order has at most 100 actions: the last one is the payment, and one may give tokens. */
export const MAX_CHANGES = 98;

/** Returns the changes of each order. */
export const ordersOf = (changes: readonly Change[]): Change[][] =>
  Array.from({ length: Math.ceil(changes.length / MAX_CHANGES) }, (_, index) => changes.slice(index * MAX_CHANGES, (index + 1) * MAX_CHANGES));

/**
 * Returns the registers that count without a choice. Anybody can let an account manage a register and put people on it, so the registers that others deployed are left out
 * if the account has its own.
 */
export function ownOf(registers: readonly Register[]): readonly Register[] {
  const own = registers.filter(({ isForeign = false }) => !isForeign);
  return own.length > 0 ? own : registers;
}

/** Returns the people with abilities on one of these registers. */
export const peopleOn = (people: readonly Person[], registers: readonly Register[]): Person[] => people.filter((person) => registers.some((register) => abilitiesOn(person, register).length > 0));

/** Returns the accounts that have a name in this browser, but no abilities on any register: people who left. Leaves out the signed-in account. */
export const leftOf = ({ people, names }: Pick<State, 'people' | 'names'>, own: string): string[] => {
  const others = new Set([own, ...people.map(({ account }) => account)].map(keyOf));
  return [...names.keys()].filter((account) => !others.has(account));
};

/** Returns an entered number of tokens, or null if it is none. Takes a point or a comma. An empty text stays empty. */
export function tokensIn(text: string): string | null {
  const entered = text.trim().replace(',', '.');
  return entered === '' || (/^\d{1,12}(\.\d{1,18})?$/.test(entered) && /[1-9]/.test(entered)) ? entered : null;
}
