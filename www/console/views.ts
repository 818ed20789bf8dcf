// The views of the console. Each has a folder of its own, and is loaded when it is opened.
import type { ComponentChild } from 'preact';
import type { Answer } from '../components/answer.ts';
import type { OwnLedger } from '../lib/issuing.ts';
import type { SignedIn } from '../lib/sign-in.ts';

/** What the console gives to each view. */
export interface ViewProperties {
  readonly session: SignedIn;
  /** The registers on which the account has an ability, its own first. Empty only in views that need no register. */
  readonly registers: readonly OwnLedger[];
  /** The parts of the address after the view's name. */
  readonly parts: readonly string[];
  /** Shows an answer below the control that was used last. */
  readonly answered: (answer: Answer | null) => void;
  /** Finds the registers again, and returns them. */
  readonly lookAgain: () => Promise<readonly OwnLedger[]>;
  /** Notes whether a domain confirms the account now. */
  readonly confirmationFound?: (isConfirmed: boolean) => void;
}

interface View {
  readonly name: string;
  /** Whether the view is empty for an account without registers, so that the console shows the steps to the first certificate instead. */
  readonly needsRegister: boolean;
  /** Whether the navigation leaves the view out, because only links lead to it. */
  readonly isHidden?: boolean;
  /** Whether the navigation shows the view only to accounts that are known to administer the service. */
  readonly isForOperators?: boolean;
  /** The groups of the view's texts, which are loaded with the view. */
  readonly texts: string;
  readonly load: () => Promise<{ readonly View: (properties: ViewProperties) => ComponentChild }>;
}

/** The views in the order of the navigation. The first one is shown if the address names none. */
export const VIEWS = [
  { name: 'certificates', needsRegister: true, texts: 'certificates', load: () => import('./certificates/view.tsx') },
  { name: 'issue', needsRegister: false, texts: 'templates', load: () => import('./issue/view.tsx') },
  { name: 'many', needsRegister: false, texts: 'templates', load: () => import('./many/view.tsx') },
  { name: 'review', needsRegister: true, texts: 'review', load: () => import('./review/view.tsx') },
  { name: 'book', needsRegister: false, texts: 'book', load: () => import('./book/view.tsx') },
  { name: 'people', needsRegister: true, texts: 'people', load: () => import('./people/view.tsx') },
  { name: 'activity', needsRegister: false, texts: 'activity people', load: () => import('./activity/view.tsx') },
  { name: 'problems', needsRegister: false, texts: 'problems organisation', load: () => import('./problems/view.tsx') },
  { name: 'organisation', needsRegister: false, texts: 'organisation', load: () => import('./organisation/view.tsx') },
  { name: 'money', needsRegister: false, texts: 'money', load: () => import('./money/view.tsx') },
  { name: 'developers', needsRegister: false, texts: 'developers', load: () => import('./developers/view.tsx') },
  { name: 'operator', needsRegister: false, isForOperators: true, texts: 'operate', load: () => import('./operator/view.tsx') },
  { name: 'issued', needsRegister: false, isHidden: true, texts: 'issue', load: () => import('./issued/view.tsx') },
  { name: 'join', needsRegister: false, isHidden: true, texts: 'people', load: () => import('./join/view.tsx') },
] as const satisfies readonly View[];

/** The views in the navigation. */
export const LISTED = VIEWS.filter((view) => !('isHidden' in view));

export type ViewName = (typeof VIEWS)[number]['name'];
