// The state of confirming an account by a domain, and its reducer.
import type { SignedIn } from '../lib/sign-in.ts';

/** A place where a domain can confirm the account, the text to publish there, and the reason why it does not confirm yet. */
export interface Way {
  readonly at: string;
  readonly publish: string;
  /** Whether the text has everything that is published there. Otherwise it has only the entries to add. */
  readonly isWhole: boolean;
  readonly problem: { readonly message: string } | null;
}

export interface Domain {
  readonly name: string;
  /** The sentence about the domain of the account, or an empty text. */
  readonly summary: string;
  /** The answer to the last check. */
  readonly answer: string;
  /** The ways to confirm the account, or to change the name, logo and contact if the domain confirms it. Null until a domain is checked. */
  readonly ways: { readonly file: Way; readonly record: Way; readonly account: string; readonly isConfirmed: boolean } | null;
  readonly organisation: string;
  readonly logo: string;
  readonly contact: string;
  /** The file to publish with this browser's badge key, or null if the key is not to be added. */
  readonly badgeFile: string | null;
}

export type DomainAction =
  | { readonly type: 'domainKnown'; readonly session: SignedIn; readonly name: string; readonly summary: string }
  | { readonly type: 'domainChanged'; readonly domain: Partial<Domain> };

export const NO_DOMAIN: Domain = { name: '', summary: '', answer: '', ways: null, organisation: '', logo: '', contact: '', badgeFile: null };

/** Returns the domain of another account, which is not known yet. Keeps the entered texts. */
export const unknownDomain = (domain: Domain): Domain => ({ ...domain, summary: '', answer: '', ways: null, badgeFile: null });

/** Returns the domain after an action. The domain of an earlier account changes nothing. */
export function reduceDomain(domain: Domain, session: SignedIn | null, action: DomainAction): Domain {
  if (action.type === 'domainChanged') {
    return { ...domain, ...action.domain };
  }
  return action.session === session ? { ...domain, name: action.name, summary: action.summary } : domain;
}
