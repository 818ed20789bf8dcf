// The state of the view of problems, its reducer, and what counts as a problem. Does not use the DOM, workers or the clock.
import type { Asset, Delivery, Deployment, IssuerDomain, Order, Validity, Webhook } from '/client/index.js';
import { ActionKind, RequestStatus } from '../../../pkg/client/src/enumerations.ts';

/** The parts of the service in which problems are looked for. `files` are looked at on demand, because each certificate takes a request to its files. */
export const SOURCES = ['orders', 'deployments', 'domain', 'webhook', 'files'] as const;
export type Source = (typeof SOURCES)[number];

/** What the service can be asked to do about a problem. */
export type Remedy =
  | { readonly kind: 'perform'; readonly ref: string }
  /** Leaves an order that has ended out of this browser's list. */
  | { readonly kind: 'leaveOut'; readonly ref: string }
  | { readonly kind: 'checkDomain'; readonly domain: string }
  | { readonly kind: 'redeliver'; readonly ref: string }
  | { readonly kind: 'checkFiles'; readonly ledgerId: string; readonly id: string };

export interface CertificateId {
  readonly ledgerId: string;
  readonly id: string;
}

/** A certificate that an order with a second signature issues. The names are known for certificates of a list of this browser. */
export interface Proposed extends CertificateId {
  readonly holder?: string;
  readonly title?: string;
}

export interface Problem {
  readonly source: Source;
  /** Different for each problem of the same source. */
  readonly id: string;
  readonly what:
    | 'orderFailed'
    | 'orderReady'
    | 'orderUnsigned'
    | 'orderStuck'
    | 'orderDeclined'
    | 'orderLapsed'
    | 'deploymentFailed'
    | 'deploymentStuck'
    | 'domainFailing'
    | 'domainUnconfirmed'
    | 'webhookSilent'
    | 'deliveryFailed'
    | 'deliveryLate'
    | 'certificate';
  /** The name of the register, domain or address, or an empty text. */
  readonly name: string;
  /** The account that has to sign an order too, or did not sign it. */
  readonly signer: string | null;
  /** The certificates that an order with a second signature issues. Empty if they are not known. */
  readonly proposed: readonly Proposed[];
  /** The number of actions of an order by their kinds. */
  readonly actions: readonly (readonly [kind: number, count: number])[];
  readonly at: string | null;
  /** The cause: the service's code, and its sentence in English. */
  readonly code: number | null;
  readonly message: string;
  /** The identifier of a domain's reason, or null. */
  readonly reason: string | null;
  readonly remedy: Remedy | null;
  /** The certificate, for a problem of files. */
  readonly certificate: { readonly ledgerId: string; readonly id: string; readonly headline: string } | null;
}

export interface State {
  /** The sources in progress, and those that were read. */
  readonly sources: ReadonlyMap<Source, 'reading' | 'read'>;
  readonly problems: readonly Problem[];
  /** The key of the problem about which the service is being asked. */
  readonly trying: string | null;
}

export type Action =
  | { readonly type: 'reading'; readonly source: Source }
  | { readonly type: 'read'; readonly source: Source; readonly problems: readonly Problem[] }
  | { readonly type: 'failed'; readonly source: Source }
  | { readonly type: 'trying'; readonly key: string | null };

export const START: State = { sources: new Map(), problems: [], trying: null };

export const keyOf = ({ source, id }: Pick<Problem, 'source' | 'id'>): string => `${source} ${id}`;

/** Returns the state after an action. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'reading':
      return { ...state, sources: new Map([...state.sources, [action.source, 'reading']]) };
    case 'read': {
      const others = state.problems.filter(({ source }) => source !== action.source);
      return { ...state, sources: new Map([...state.sources, [action.source, 'read']]), problems: [...others, ...action.problems].toSorted(newestFirst) };
    }
    case 'failed': {
      const sources = new Map(state.sources);
      sources.delete(action.source);
      return { ...state, sources };
    }
    case 'trying':
      return { ...state, trying: action.key };
  }
}

/** Problems without a time are present ones, so they come first. */
const newestFirst = (one: Problem, other: Problem) => (other.at ?? '9').localeCompare(one.at ?? '9');

/** The time after which a record in progress counts as stuck, in milliseconds. Most records need less than a minute. */
const PATIENCE = 10 * 60_000;
/** The age from which records are left out, in milliseconds. */
export const MAX_AGE = 30 * 24 * 3_600_000;

const UNDER_WAY: readonly number[] = [RequestStatus.PENDING, RequestStatus.PROCESSING, RequestStatus.SUSPENDED];
/** The statuses of records that can be problems. */
export const DOUBTFUL = [RequestStatus.INITIALIZED, RequestStatus.PENDING, RequestStatus.PROCESSING, RequestStatus.FAILURE, RequestStatus.SUSPENDED];
/** Orders are problems also when a colleague has declined to sign them. */
export const DOUBTFUL_ORDERS = [...DOUBTFUL, RequestStatus.CANCELED];

const NONE = { signer: null, proposed: [], actions: [], code: null, message: '', reason: null, remedy: null, certificate: null } as const;

const isOld = (at: string, now: number) => now - Date.parse(at) > MAX_AGE;

/** Returns the problem of an order, or null. `proposed` are the certificates of orders that were sent from this browser, by their references or seeds, because the service deletes the actions of an order that was declined. */
export function problemOfOrder(record: Order, account: string, now: number, proposed: ReadonlyMap<string, readonly Proposed[]> = new Map()): Problem | null {
  const { ref, order, error, updatedAt } = record;
  const what = whatOfOrder(record, account, now);
  if (what === null || isOld(updatedAt, now)) {
    return null;
  }
  const isOfOthers = what === 'orderUnsigned' || what === 'orderDeclined' || what === 'orderLapsed';
  const created = order.actions.flatMap(({ kind, ledgerId, assetId }) => (kind === ActionKind.CREATE_ASSET && assetId !== undefined ? [{ ledgerId, id: assetId }] : []));
  const noted = proposed.get(String(order.seed)) ?? (created.length > 0 ? created : (proposed.get(ref) ?? []));
  const kind = what === 'orderReady' ? 'perform' : what === 'orderFailed' || what === 'orderDeclined' || what === 'orderLapsed' ? 'leaveOut' : null;
  return {
    ...NONE,
    source: 'orders',
    id: ref,
    what,
    name: '',
    signer: isOfOthers ? (unsignedOthers(record, account)[0] ?? null) : null,
    proposed: isOfOthers ? noted : [],
    actions: countedActions(order.actions),
    at: updatedAt,
    code: error?.code ?? null,
    message: error?.message ?? '',
    remedy: kind === null ? null : { kind, ref },
  };
}

/** Returns what is wrong with an order, or null. */
function whatOfOrder(record: Order, account: string, now: number): Problem['what'] | null {
  const { status, order, automatedPerform, creatorId, updatedAt } = record;
  const others = unsignedOthers(record, account);
  const isOwn = isSame(creatorId, account);
  switch (status) {
    case RequestStatus.FAILURE:
      return 'orderFailed';
    case RequestStatus.CANCELED:
      // The service deletes the claims of a canceled order, and does not tell who canceled it. The pages cancel only orders of others, so a colleague has declined it.
      return !isOwn || others.length === 0 ? null : Date.parse(updatedAt) < Number(order.expiration) ? 'orderDeclined' : 'orderLapsed';
    case RequestStatus.INITIALIZED:
      if (order.signers.every(({ claim }) => claim !== null && claim !== '')) {
        return automatedPerform ? null : 'orderReady';
      }
      return others.length === 0 ? null : isOwn && Number(order.expiration) <= now ? 'orderLapsed' : 'orderUnsigned';
    default:
      return isStuck(status, updatedAt, now) ? 'orderStuck' : null;
  }
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Returns the other accounts that have not signed an order. */
const unsignedOthers = ({ order }: Order, account: string): string[] =>
  order.signers.flatMap(({ accountId, claim }) => ((claim === null || claim === '') && !isSame(accountId, account) ? [accountId] : []));

const isStuck = (status: number, updatedAt: string, now: number) => UNDER_WAY.includes(status) && now - Date.parse(updatedAt) > PATIENCE;

/** Returns the number of actions of each kind. The payment is the last action of an order that moves tokens, and is not counted. */
function countedActions(actions: Order['order']['actions']): [number, number][] {
  const counted = new Map<number, number>();
  for (const { kind } of actions.at(-1)?.kind === ActionKind.TRANSFER_VALUE ? actions.slice(0, -1) : actions) {
    counted.set(kind, (counted.get(kind) ?? 0) + 1);
  }
  return [...counted];
}

/** Returns the problem of a deployment, or null. */
export function problemOfDeployment({ ref, status, deploy, error, updatedAt }: Deployment, now: number): Problem | null {
  const what = status === RequestStatus.FAILURE ? 'deploymentFailed' : isStuck(status, updatedAt, now) ? 'deploymentStuck' : null;
  if (what === null || isOld(updatedAt, now)) {
    return null;
  }
  return { ...NONE, source: 'deployments', id: ref, what, name: deploy.assetLedgerData.name, at: updatedAt, code: error?.code ?? null, message: error?.message ?? '' };
}

/** Returns the problem of the account's domain, or null. An account without a domain has none. */
export function problemOfDomain({ domain, displayDomain, state, confirmedUntil, isBeingChecked, reason, message, checkedAt }: IssuerDomain): Problem | null {
  if (domain === null || (state === 'confirmed' && confirmedUntil === null) || isBeingChecked) {
    return null;
  }
  const what = state === 'confirmed' ? 'domainFailing' : 'domainUnconfirmed';
  return { ...NONE, source: 'domain', id: domain, what, name: displayDomain ?? domain, at: checkedAt, message: message ?? '', reason, remedy: { kind: 'checkDomain', domain } };
}

/** Returns the problem of the webhook, or null. */
export function problemOfWebhook({ url, state, stateReason }: Webhook): Problem | null {
  return url === null || state === 'active' ? null : { ...NONE, source: 'webhook', id: url, what: 'webhookSilent', name: url, at: null, message: stateReason ?? '' };
}

/** Returns the problem of a delivery, or null. The service tries a late one again itself. */
export function problemOfDelivery({ ref, state, error, responseStatus, updatedAt }: Delivery, now: number): Problem | null {
  const what = state === 'failed' ? 'deliveryFailed' : state === 'waiting' && error !== null ? 'deliveryLate' : null;
  if (what === null || isOld(updatedAt, now)) {
    return null;
  }
  return { ...NONE, source: 'webhook', id: ref, what, name: responseStatus === null ? '' : String(responseStatus), at: updatedAt, message: error ?? '', remedy: { kind: 'redeliver', ref } };
}

/** Returns the problem of a certificate in force, or null. `record` is null if the service did not answer. */
export function problemOfCertificate({ ledgerId, id }: Pick<Asset, 'ledgerId' | 'id'>, register: string, record: Validity | null): Problem | null {
  const headline = record?.headline.code ?? 'not-checked';
  if (!TROUBLED.includes(headline)) {
    return null;
  }
  const [first] = record?.errors ?? [];
  const certificate = { ledgerId, id, headline };
  return {
    ...NONE,
    source: 'files',
    id: `${ledgerId}/${id}`,
    what: 'certificate',
    name: register,
    at: null,
    code: first?.code ?? null,
    message: first?.message ?? '',
    remedy: { kind: 'checkFiles', ledgerId, id },
    certificate,
  };
}

/** The headlines that an issuer can do something about. */
const TROUBLED: readonly string[] = ['not-checked', 'changed', 'other-asset', 'not-proven'];
