// The next step after a verdict: what a visitor can do, and whom they can ask.
import type { HeadlineCode } from '/client/index.js';
import { element } from '/lib/page.ts';
import type { Child } from '/lib/page.ts';
import { domainElement } from '/lib/sheet.ts';
import { say as sayMain, sayIn } from '/lib/texts.ts';
import type { Ids } from '/lib/validity.ts';
import type { Say } from '/view/say.ts';
import type { Verdict } from '/view/verdict.ts';
import type { Confirmed } from './view.ts';

/** What the view passes on. */
interface At extends Ids {
  isEmbedded: boolean;
  found: Promise<Confirmed>;
  again(): void;
}

/** The step of each headline: the key of its text, and whether the issuer or another answer of the service helps. */
const STEPS: Record<HeadlineCode, { text: string; asksIssuer?: boolean; triesAgain?: boolean }> = {
  valid: { text: 'next.valid', asksIssuer: true },
  'valid-by-operator': { text: 'next.valid' },
  changed: { text: 'next.changed', asksIssuer: true },
  'other-asset': { text: 'next.otherAsset', asksIssuer: true },
  withdrawn: { text: 'next.withdrawn', asksIssuer: true },
  'never-issued': { text: 'next.neverIssued' },
  'unknown-ledger': { text: 'next.unknownLedger' },
  'issuer-disowned': { text: 'next.disowned', asksIssuer: true },
  'not-proven': { text: 'next.notProven' },
  expired: { text: 'next.expired', asksIssuer: true },
  replaced: { text: 'next.replaced', asksIssuer: true },
  'not-checked': { text: 'next.notChecked', triesAgain: true },
  'issuer-no-longer-confirmed': { text: 'next.noLongerConfirmed', asksIssuer: true },
  'issuer-not-confirmed': { text: 'next.notConfirmed' },
};

/** The states of an issuer whose domain is theirs. The domain of an operator's statement is the operator's. */
const OWN_DOMAIN = ['confirmed', 'wasConfirmed', 'disowned'];

let loading: Promise<Say> | undefined;

/** Loads the texts for what follows a verdict, unless they are loaded already. Another attempt follows a failed one. */
export function words(): Promise<Say> {
  loading ??= sayIn('holder').catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Adds the next step below a verdict in `place`. Does nothing if another verdict is shown in the meantime. */
export async function addNext(place: HTMLElement, verdict: Verdict, at: At) {
  const { code, issuer } = verdict;
  const say = await words();
  if (place.dataset.code !== code) {
    return;
  }
  const step = code === 'other' ? null : STEPS[code];
  const host = location.host;
  const made = element('div', { class: 'next' });
  if (step !== null) {
    const paragraph = element('p', {}, ...sayNamed(say, step.text, { host, asset: at.asset, domain: issuer?.domain ?? '' }));
    made.append(paragraph);
    if (step.asksIssuer && issuer?.domain && OWN_DOMAIN.includes(issuer.kind)) {
      paragraph.append(' ', contactLink(say, issuer.domain, at.found));
    }
    if (step.triesAgain) {
      const button = element('button', { type: 'button' }, sayMain('common.again'));
      button.addEventListener('click', at.again);
      paragraph.append(' ', button);
    }
  }
  // The address bar of a page that frames this one shows another host.
  if (!at.isEmbedded) {
    made.append(element('p', { class: 'host' }, ...sayNamed(say, 'next.host', { host })));
  }
  place.querySelector('.next')?.remove();
  place.append(made);
}

/** Returns a text whose values browsers do not translate. */
function sayNamed(say: Say, key: string, values: Readonly<Record<string, string>>): Child[] {
  const marks = Object.fromEntries(Object.keys(values).map((name) => [name, `\0${name}\0`]));
  // Every second part is the name of a value.
  const named = (name: string) => (name === 'host' || name === 'domain' ? domainElement(values[name] ?? '') : element('span', { translate: 'no' }, values[name] ?? ''));
  return say(key, marks)
    .split('\0')
    .map((part, index) => (index % 2 === 0 ? part : named(part)));
}

/**
 * Returns a link to an issuer: the website of its domain, and the contact in the domain's file as soon as the browser has read it. `subject` and `body`
 * are the beginning of a message.
 */
export function contactLink(say: Say, domain: string, found: Promise<Confirmed>, { subject = '', body = '' } = {}): HTMLElement {
  const link = element('a', { class: 'contact', href: `https://${domain}/`, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...sayNamed(say, 'next.website', { domain }));
  found.then(({ contact }) => {
    if (contact === null) {
      return;
    }
    const isPage = contact.includes('/');
    link.href = isPage ? contact : `mailto:${contact}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
    link.replaceChildren(...(isPage ? sayNamed(say, 'next.contactPage', { domain }) : sayNamed(say, 'next.write', { address: contact })));
  });
  return link;
}
