// The page's answer and focus, as parts of a page's state. The reducer sets them, and these hooks show them after the page was drawn.
import { announceBelow, finishBelow, refuseBelow, regionOf, showAtHome } from '/lib/answers.ts';
import { byId, element } from '/lib/page.ts';
import { sentence } from '/lib/sentence.ts';
import { say } from '/lib/texts.ts';
import { Refusal } from '/view/json.ts';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';

/** An answer: work in progress, a refusal, or another kind, for which the work is done. Each answer is shown once, so the same text needs a new object. */
export interface Answer {
  readonly kind: string;
  readonly text: string;
  /** The first words, which are set apart. A refusal begins with "Not possible" by default. */
  readonly heading?: string | undefined;
  /** Whether the details of a result follow. Then the region is shown at its own place. */
  readonly isResult?: boolean;
  /** A sentence about what is left to do, which follows with a button that tries again. */
  readonly retry?: string;
  /** A link to what is needed first. */
  readonly link?: Link | undefined;
}

export interface Link {
  readonly href: string;
  readonly text: string;
  /** Whether it opens another tab, because this page would lose what is filled in. */
  readonly isNewTab: boolean;
}

/** Returns the link to the view of money, where a person adds tokens. In the console, the view leads back to the current one. */
export function moneyLink(): Link {
  const isNewTab = !location.pathname.startsWith('/console/');
  return { href: isNewTab ? '/console/#money' : `#money/${location.hash.slice(1)}`, text: say('signer.topUp'), isNewTab };
}

/** The sentences about a balance that is too low. */
const POOR: readonly (string | undefined)[] = ['signer.balance', 'signer.firstFee', 'many.poor'];

export const busy = (text: string): Answer => ({ kind: 'busy', text });

/** Returns the answer that an action is not possible. */
export const refusal = (error: unknown): Answer => ({ kind: 'unchecked', text: sentence(error), link: error instanceof Refusal && POOR.includes(error.key) ? moneyLink() : undefined });

/**
 * The element that gets the focus. `scroll` puts the element, or the whole page, at the top of the window. Otherwise the browser scrolls if the element is
 * out of view. Each focus is set once.
 */
export interface Focus {
  readonly id: string;
  readonly scroll?: 'element' | 'page';
}

/**
 * Shows an answer in the page's region `answer`, below the control that was used last. Null hides the region. The region is in HTML and not drawn by a
 * component, because it moves. `again` is called if the person tries again.
 */
export function useAnswer(answer: Answer | null, { id = 'answer', again = () => {} }: { readonly id?: string; readonly again?: () => void } = {}): void {
  const region = useMemo(() => regionOf(id), [id]);
  const latest = useRef(again);
  latest.current = again;
  useLayoutEffect(() => {
    if (answer === null) {
      region.hidden = true;
    } else if (answer.kind === 'busy') {
      announceBelow(region, answer.text);
    } else if (answer.isResult) {
      showAtHome(region, answer.kind, answer.heading ?? '', answer.text);
      region.focus();
    } else if (answer.kind === 'unchecked') {
      refuseBelow(region, answer.heading ?? say('common.notPossible'), answer.text);
    } else {
      finishBelow(region, answer.kind, answer.text);
    }
    if (answer?.link !== undefined) {
      const { href, text, isNewTab } = answer.link;
      region.append(element('p', {}, element('a', isNewTab ? { href, target: '_blank', rel: 'noopener' } : { href }, text)));
      region.scrollIntoView({ block: 'nearest' });
    }
    if (answer?.retry !== undefined) {
      const button = element('button', { type: 'button' }, say('common.again'));
      button.addEventListener('click', () => latest.current());
      region.append(element('p', {}, answer.retry), button);
    }
  }, [answer]);
}

/** Moves the focus. A page calls this hook before `useAnswer`, because a refusal leaves the focus at a field with a problem. */
export function useFocus(focus: Focus | null): void {
  useLayoutEffect(() => {
    if (focus === null) {
      return;
    }
    const target = byId(focus.id);
    target.focus({ preventScroll: focus.scroll !== undefined });
    if (focus.scroll === 'element') {
      target.scrollIntoView({ block: 'start' });
    } else if (focus.scroll === 'page') {
      scrollTo(0, 0);
    }
  }, [focus]);
}
