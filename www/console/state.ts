// The state of the console, and its reducer. Views have states of their own. Does not use the DOM, workers or the clock.
import type { Answer, Focus } from '../components/answer.ts';
import { type Domain, type DomainAction, NO_DOMAIN, reduceDomain } from '../components/domain-state.ts';
import type { OwnLedger } from '../lib/issuing.ts';
import type { SignedIn } from '../lib/sign-in.ts';
import { type Address, START as FIRST } from './address.ts';

export interface State {
  readonly session: SignedIn | null;
  readonly address: Address;
  /** Whether the folded navigation of a small screen is open. */
  readonly isMenuOpen: boolean;
  /** The registers on which the account has an ability. Null until they are known. */
  readonly registers: readonly OwnLedger[] | null;
  readonly domain: Domain;
  /** Whether a domain confirms the account. Null until it is known. */
  readonly isConfirmed: boolean | null;
  readonly answer: Answer | null;
  readonly focus: Focus | null;
}

export type Action =
  | { readonly type: 'answered'; readonly answer: Answer | null }
  | { readonly type: 'signedIn'; readonly session: SignedIn | null }
  | { readonly type: 'moved'; readonly address: Address }
  | { readonly type: 'menuToggled' }
  | { readonly type: 'registersFound'; readonly session: SignedIn; readonly registers: readonly OwnLedger[] }
  | { readonly type: 'standingFound'; readonly session: SignedIn; readonly isConfirmed: boolean }
  | DomainAction;

export const START: State = {
  session: null,
  address: FIRST,
  isMenuOpen: false,
  registers: null,
  domain: NO_DOMAIN,
  isConfirmed: null,
  answer: null,
  focus: null,
};

/** The id of the view's heading. */
export const HEADING = 'view-title';

/** Returns the state after an action. Answers about an earlier account change nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'answered':
      return { ...state, answer: action.answer };
    case 'signedIn':
      return { ...START, address: state.address, session: action.session };
    case 'moved': {
      const { address } = action;
      // Before the registers are known, there may be no heading. A view moves the focus itself between its own parts.
      const focus = state.registers === null || address.view === state.address.view ? state.focus : { id: HEADING, scroll: 'page' as const };
      return { ...state, address, focus, isMenuOpen: false, answer: null };
    }
    case 'menuToggled':
      return { ...state, isMenuOpen: !state.isMenuOpen };
    case 'registersFound':
      return action.session === state.session ? { ...state, registers: action.registers } : state;
    case 'standingFound':
      return action.session === state.session ? { ...state, isConfirmed: action.isConfirmed } : state;
    case 'domainKnown':
    case 'domainChanged':
      return { ...state, domain: reduceDomain(state.domain, state.session, action) };
  }
}
