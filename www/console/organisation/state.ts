// What the view of the organisation shows about its domain, and the view's reducer. Does not use the DOM, workers or the clock.
import type { IssuerDomain } from '/client/index.js';
import type { Answer } from '../../components/answer.ts';
import { type Domain, type DomainAction, NO_DOMAIN, reduceDomain } from '../../components/domain-state.ts';
import type { Organisation } from '../../lib/organisation.ts';
import type { SignedIn } from '../../lib/sign-in.ts';

export interface State {
  readonly session: SignedIn;
  /** The domain as the service knows it. Null until it is read. */
  readonly known: IssuerDomain | null;
  /** The fields of the part that confirms a domain. */
  readonly domain: Domain;
}

export type Action = { readonly type: 'read'; readonly known: IssuerDomain } | { readonly type: 'answered'; readonly answer: Answer | null } | DomainAction;

export const startOf = (session: SignedIn, kept: Organisation): State => ({ session, known: null, domain: { ...NO_DOMAIN, ...kept } });

/** Returns the state after an action. What the domain's file says fills only fields that are empty. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'read': {
      const { known } = action;
      const { organisation, logo, name } = state.domain;
      return { ...state, known, domain: { ...state.domain, name: name || (known.domain ?? ''), organisation: organisation || (known.name ?? ''), logo: logo || (known.logo ?? '') } };
    }
    case 'answered':
      return state;
    case 'domainKnown':
    case 'domainChanged':
      return { ...state, domain: reduceDomain(state.domain, state.session, action) };
  }
}

export const STANDINGS = ['none', 'confirmed', 'checking', 'unconfirmed', 'disowned'] as const;
export type Standing = (typeof STANDINGS)[number];

/** Returns how the account stands with its domain. */
export function standingOf({ domain, state, isBeingChecked }: IssuerDomain): Standing {
  if (domain === null) {
    return 'none';
  }
  if (state === 'confirmed' || state === 'disowned') {
    return state;
  }
  return isBeingChecked ? 'checking' : 'unconfirmed';
}
