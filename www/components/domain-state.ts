// The state of confirming an account by a domain, and its reducer.
import type { SignedIn } from '../lib/sign-in.ts';

/** A place where a domain can confirm the account, the text to publish there, and the reason why it does not confirm yet. */
export interface Way {
  readonly at: string;
  readonly publish: string;
  readonly problem: { readonly message: string } | null;
}

export interface Domain {
  readonly name: string;
  /** The sentence about the domain of the account, or an empty text. */
  readonly summary: string;
  /** The answer to the last check. */
  readonly answer: string;
  /** The ways to confirm the account, until the domain does. */
  readonly ways: { readonly file: Way; readonly record: Way; readonly account: string } | null;
  readonly organisation: string;
  readonly logo: string;
  readonly contact: string;
  /** The entry of this browser's badge key for the file, or null. */
  readonly badgeKey: Readonly<Record<string, unknown>> | null;
}

export type DomainAction =
  | { readonly type: 'domainKnown'; readonly session: SignedIn; readonly name: string; readonly summary: string }
  | { readonly type: 'domainChanged'; readonly domain: Partial<Domain> };

export const NO_DOMAIN: Domain = { name: '', summary: '', answer: '', ways: null, organisation: '', logo: '', contact: '', badgeKey: null };

/** Returns the domain of another account, which is not known yet. Keeps the entered texts. */
export const unknownDomain = (domain: Domain): Domain => ({ ...domain, summary: '', answer: '', ways: null });

/** Returns the domain after an action. The domain of an earlier account changes nothing. */
export function reduceDomain(domain: Domain, session: SignedIn | null, action: DomainAction): Domain {
  if (action.type === 'domainChanged') {
    return { ...domain, ...action.domain };
  }
  return action.session === session ? { ...domain, name: action.name, summary: action.summary } : domain;
}
