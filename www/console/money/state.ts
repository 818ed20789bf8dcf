// The state of the view of money and limits, its reducer, and what its figures mean. Does not use the DOM, workers or the clock.
import type { Account, Cost, Deposit, Ticker, Traffic } from '/client/index.js';

/** The limits that the service states in `/health`. Null for a value that it does not state. */
export interface Limits {
  readonly account: string | null;
  readonly address: string | null;
}

export interface State {
  readonly account: Account | null;
  /** The price of a token, or null if the service states none. */
  readonly price: Ticker | null;
  readonly limits: Limits | null;
  /** The newest deposits. */
  readonly deposits: readonly Deposit[];
  /** The shown month, such as `2026-06`. */
  readonly month: string;
  /** The days of the month with payments, and null until they are read. */
  readonly days: readonly Cost[] | null;
  /** The requests of today. Null until they are read. */
  readonly today: Traffic | null;
  readonly isBusy: boolean;
}

export type Action =
  | { readonly type: 'accountRead'; readonly account: Account; readonly price: Ticker | null; readonly deposits: readonly Deposit[] }
  | { readonly type: 'limitsRead'; readonly limits: Limits; readonly today: Traffic | null }
  | { readonly type: 'monthChosen'; readonly month: string }
  | { readonly type: 'monthRead'; readonly month: string; readonly days: readonly Cost[] }
  | { readonly type: 'busy'; readonly isBusy: boolean };

/** `month` is the month that is shown first. */
export const startOf = (month: string): State => ({ account: null, price: null, limits: null, deposits: [], month, days: null, today: null, isBusy: false });

/** Returns the state after an action. The days of another month change nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'accountRead':
      return { ...state, account: action.account, price: action.price, deposits: action.deposits };
    case 'limitsRead':
      return { ...state, limits: action.limits, today: action.today };
    case 'monthChosen':
      return action.month === state.month ? state : { ...state, month: action.month, days: null };
    case 'monthRead':
      return action.month === state.month ? { ...state, days: action.days } : state;
    case 'busy':
      return { ...state, isBusy: action.isBusy };
  }
}

/** The maximum number of months that are offered. */
const MONTHS = 24;

/**
 * Returns the months from the one of an account's first change up to the one of a time, newest first. `since` is an ISO date, or null if the account has changed nothing
 * yet: then only the last month is left. Days of the service are in UTC.
 */
export function monthsUpTo(now: number, since: string | null): string[] {
  const date = new Date(now);
  const months = Array.from({ length: MONTHS }, (_, index) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - index, 1)).toISOString().slice(0, 7));
  return months.filter((month, index) => index === 0 || (since !== null && month >= since.slice(0, 7)));
}

/** Returns the moments around a month: the last one before it, and the first one after it. */
export function aroundMonth(month: string): { readonly fromDate: Date; readonly toDate: Date } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { fromDate: new Date(Date.UTC(year, number - 1, 1) - 1), toDate: new Date(Date.UTC(year, number, 1)) };
}

/** The sums of a month. `amount` is in base units of the platform token. */
export interface Sums {
  readonly orders: number;
  readonly deployments: number;
  readonly approvals: number;
  readonly actions: number;
  readonly amount: bigint;
}

export const sumsOf = (days: readonly Cost[]): Sums =>
  days.reduce<Sums>(
    (sum, day) => ({
      orders: sum.orders + day.orders,
      deployments: sum.deployments + day.deployments,
      approvals: sum.approvals + day.approvals,
      actions: sum.actions + day.actions,
      amount: sum.amount + BigInt(day.amount),
    }),
    { orders: 0, deployments: 0, approvals: 0, actions: 0, amount: 0n },
  );

/** The maximum deposit that this page begins, in cents. */
const MAX_CENTS = 1_000_000;

/** Returns an amount of money in cents, or null. Takes a point or a comma, and at most two decimals. */
export function centsIn(text: string): number | null {
  const [, whole, fraction = ''] = /^(\d{1,7})(?:[.,](\d{1,2}))?$/.exec(text.trim()) ?? [];
  const cents = whole === undefined ? 0 : Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  return cents > 0 && cents <= MAX_CENTS ? cents : null;
}

/** Returns what base units of the token cost, in the currency of a price. An estimate, because a price is not exact. */
export const moneyOf = (units: bigint, { price }: Pick<Ticker, 'price'>): number => (Number(units) / 1e18) * Number(price);
