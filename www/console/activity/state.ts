// The state of the view of activity, its reducer, and the rows of its table. Does not use the DOM, workers or the clock.
import type { Activity, ActivityKind, ActivityOptions } from '/client/index.js';
import type { Names } from '../../lib/contacts.ts';

/** The kinds of events, in the order of the filter. */
export const KINDS = ['issued', 'replaced', 'withdrawn', 'abilitiesSet', 'domainSet', 'domainRemoved', 'keyCreated', 'keyRevoked'] as const satisfies readonly ActivityKind[];

/** What the list is limited to. Null does not limit it. */
export interface Filter {
  readonly kind: ActivityKind | null;
  /** The account that acted. */
  readonly account: string | null;
  /** The reference of a register. */
  readonly register: string | null;
  /** The first and the last day, such as `2026-06-30`, in the time zone of the browser. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface State {
  readonly filter: Filter;
  /** Identifies the list. Another filter begins another list, so late answers about this one change nothing. */
  readonly list: object;
  readonly events: readonly Activity[];
  /** The cursor of the next page. Null at the end, and before the first page. */
  readonly next: string | null;
  /** Whether a page was read. */
  readonly isRead: boolean;
  readonly isReading: boolean;
  /** The accounts that were seen in any list, in lower case. */
  readonly seen: ReadonlySet<string>;
  readonly names: Names;
}

export type Action =
  | { readonly type: 'filtered'; readonly filter: Partial<Filter> }
  | { readonly type: 'reading'; readonly list: object }
  | { readonly type: 'read'; readonly list: object; readonly events: readonly Activity[]; readonly next: string | null }
  | { readonly type: 'failed'; readonly list: object };

const ALL: Filter = { kind: null, account: null, register: null, from: null, to: null };

export const startOf = (names: Names): State => ({ filter: ALL, list: {}, events: [], next: null, isRead: false, isReading: false, seen: new Set(), names });

/** Returns the state after an action. */
export function reduce(state: State, action: Action): State {
  if (action.type !== 'filtered' && action.list !== state.list) {
    return state;
  }
  switch (action.type) {
    case 'filtered':
      return { ...state, filter: { ...state.filter, ...action.filter }, list: {}, events: [], next: null, isRead: false, isReading: false };
    case 'reading':
      return { ...state, isReading: true };
    case 'read': {
      const seen = new Set([...state.seen, ...action.events.flatMap(({ by }) => (by === null ? [] : [by.toLowerCase()]))]);
      return { ...state, events: [...state.events, ...action.events], next: action.next, isRead: true, isReading: false, seen };
    }
    case 'failed':
      return { ...state, isReading: false };
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns the day in a field, or null. */
export const dayIn = (text: string): string | null => (DAY.test(text) ? text : null);

/** Returns the options of the list. Its bounds are exclusive, so a period begins a millisecond before its first day, and ends with the day after its last one. */
export function optionsOf({ kind, account, register, from, to }: Filter): ActivityOptions {
  return {
    ...(kind === null ? {} : { kinds: [kind] }),
    ...(account === null ? {} : { accountId: account }),
    ...(register === null ? {} : { ledgerRefs: [register] }),
    ...(from === null ? {} : { fromDate: new Date(midnightOf(from).getTime() - 1) }),
    ...(to === null ? {} : { toDate: dayAfter(midnightOf(to)) }),
  };
}

/** Without an offset, a date and time is in the time zone of the browser. */
const midnightOf = (day: string) => new Date(`${day}T00:00:00`);

/** Returns the next midnight. Days of a change to or from summer time have 23 or 25 hours. */
const dayAfter = (day: Date) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);

/** Returns the accounts to choose from: the own one first, then the named ones by their names, then the others that were seen. All are in lower case. */
export function accountsOf({ names, seen }: Pick<State, 'names' | 'seen'>, own: string): string[] {
  const first = own.toLowerCase();
  const named = [...names].toSorted(([, one], [, other]) => one.localeCompare(other)).map(([account]) => account);
  return [...new Set([first, ...named, ...seen])];
}
