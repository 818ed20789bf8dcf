// The orders that wait for the account's signature, and which of them a person can judge. Does not use the DOM.
import type { Order } from '/client/index.js';
import type { Review, ToReview } from '../../lib/review.ts';
import type { JsonObject } from '../../../pkg/view/src/json.ts';
import { ActionKind, RequestStatus } from '../../../pkg/client/src/enumerations.ts';

/** A certificate that an order issues. */
export interface Proposed {
  readonly ledgerId: string;
  readonly id: string;
  readonly imprint: string;
}

export interface Proposal {
  readonly order: Order;
  readonly certificates: readonly Proposed[];
  /**
   * Whether the order only issues certificates of the account that sent it, on registers of this account, and that account pays. Any account can name any other one as
   * a signer, so other orders could move what the signer owns.
   */
  readonly isPlain: boolean;
}

const isSame = (one: string | null | undefined, other: string | null | undefined): boolean => typeof one === 'string' && typeof other === 'string' && one.toLowerCase() === other.toLowerCase();

/** Returns the proposal of an order that waits for the signature of `account`, or null. `registers` are ids in lower case. */
export function proposalOf(order: Order, account: string, registers: ReadonlySet<string>, now: number): Proposal | null {
  const { status, creatorId, wildcardSigner, order: content } = order;
  const own = content.signers.find(({ accountId }) => isSame(accountId, account));
  const isUnsigned = own !== undefined && (own.claim === null || own.claim === '');
  if (status !== RequestStatus.INITIALIZED || !isUnsigned || isSame(creatorId, account) || Number(content.expiration) <= now) {
    return null;
  }
  const created = content.actions.filter(({ kind }) => kind === ActionKind.CREATE_ASSET);
  const isPlain =
    !wildcardSigner &&
    created.length > 0 &&
    content.actions.every(({ kind, ledgerId, senderId, receiverId }, index) => {
      const isPayment = kind === ActionKind.TRANSFER_VALUE && index === content.actions.length - 1;
      return isSame(senderId, creatorId) && (isPayment || (kind === ActionKind.CREATE_ASSET && isSame(receiverId, creatorId) && registers.has(ledgerId.toLowerCase())));
    });
  return { order, isPlain, certificates: created.map(({ ledgerId, assetId = '', assetImprint = '' }) => ({ ledgerId, id: assetId, imprint: assetImprint })) };
}

/** What a link or a file from a colleague says about an order. */
export interface Opened {
  /** Whether the order issues exactly these certificates. */
  readonly isIt: boolean;
  readonly certificates: readonly { readonly schema: JsonObject; readonly document: JsonObject }[];
}

export interface State {
  /** Null until they are read. */
  readonly proposals: readonly Proposal[] | null;
  /** By the references of the orders. */
  readonly opened: ReadonlyMap<string, Opened>;
  /** The references of the orders that the person has signed or declined here. */
  readonly ended: ReadonlySet<string>;
  readonly isBusy: boolean;
}

/** Returns the orders that can be signed: plain ones of which a link or a file shows exactly the certificates. */
export const signable = ({ proposals, opened }: Pick<State, 'proposals' | 'opened'>): Proposal[] => (proposals ?? []).filter(({ order, isPlain }) => isPlain && opened.get(order.ref)?.isIt === true);

/** Returns the certificates of a file that an order issues, in its order, or null if the file lacks one of them or the order is not plain. */
export function reviewed({ certificates, isPlain }: Proposal, { ledger, certificates: given }: Review): ToReview[] | null {
  const byId = new Map(given.map((certificate) => [certificate.asset, certificate]));
  const found = certificates.flatMap(({ ledgerId, id }) => (isSame(ledgerId, ledger) ? (byId.get(id) ?? []) : []));
  return isPlain && found.length === certificates.length ? found : null;
}

/** Returns true if an order issues a certificate of a file. */
export const isAbout = ({ certificates }: Proposal, { ledger, certificates: given }: Review): boolean => {
  const ids = new Set(given.map(({ asset }) => asset));
  return certificates.some(({ ledgerId, id }) => isSame(ledgerId, ledger) && ids.has(id));
};

export type Action =
  | { readonly type: 'read'; readonly proposals: readonly Proposal[] }
  | { readonly type: 'opened'; readonly ref: string; readonly opened: Opened }
  | { readonly type: 'busy'; readonly isBusy: boolean }
  | { readonly type: 'ended'; readonly ref: string };

export const START: State = { proposals: null, opened: new Map(), ended: new Set(), isBusy: false };

/** Returns the state after an action. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'read':
      return { ...state, proposals: action.proposals };
    case 'opened':
      return { ...state, opened: new Map([...state.opened, [action.ref, action.opened]]) };
    case 'busy':
      return { ...state, isBusy: action.isBusy };
    case 'ended':
      return { ...state, proposals: (state.proposals ?? []).filter(({ order }) => order.ref !== action.ref), ended: new Set([...state.ended, action.ref]) };
  }
}
