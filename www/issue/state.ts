// The state of the page that issues one certificate, and its reducer. Does not use the DOM, workers or the clock.
import type { Answer, Focus } from '../components/answer.ts';
import type { FormSpec } from '../components/form.tsx';
import type { FormContent } from '../lib/form.ts';
import { type LedgerAction, type LedgerChoice, NO_LEDGERS, choiceFor, reduceLedgers } from '../components/ledger-state.ts';
import { type Domain, type DomainAction, NO_DOMAIN, reduceDomain, unknownDomain } from '../components/domain-state.ts';
import type { OwnLedger } from '../lib/issuing.ts';
import type { Operator } from '../lib/operator.ts';
import type { Say } from '../../pkg/view/src/say.ts';
import type { SignedIn } from '../lib/sign-in.ts';
import { TEMPLATES, type TemplateName } from '../../pkg/view/src/templates.ts';
import { type JsonObject, type Path, isObject, isPath } from '../../pkg/view/src/json.ts';

/** The value of the option for the issuer's own data. */
export const OTHER = 'other';
/** The chosen option. */
export type Choice = TemplateName | typeof OTHER;
/** The steps of issuing. */
export const STEPS = ['ledger', 'certify', 'publish', 'record'] as const;
export type Step = (typeof STEPS)[number];

/** A template. `schemaIn(say)` is its schema in a language, and `document` has the values that its form begins with. */
export interface Template {
  readonly schema: JsonObject;
  readonly schemaIn: (say: Say) => JsonObject;
  readonly shown: readonly Path[];
  readonly ledger: { readonly name: string; readonly symbol: string };
  readonly document: JsonObject;
}

/** The asset id and key of the certificate being issued, so that another attempt with the same content makes the same certificate. */
export interface Draft {
  readonly content: string;
  readonly assetId: string;
  readonly secret: string;
  /** Whether an order was sent, whose answer may have been lost. */
  readonly isSent: boolean;
}

/** The issued certificate. `file` is the holder's file, and `files` are the public files for the issuer's website. */
export interface Issued {
  readonly ledger: OwnLedger;
  readonly assetId: string;
  readonly link: string;
  readonly file: { readonly name: string; readonly text: string; readonly type: string };
  readonly files: readonly { readonly name: string; readonly address: string; readonly text: string }[];
  /** What waits for the second signature, or null if the certificate is issued. */
  readonly review: Review | null;
}

/** An order that a colleague has to sign too. */
export interface Review {
  readonly order: string;
  /** The address at which the colleague looks at the certificate and signs. */
  readonly link: string;
  /** The file for the colleague if the certificate is too large for the link, or null. */
  readonly file: { readonly name: string; readonly text: string } | null;
  readonly outcome: 'waiting' | 'declined';
}

/** What a draft of this browser has of a certificate that is not issued. */
export interface Unfinished {
  readonly choice: Choice | null;
  readonly example: string;
  readonly kind: string;
  /** Whether the form was shown. For the issuer's own data, the example makes it. */
  readonly isFilling: boolean;
  readonly document: JsonObject;
  readonly paths: Path[];
  readonly reviewer: string;
  readonly draft: Draft | null;
}

export interface State {
  /** The chosen option, or null. */
  readonly choice: Choice | null;
  readonly example: string;
  readonly kind: string;
  readonly template: Template | null;
  /** The sentence about values that can be shown only as a whole. */
  readonly whole: string;
  readonly form: FormSpec | null;
  readonly content: FormContent | null;
  readonly incomplete: FormContent['problems'];
  /** The operator, if only chosen accounts may deploy ledgers. Signing in is then the first step. */
  readonly operator: Operator | null;
  readonly session: SignedIn | null;
  readonly domain: Domain;
  readonly ledgers: LedgerChoice;
  /** The account that has to sign too, or an empty text. */
  readonly reviewer: string;
  /** Whether the certificate is being checked or issued. */
  readonly isIssuing: boolean;
  /** The current step of issuing, or null. */
  readonly step: Step | null;
  readonly draft: Draft | null;
  readonly issued: Issued | null;
  readonly isSaved: boolean;
  readonly savedNote: string;
  /** The number of times that the result was checked. */
  readonly checks: number;
  readonly answer: Answer | null;
  readonly focus: Focus | null;
}

export type Action =
  | LedgerAction
  | DomainAction
  | { readonly type: 'answered'; readonly answer: Answer | null }
  | { readonly type: 'focused'; readonly focus: Focus }
  | { readonly type: 'chosen'; readonly choice: Choice; readonly template: Template | null }
  | { readonly type: 'exampleEntered'; readonly example: string }
  | { readonly type: 'kindNamed'; readonly kind: string }
  | { readonly type: 'exampleRead'; readonly template: Template }
  | { readonly type: 'wholeFound'; readonly template: Template; readonly text: string }
  | { readonly type: 'formShown'; readonly content: FormContent }
  | { readonly type: 'formChanged'; readonly content: FormContent }
  | { readonly type: 'formRefused'; readonly answer: Answer }
  | { readonly type: 'operatorKnown'; readonly operator: Operator; readonly isRefused: boolean }
  | { readonly type: 'signedIn'; readonly session: SignedIn | null }
  | { readonly type: 'reviewerChosen'; readonly account: string }
  | { readonly type: 'issuing'; readonly incomplete: FormContent['problems'] }
  | { readonly type: 'stepped'; readonly step: Step; readonly answer: Answer }
  | { readonly type: 'drafted'; readonly draft: Draft }
  | { readonly type: 'stopped'; readonly answer: Answer }
  | { readonly type: 'issued'; readonly issued: Issued }
  | { readonly type: 'saved'; readonly text: string }
  | { readonly type: 'reviewEnded'; readonly order: string; readonly isSigned: boolean }
  | { readonly type: 'unsaved'; readonly text: string }
  | { readonly type: 'checked' }
  | { readonly type: 'begunAgain'; readonly template: Template }
  /** The view is left. The state stays until it is shown again. */
  | { readonly type: 'left' }
  | { readonly type: 'restored'; readonly unfinished: Unfinished; readonly template: Template | null };

export const START: State = {
  choice: null,
  example: '',
  kind: '',
  template: null,
  whole: '',
  form: null,
  content: null,
  incomplete: [],
  operator: null,
  session: null,
  domain: NO_DOMAIN,
  ledgers: NO_LEDGERS,
  reviewer: '',
  isIssuing: false,
  step: null,
  draft: null,
  issued: null,
  isSaved: false,
  savedNote: '',
  checks: 0,
  answer: null,
  focus: null,
};

const at = (id: string): Focus => ({ id });

/** Returns the state after an action. Answers about an earlier template or account change nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'answered':
      return { ...state, answer: action.answer };
    case 'focused':
      return { ...state, focus: action.focus };
    case 'chosen': {
      const chosen = { ...state, choice: action.choice, answer: null };
      return action.template === null ? { ...chosen, template: null, form: null, content: null } : withTemplate(chosen, action.template);
    }
    case 'exampleEntered':
      return { ...state, example: action.example };
    case 'kindNamed':
      return { ...state, kind: action.kind };
    case 'exampleRead':
      return { ...withTemplate(state, action.template), focus: at('form-title') };
    case 'wholeFound':
      return action.template === state.template ? { ...state, whole: action.text } : state;
    case 'formShown':
      return { ...state, content: action.content };
    case 'formChanged':
      return { ...state, content: action.content, answer: null };
    case 'formRefused':
      return { ...state, template: null, form: null, content: null, answer: action.answer };
    case 'operatorKnown':
      // A person who has signed in on this page already stays signed in at the same place.
      return action.operator.isChoosing && (state.session === null || action.isRefused) ? { ...state, operator: action.operator } : state;
    case 'signedIn':
      return { ...state, session: action.session, ledgers: choiceFor(state.ledgers, state.session?.account, action.session?.account), domain: unknownDomain(state.domain), answer: null };
    case 'domainKnown':
    case 'domainChanged':
      return { ...state, domain: reduceDomain(state.domain, state.session, action) };
    case 'reviewerChosen':
      return { ...state, reviewer: action.account };
    case 'issuing':
      return { ...state, isIssuing: true, incomplete: action.incomplete, answer: null };
    case 'stepped':
      return { ...state, step: action.step, answer: action.answer };
    case 'drafted':
      return { ...state, draft: action.draft };
    case 'stopped':
      return { ...state, isIssuing: false, step: null, answer: action.answer };
    case 'issued': {
      const { issued } = action;
      // A check before the files are published, or before the colleague signs, would make the service cache them as missing for a minute.
      const checks = issued.files.length === 0 && issued.review === null ? 1 : 0;
      return { ...state, isIssuing: false, step: null, draft: null, issued, isSaved: false, savedNote: '', checks, answer: null, focus: { id: 'done-title', scroll: 'page' } };
    }
    case 'saved':
      return { ...state, isSaved: true, savedNote: action.text };
    case 'reviewEnded': {
      const { issued } = state;
      if (issued === null || issued.review?.order !== action.order) {
        return state;
      }
      const focus: Focus = { id: 'done-title', scroll: 'page' };
      if (action.isSigned) {
        return { ...state, issued: { ...issued, review: null }, checks: issued.files.length === 0 ? 1 : 0, focus };
      }
      // There is no certificate, so its file need not be kept.
      return { ...state, issued: { ...issued, review: { ...issued.review, outcome: 'declined' } }, isSaved: true, focus };
    }
    case 'unsaved':
      return { ...state, savedNote: action.text, focus: at('save-file') };
    case 'checked':
      return { ...state, checks: state.checks + 1 };
    case 'left': {
      const { form, content } = state;
      const filled = form === null || content === null ? form : { ...form, document: content.document, shown: content.paths };
      return { ...state, form: filled, incomplete: [], answer: null, focus: null };
    }
    case 'restored': {
      const { choice, example, kind, document, paths, reviewer, draft } = action.unfinished;
      const begun = { ...state, choice, example, kind, reviewer };
      if (action.template === null) {
        return begun;
      }
      const content = { document, paths, hidden: [], problems: [] };
      return { ...withTemplate(begun, action.template), form: { schema: action.template.schema, document, shown: paths }, content, draft, focus: at('form-title') };
    }
    case 'begunAgain':
      return { ...withTemplate(state, action.template), issued: null, focus: at('form-title') };
    default:
      return { ...state, ledgers: reduceLedgers(state.ledgers, action) };
  }
}

/** Returns what is unfinished, or null if nothing was entered. */
export function unfinishedOf({ choice, example, kind, template, form, content, reviewer, draft, issued }: State): Unfinished | null {
  const isFilling = template !== null && content !== null;
  const isEntered = example !== '' || (isFilling && form !== null && JSON.stringify(content.document) !== JSON.stringify(template.document));
  if (issued !== null || !isEntered) {
    return null;
  }
  return { choice, example, kind, isFilling, document: content?.document ?? {}, paths: content?.paths ?? [], reviewer, draft };
}

/** Returns true for an unfinished certificate as `unfinishedOf` returns it. */
export function isUnfinished(value: unknown): value is Unfinished {
  if (!isObject(value)) {
    return false;
  }
  const { choice, example, kind, isFilling, document, paths, reviewer, draft } = value;
  const isDraft = draft === null || (isObject(draft) && [draft.content, draft.assetId, draft.secret].every(isText) && typeof draft.isSent === 'boolean');
  const isChoice = choice === null || choice === OTHER || TEMPLATES.some((name) => name === choice);
  return isDraft && isChoice && [example, kind, reviewer].every(isText) && typeof isFilling === 'boolean' && isObject(document) && Array.isArray(paths) && paths.every(isPath);
}

const isText = (value: unknown) => typeof value === 'string';

/** Shows the form of a template. */
function withTemplate(state: State, template: Template): State {
  const { schema, document, shown } = template;
  const ledgers = { ...state.ledgers, found: null, held: null, name: template.ledger.name };
  return { ...state, template, whole: '', form: { schema, document, shown }, content: null, incomplete: [], draft: null, ledgers, answer: null };
}
