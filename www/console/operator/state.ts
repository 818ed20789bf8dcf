// The state of the operator's view and of its lists, and their reducers. Does not use the DOM, workers or the clock.
import type { AuditEntry, Pause } from '/client/index.js';

/** The parts of the view, in the order of its navigation. The first one is shown if the address names none. */
export const PARTS = ['admissions', 'pause', 'blocks', 'stuck', 'tokens', 'personal', 'audit'] as const;
export type Part = (typeof PARTS)[number];

/** Returns the part in an address. */
export const partIn = (text: string | undefined): Part => PARTS.find((part) => part === text) ?? PARTS[0];

export interface State {
  /** Whether the service lets the account administer. Null until it has answered. */
  readonly isAllowed: boolean | null;
  readonly pause: Pause | null;
  /** The change that the person has begun, and the reason that goes into the audit log. */
  readonly asked: Asked | null;
  readonly isBusy: boolean;
}

export interface Asked {
  /** Identifies the button that was pressed. */
  readonly id: string;
  readonly reason: string;
}

export type Action =
  | { readonly type: 'allowed'; readonly pause: Pause }
  | { readonly type: 'refused' }
  | { readonly type: 'asked'; readonly asked: Asked }
  | { readonly type: 'reasoned'; readonly reason: string }
  | { readonly type: 'closed' }
  | { readonly type: 'busy'; readonly isBusy: boolean };

export const START: State = { isAllowed: null, pause: null, asked: null, isBusy: false };

/** Returns the state after an action. No other change can be begun while one is sent. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'allowed':
      return { ...state, isAllowed: true, pause: action.pause };
    case 'refused':
      return { ...START, isAllowed: false };
    case 'asked':
      return state.isBusy ? state : { ...state, asked: action.asked };
    case 'reasoned':
      return state.asked === null || state.isBusy ? state : { ...state, asked: { ...state.asked, reason: action.reason } };
    case 'closed':
      return state.isBusy ? state : { ...state, asked: null };
    case 'busy':
      return { ...state, isBusy: action.isBusy };
  }
}

/** The maximum length of a reason and of a message, in characters. */
export const MAX_REASON = 280;

/** Returns a reason as it is sent, or null if the service would refuse it: it has one line, and is not empty. */
export function reasonIn(text: string): string | null {
  const reason = text.trim();
  return reason === '' || [...reason].length > MAX_REASON || /\p{Cc}/u.test(reason) ? null : reason;
}

/** The maximum multiple of the usual quota, which the service has too (`FACTORS` in edge-api/src/routes/admin.rs). */
const MAX_FACTOR = 100;

/** Returns an entered multiple of the usual quota, or null if it is none. */
export function factorIn(text: string): number | null {
  const factor = /^\d{1,3}$/.test(text.trim()) ? Number(text) : 0;
  return factor >= 1 && factor <= MAX_FACTOR ? factor : null;
}

/** The calls of administrators, by method and path, and the names of their texts. The audit log shows any other call as it is. */
const ACTIONS = new Map([
  ['GET /admin/accounts/:accountId/data', 'exported'],
  ['POST /admin/accounts/:accountId/erase', 'erased'],
  ['POST /admin/admissions/:admissionRef/approve', 'approved'],
  ['POST /admin/admissions/:admissionRef/decline', 'declined'],
  ['POST /admin/blocks', 'blocked'],
  ['POST /admin/unblock', 'unblocked'],
  ['POST /admin/dead-letters/:letterRef/retry', 'letterRetried'],
  ['POST /admin/records/:recordRef/retry', 'recordRetried'],
  ['POST /admin/grants', 'granted'],
  ['POST /admin/quotas', 'quotaSet'],
  ['POST /admin/pause', 'paused'],
  ['POST /admin/resume', 'resumed'],
]);

/** Returns the name of the text of a call, or null for a call without one. Calls that only look at a list have none. */
export const actionIn = (action: string): string | null => ACTIONS.get(action) ?? null;

/** The names of the texts of calls, which the audit log can be filtered by. */
export const ACTION_NAMES: readonly string[] = [...ACTIONS.values()];

/** What the audit log shows. An empty `name` stands for every call, and an empty `account` for every account. */
export interface AuditFilter {
  readonly name: string;
  readonly account: string;
  /** Whether calls that only looked at a list are shown. */
  readonly isAll: boolean;
}

/** Returns true if an entry is shown. `account` is a part of an address: of the administrator, or of what the call is about. */
export function isShown({ accountId, action, subject }: Pick<AuditEntry, 'accountId' | 'action' | 'subject'>, { name, account, isAll }: AuditFilter): boolean {
  const wanted = account.trim().toLowerCase();
  const isAbout = wanted === '' || [accountId, subject ?? ''].some((address) => address.toLowerCase().includes(wanted));
  return isAbout && (name === '' ? isAll || !isLook(action) : actionIn(action) === name);
}

/** Returns true for a call that only looked at a list. */
export const isLook = (action: string): boolean => action.startsWith('GET ') && !ACTIONS.has(action);

/** A list that is read page by page. */
export interface Listed<Item> {
  /** Null until the first page is read. */
  readonly items: readonly Item[] | null;
  readonly next: string | null;
  /** The number of the reading whose answer counts. A later reading makes the answers of earlier ones void. */
  readonly reading: number;
}

export type ListAction<Item> =
  | { readonly type: 'begun'; readonly reading: number; readonly isMore: boolean }
  | { readonly type: 'read'; readonly reading: number; readonly items: readonly Item[]; readonly isMore: boolean; readonly next: string | null }
  | { readonly type: 'replaced'; readonly is: (item: Item) => boolean; readonly item: Item | null };

export const EMPTY: Listed<never> = { items: null, next: null, reading: 0 };

/** Returns the list after an action. `replaced` shows what a change made of an item; null removes it. */
export function reduceList<Item>(list: Listed<Item>, action: ListAction<Item>): Listed<Item> {
  switch (action.type) {
    case 'begun':
      return { ...list, items: action.isMore ? list.items : null, reading: action.reading };
    case 'read':
      return action.reading === list.reading ? { ...list, items: action.isMore ? [...(list.items ?? []), ...action.items] : action.items, next: action.next } : list;
    case 'replaced': {
      const { item, is } = action;
      return { ...list, items: list.items?.flatMap((one) => (is(one) ? (item === null ? [] : [item]) : [one])) ?? null };
    }
  }
}
