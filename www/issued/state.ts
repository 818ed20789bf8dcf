// The state of the page that lists an account's certificates, and its reducer. Does not use the DOM, workers or the clock.
import type { Asset, Validity } from '/client/index.js';
import type { Answer, Focus } from '../components/answer.ts';
import type { FormSpec } from '../components/form.tsx';
import type { CertifiedRow } from '../lib/bulk.ts';
import type { FormContent } from '../lib/form.ts';
import type { OwnLedger } from '../lib/issuing.ts';
import type { SignedIn } from '../lib/sign-in.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';

/** A listed certificate. */
export interface Item {
  readonly asset: Asset;
  /** The key of its row in a batch of this browser, or null. */
  readonly known: string | null;
  /** The service's answer about it, and its public name. Null until they are known. */
  readonly record: Validity | null;
  readonly name: string | null;
  readonly isTicked: boolean;
  /** The reason with which it was withdrawn on this page, or null. */
  readonly reason: string | null;
}

/** A certificate that was withdrawn earlier. `since` and `reason` are null if the service does not know them. */
export interface Gone {
  readonly ledgerId: string;
  readonly id: string;
  readonly known: string | null;
  readonly since: string | null;
  readonly reason: string | null;
}

/** The certificate that is being replaced. */
export interface Replacement {
  readonly item: Item;
  readonly ledger: OwnLedger;
  /** Its schema, and the schema with titles in the page's language. Null until its private file is read. */
  readonly schemas: { readonly own: JsonObject; readonly titled: JsonObject } | null;
  readonly form: FormSpec | null;
  readonly content: FormContent | null;
  readonly incomplete: FormContent['problems'];
  /** The content that the ledger has accepted, and what was made of it. Another attempt with the same content only publishes. */
  readonly ordered: { readonly content: string; readonly certified: CertifiedRow } | null;
}

export interface State {
  readonly session: SignedIn | null;
  readonly ledgers: readonly OwnLedger[];
  /** The ledger whose certificates are listed. Another object lists them anew. Null before the ledgers are known. */
  readonly list: { readonly ledger: OwnLedger } | null;
  /** The keys of the rows of this browser's batches, by ledger and asset. */
  readonly keys: ReadonlyMap<string, string>;
  readonly items: readonly Item[];
  /** The cursor of the next page. Undefined before the first page, and null after the last one. */
  readonly next: string | null | undefined;
  /** Whether all certificates are ticked at once. */
  readonly isAll: boolean;
  readonly isGoneOpen: boolean;
  readonly gone: readonly Gone[];
  readonly goneNote: string;
  /** The certificates that the dialog withdraws, or null while it is closed. */
  readonly withdrawing: readonly Item[] | null;
  readonly reason: string;
  readonly reasonProblem: string;
  /** Withdrawn certificates whose reason the service does not have yet. */
  readonly unexplained: readonly Unexplained[];
  readonly replacement: Replacement | null;
  readonly isBusy: boolean;
  readonly note: string;
  readonly answer: Answer | null;
  readonly focus: Focus | null;
}

export interface Unexplained {
  readonly asset: Asset;
  readonly reason: string;
}

type List = NonNullable<State['list']>;

export type Action =
  | { readonly type: 'answered'; readonly answer: Answer | null }
  | { readonly type: 'noneTicked'; readonly text: string }
  | { readonly type: 'busy'; readonly isBusy: boolean }
  | { readonly type: 'signedIn'; readonly session: SignedIn | null }
  | { readonly type: 'ledgersFound'; readonly session: SignedIn; readonly ledgers: readonly OwnLedger[]; readonly keys: ReadonlyMap<string, string> }
  | { readonly type: 'ledgerChosen'; readonly id: string }
  | { readonly type: 'pageFound'; readonly list: List; readonly after: string | undefined; readonly assets: readonly Asset[]; readonly next: string | null }
  | { readonly type: 'named'; readonly list: List; readonly id: string; readonly record: Validity; readonly name: string | null }
  | { readonly type: 'ticked'; readonly id: string; readonly isTicked: boolean }
  | { readonly type: 'allTicked'; readonly isTicked: boolean }
  | { readonly type: 'goneToggled'; readonly isOpen: boolean }
  | { readonly type: 'goneFound'; readonly list: List; readonly gone: Omit<Gone, 'known'> }
  | { readonly type: 'goneNoted'; readonly list: List; readonly text: string }
  | { readonly type: 'reasonAsked'; readonly items: readonly Item[] }
  | { readonly type: 'reasonEntered'; readonly reason: string }
  | { readonly type: 'reasonRefused'; readonly text: string }
  | { readonly type: 'dialogClosed' }
  | { readonly type: 'withdrawn'; readonly items: readonly Item[]; readonly reason: string }
  | { readonly type: 'explained'; readonly id: string }
  | { readonly type: 'replacing'; readonly item: Item; readonly ledger: OwnLedger }
  | { readonly type: 'contentRead'; readonly item: Item; readonly schemas: { readonly own: JsonObject; readonly titled: JsonObject }; readonly form: FormSpec }
  | { readonly type: 'contentRefused'; readonly answer: Answer }
  | { readonly type: 'contentChanged'; readonly content: FormContent }
  | { readonly type: 'checked'; readonly incomplete: FormContent['problems'] }
  | { readonly type: 'ordered'; readonly item: Item; readonly content: string; readonly certified: CertifiedRow }
  | { readonly type: 'replaced'; readonly answer: Answer }
  | { readonly type: 'cancelled' };

/** The state of a list that is not read yet. */
const UNREAD = { items: [], next: undefined, isAll: false, isGoneOpen: false, gone: [], goneNote: '' } as const;

export const START: State = {
  session: null,
  ledgers: [],
  list: null,
  keys: new Map(),
  ...UNREAD,
  withdrawing: null,
  reason: '',
  reasonProblem: '',
  unexplained: [],
  replacement: null,
  isBusy: false,
  note: '',
  answer: null,
  focus: null,
};

const at = (id: string): Focus => ({ id });

/** Returns the state after an action. Answers about an earlier account or list change nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'answered':
      return { ...state, answer: action.answer, note: '' };
    case 'noneTicked':
      return { ...state, answer: null, note: action.text, focus: at('all') };
    case 'busy':
      return { ...state, isBusy: action.isBusy };
    case 'signedIn':
      return { ...START, session: action.session, reason: state.reason };
    case 'ledgersFound': {
      const { session, ledgers, keys } = action;
      return session === state.session ? listOf({ ...state, ledgers, keys }, ledgers[0]) : state;
    }
    case 'ledgerChosen':
      return listOf(
        state,
        state.ledgers.find(({ id }) => id === action.id),
      );
    case 'pageFound':
      return action.list === state.list && action.after === state.next ? withPage(state, action) : state;
    case 'named':
      return action.list === state.list ? withItems(state, ({ asset }) => asset.id === action.id, { record: action.record, name: action.name }) : state;
    case 'ticked':
      return withItems(state, ({ asset }) => asset.id === action.id, { isTicked: action.isTicked });
    case 'allTicked':
      return { ...withItems(state, ({ reason }) => reason === null, { isTicked: action.isTicked }), isAll: action.isTicked };
    case 'goneToggled':
      return { ...state, isGoneOpen: action.isOpen };
    case 'goneFound':
      return action.list === state.list ? { ...state, gone: [...state.gone, { ...action.gone, known: keyOf(state, action.gone) }] } : state;
    case 'goneNoted':
      return action.list === state.list ? { ...state, goneNote: action.text } : state;
    case 'reasonAsked':
      return { ...state, withdrawing: action.items, reasonProblem: '', focus: at('reason') };
    case 'reasonEntered':
      return { ...state, reason: action.reason, reasonProblem: '' };
    case 'reasonRefused':
      return { ...state, reasonProblem: action.text, focus: at('reason') };
    case 'dialogClosed':
      return { ...state, withdrawing: null };
    case 'withdrawn':
      return withWithdrawn(state, action.items, action.reason);
    case 'explained':
      return { ...state, unexplained: state.unexplained.filter(({ asset }) => asset.id !== action.id) };
    case 'replacing': {
      const { item, ledger } = action;
      return { ...state, replacement: { item, ledger, schemas: null, form: null, content: null, incomplete: [], ordered: null }, focus: at('replacing-title') };
    }
    case 'contentRead':
      return action.item === state.replacement?.item ? withReplacement(state, { schemas: action.schemas, form: action.form, incomplete: [] }) : state;
    case 'contentRefused':
      return { ...withReplacement(state, { form: null, content: null }), answer: action.answer };
    case 'contentChanged':
      return withReplacement(state, { content: action.content });
    case 'checked':
      return withReplacement(state, { incomplete: action.incomplete });
    case 'ordered':
      return action.item === state.replacement?.item ? withReplacement(state, { ordered: { content: action.content, certified: action.certified } }) : state;
    case 'replaced':
      return { ...listOf(state, state.list?.ledger), replacement: null, answer: action.answer };
    case 'cancelled':
      return { ...state, replacement: null, focus: at('replace') };
  }
}

/** Lists the certificates of a ledger anew. */
const listOf = (state: State, ledger: OwnLedger | undefined): State => ({ ...state, ...UNREAD, list: ledger === undefined ? null : { ledger } });

function withPage(state: State, { assets, next }: Extract<Action, { type: 'pageFound' }>): State {
  const items = assets.map((asset) => ({ asset, known: keyOf(state, asset), record: null, name: null, isTicked: false, reason: null }));
  return { ...state, items: [...state.items, ...items], next };
}

const withItems = (state: State, isMeant: (item: Item) => boolean, change: Partial<Item>): State => ({
  ...state,
  items: state.items.map((item) => (isMeant(item) ? { ...item, ...change } : item)),
});

const withReplacement = (state: State, change: Partial<Replacement>): State => (state.replacement === null ? state : { ...state, replacement: { ...state.replacement, ...change } });

function withWithdrawn(state: State, items: readonly Item[], reason: string): State {
  const ids = new Set(items.map(({ asset }) => asset.id));
  const unexplained = [...state.unexplained, ...items.map(({ asset }) => ({ asset, reason }))];
  return { ...withItems(state, ({ asset }) => ids.has(asset.id), { reason, isTicked: false }), unexplained, reason: '' };
}

/** Returns the key of a certificate's row in a batch of this browser. */
const keyOf = ({ keys }: State, { ledgerId, id }: { readonly ledgerId: string; readonly id: string }): string | null => keys.get(`${ledgerId.toLowerCase()}/${id}`) ?? null;

/** Returns the ticked certificates that are in force. */
export const tickedOf = ({ items }: State): readonly Item[] => items.filter(({ isTicked, reason }) => isTicked && reason === null);
