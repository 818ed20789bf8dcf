// What the view of the organisation shows about its domain, and the view's reducer. Does not use the DOM, workers or the clock.
import type { IssuerDomain, Webhook } from '/client/index.js';
import type { Answer } from '../../components/answer.ts';
import { type Domain, type DomainAction, NO_DOMAIN, reduceDomain, unknownDomain } from '../../components/domain-state.ts';
import type { Organisation } from '../../lib/organisation.ts';
import type { SignedIn } from '../../lib/sign-in.ts';

export interface State {
  readonly session: SignedIn;
  /** The domain as the service knows it. Null until it is read. */
  readonly known: IssuerDomain | null;
  /** The webhook that is told about the domain. Null until it is read. */
  readonly webhook: Webhook | null;
  /** The fields of the part that confirms a domain. */
  readonly domain: Domain;
}

export type Action =
  | { readonly type: 'read'; readonly known: IssuerDomain }
  | { readonly type: 'removed'; readonly known: IssuerDomain }
  | { readonly type: 'webhookRead'; readonly webhook: Webhook }
  | { readonly type: 'answered'; readonly answer: Answer | null }
  | DomainAction;

export const startOf = (session: SignedIn, kept: Organisation): State => ({ session, known: null, webhook: null, domain: { ...NO_DOMAIN, ...kept } });

/** Returns the state after an action. What the domain's file says fills only fields that are empty. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'read': {
      const { known } = action;
      const { organisation, logo, name } = state.domain;
      return { ...state, known, domain: { ...state.domain, name: name || (known.domain ?? ''), organisation: organisation || (known.name ?? ''), logo: logo || (known.logo ?? '') } };
    }
    case 'removed':
      // The entered texts stay, for another domain.
      return { ...state, known: action.known, domain: { ...unknownDomain(state.domain), name: '' } };
    case 'webhookRead':
      return { ...state, webhook: action.webhook };
    case 'answered':
      return state;
    case 'domainKnown':
    case 'domainChanged':
      return { ...state, domain: reduceDomain(state.domain, state.session, action) };
  }
}

export const STANDINGS = ['none', 'confirmed', 'failing', 'checking', 'unconfirmed', 'disowned'] as const;
export type Standing = (typeof STANDINGS)[number];

/** Returns how the account stands with its domain. */
export function standingOf({ domain, state, isBeingChecked, confirmedUntil }: IssuerDomain): Standing {
  if (domain === null) {
    return 'none';
  }
  if (state === 'confirmed' && confirmedUntil !== null) {
    return 'failing';
  }
  if (state === 'confirmed' || state === 'disowned') {
    return state;
  }
  return isBeingChecked ? 'checking' : 'unconfirmed';
}

/** The kind of events about domains. */
const DOMAIN_CHANGED = 5;

export type Alarm = 'off' | 'waiting' | 'kind' | 'on';

/** Returns whether a webhook is told about the domain, or why it is not. */
export function alarmOf({ url, state, events }: Webhook): Alarm {
  if (url === null) {
    return 'off';
  }
  if (state !== 'active') {
    return 'waiting';
  }
  return events.includes(DOMAIN_CHANGED) ? 'on' : 'kind';
}
