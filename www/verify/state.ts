// The state of the verify page, and its reducer. Does not use the DOM, workers or the clock.
import type { view } from '../certificate/view.ts';
import type { Answer } from '../components/answer.ts';
import type { Texts as HandedOver } from '../lib/handover.ts';
import type { ServiceRecord } from '../lib/record.ts';
import type { Tasks } from '../workers/documents/one.ts';

/** A certificate to show, as an argument of `view`. */
export type Shown = Parameters<typeof view>[1];

/** The separate files that were opened so far. */
export interface Parts {
  readonly document?: unknown;
  readonly evidence?: unknown;
  readonly schema?: unknown;
}

/** The texts of the expert part's fields. */
export interface Texts {
  readonly metadata: string;
  readonly evidence: string;
  readonly schema: string;
}

/** Texts that are put into the fields. `name` says where they come from. With `isComplete`, they are checked at once. */
export interface Loaded {
  readonly texts: Texts;
  readonly name: string;
  readonly isComplete: boolean;
}

/** The source of an imprint. It applies only while the field still has this imprint. */
export interface Known {
  readonly imprint: string;
  readonly name: 'ledger' | 'made';
  readonly record: ServiceRecord | null;
  readonly texts: Texts;
}

export type Result = Awaited<ReturnType<Tasks['verify']>>;

/** The expert part, in which single documents are checked. */
export interface Expert {
  readonly ledgerId: string;
  readonly assetId: string;
  readonly linkNote: string;
  readonly imprint: string;
  readonly known: Known | null;
  readonly loaded: Loaded | null;
  /** Whether the metadata was left out, because the evidence includes its values. */
  readonly isLeftOut: boolean;
  /** The note about the files that were read. */
  readonly note: string;
  /** The request or check in progress. Each change of a field ends it. */
  readonly turn: object | null;
  readonly answer: Answer | null;
  readonly record: ServiceRecord | null;
  readonly result: Result | null;
}

export interface State {
  /** The text of the field for links. */
  readonly given: string;
  /** The text, files or example that were opened last. */
  readonly opening: object | null;
  readonly isReading: boolean;
  /** The sentence about the service that a link names, or about a badge. Every second part is a name. */
  readonly whose: readonly string[];
  /** Whether the sentence warns of the badge. */
  readonly isWarning: boolean;
  readonly parts: Parts;
  readonly shown: Shown | null;
  readonly refusal: Answer | null;
  readonly isExpert: boolean;
  readonly expert: Expert;
}

export type Action =
  | { readonly type: 'givenEntered'; readonly given: string }
  | { readonly type: 'opening'; readonly opening: object; readonly isReading: boolean }
  | { readonly type: 'partsKept'; readonly parts: Parts }
  | { readonly type: 'shown'; readonly opening: object; readonly shown: Shown; readonly whose: readonly string[]; readonly isWarning: boolean }
  | { readonly type: 'refused'; readonly opening: object; readonly answer: Answer }
  | { readonly type: 'folded'; readonly isOpen: boolean }
  | { readonly type: 'assetEntered'; readonly ledgerId: string; readonly assetId: string; readonly note: string }
  | { readonly type: 'imprintEntered'; readonly imprint: string }
  | { readonly type: 'edited' }
  | { readonly type: 'leftOut'; readonly isLeftOut: boolean }
  | { readonly type: 'noted'; readonly text: string }
  | { readonly type: 'asked'; readonly turn: object; readonly answer: Answer }
  | { readonly type: 'loaded'; readonly turn: object; readonly known: Known; readonly record: ServiceRecord | null; readonly answer: Answer | null }
  | { readonly type: 'received'; readonly made: HandedOver }
  | { readonly type: 'checking'; readonly turn: object; readonly answer: Answer }
  | { readonly type: 'checked'; readonly turn: object; readonly answer: Answer; readonly result: Result }
  | { readonly type: 'failed'; readonly turn: object; readonly answer: Answer };

export const START: State = {
  given: '',
  opening: null,
  isReading: false,
  whose: [],
  isWarning: false,
  parts: {},
  shown: null,
  refusal: null,
  isExpert: false,
  expert: {
    ledgerId: '',
    assetId: '',
    linkNote: '',
    imprint: '',
    known: null,
    loaded: null,
    isLeftOut: false,
    note: '',
    turn: null,
    answer: null,
    record: null,
    result: null,
  },
};

/** Returns the state after an action. Answers about an earlier opening or an edited document change nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'givenEntered':
      return { ...state, given: action.given };
    case 'opening':
      return { ...state, opening: action.opening, isReading: action.isReading, whose: [], isWarning: false, shown: null, refusal: null };
    case 'partsKept':
      return { ...state, parts: action.parts };
    case 'shown':
      return action.opening === state.opening ? { ...state, isReading: false, shown: action.shown, whose: action.whose, isWarning: action.isWarning } : state;
    case 'refused':
      return action.opening === state.opening ? { ...state, isReading: false, refusal: action.answer } : state;
    case 'folded':
      return { ...state, isExpert: action.isOpen };
    default: {
      const expert = reduceExpert(state.expert, action);
      return expert === state.expert ? state : { ...state, expert };
    }
  }
}

/** The expert part without a verdict, because a verdict does not apply to changed input. */
const UNCHECKED = { turn: null, answer: null, record: null, result: null } as const;

function reduceExpert(expert: Expert, action: Action): Expert {
  switch (action.type) {
    case 'assetEntered':
      return { ...expert, ...UNCHECKED, ledgerId: action.ledgerId, assetId: action.assetId, linkNote: action.note };
    case 'imprintEntered':
      return { ...expert, ...UNCHECKED, imprint: action.imprint };
    case 'edited':
      return { ...expert, ...UNCHECKED };
    case 'leftOut':
      return { ...expert, isLeftOut: action.isLeftOut };
    case 'noted':
      return { ...expert, note: action.text };
    case 'asked':
      return { ...expert, ...UNCHECKED, turn: action.turn, answer: action.answer, known: null };
    case 'loaded': {
      const { turn, known, record, answer } = action;
      const loaded = { texts: known.texts, name: 'From the ledger', isComplete: answer === null };
      return turn === expert.turn ? { ...expert, turn: null, known, imprint: known.imprint, loaded, isLeftOut: false, record, answer } : expert;
    }
    case 'received': {
      const { imprint, ...texts } = action.made;
      return { ...expert, known: { imprint, name: 'made', record: null, texts }, imprint, loaded: { texts, name: 'What you have made', isComplete: true } };
    }
    case 'checking':
      return { ...expert, ...UNCHECKED, turn: action.turn, answer: action.answer, record: knownOf(expert)?.record ?? null };
    case 'checked':
      return action.turn === expert.turn ? { ...expert, turn: null, answer: action.answer, result: action.result } : expert;
    case 'failed':
      return action.turn === expert.turn ? { ...expert, turn: null, answer: action.answer } : expert;
    default:
      return expert;
  }
}

/** Returns the imprint's source while the field still has its imprint, or null. */
export const knownOf = ({ known, imprint }: Expert): Known | null => (known !== null && imprint.trim().toLowerCase() === known.imprint.toLowerCase() ? known : null);
