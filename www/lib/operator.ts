// The operator of this service: the line at the foot of each page, and whether only chosen accounts may deploy ledgers.
import { own } from '../../pkg/view/src/json.ts';
import { certified, element } from './page.ts';
import type { Child } from './page.ts';
import { say } from './texts.ts';

/** The operator, from the data of `/operator`. A member is null if the operator has not stated it. */
export interface Operator {
  readonly name: string | null;
  readonly contact: string | null;
  readonly contactUrl: string | null;
  readonly imprintUrl: string | null;
  readonly privacyUrl: string | null;
  /** Whether only accounts that the operator has chosen may deploy ledgers. */
  readonly isChoosing: boolean;
  /** Whether the service keeps short links. */
  readonly hasShortLinks: boolean;
}

let operator: Promise<Operator> | undefined;

/** Returns the operator. The service is asked once. */
export function operatorOf(): Promise<Operator> {
  operator ??= readOperator().catch((error) => {
    operator = undefined;
    throw error;
  });
  return operator;
}

async function readOperator(): Promise<Operator> {
  const answer = await fetch('/operator', { headers: { accept: 'application/json' } });
  const data = own(await answer.json(), 'data');
  if (typeof own(data, 'deployers') !== 'string') {
    throw new TypeError('the service does not state its operator');
  }
  const text = (name: string) => {
    const value = own(data, name);
    return typeof value === 'string' ? value : null;
  };
  const address = (name: string) => {
    const given = text(name);
    return given !== null && /^(https:\/\/|mailto:)/.test(given) ? given : null;
  };
  return {
    name: text('name'),
    contact: text('contact'),
    contactUrl: address('contactUrl'),
    imprintUrl: address('imprintUrl'),
    privacyUrl: address('privacyUrl'),
    isChoosing: own(data, 'deployers') === 'chosen',
    hasShortLinks: own(data, 'shortLinks') === 'on',
  };
}

/** Fills the line about the operator, unless the service has filled it. If the service does not answer, the line stays a link to the page `/operator`. */
export async function showOperator(place: HTMLElement) {
  if (place.dataset.known !== undefined) {
    return;
  }
  const known = await operatorOf().catch(() => null);
  if (known === null) {
    return;
  }
  const { name, contactUrl, imprintUrl, privacyUrl } = known;
  const link = (address: string | null, text: string): Child[][] => (address === null ? [] : [[element('a', { href: address, rel: 'noopener' }, text)]]);
  const parts: Child[][] = [
    ...(name === null ? [] : [[say('operator.runBy'), ' ', certified(name)]]),
    ...link(contactUrl, say('operator.contact')),
    ...link(imprintUrl, say('operator.legal')),
    ...link(privacyUrl, say('operator.privacy')),
  ];
  place.dataset.known = '';
  place.replaceChildren(...parts.flatMap((part, index) => (index === 0 ? part : [' · ', ...part])));
}
