// The state of the page that issues a certificate for each row of a table, and its reducer. Does not use the DOM, workers or the clock.
import type { Answer, Focus } from '../../components/answer.ts';
import type { FormSpec } from '../../components/form.tsx';
import { isBelow } from '../../components/paths.ts';
import type { FormContent } from '../../lib/form.ts';
import { type LedgerAction, type LedgerChoice, NO_LEDGERS, choiceFor, reduceLedgers } from '../../components/ledger-state.ts';
import { type Domain, type DomainAction, NO_DOMAIN, reduceDomain, unknownDomain } from '../../components/domain-state.ts';
import type { Batch, BatchRow } from '../../lib/batches.ts';
import type { RowResult } from '../../lib/bulk.ts';
import type { Standing } from '../../lib/earlier.ts';
import { type JsonObject, type Path, isObject, isPath, own } from '../../../pkg/view/src/json.ts';
import type { Operator } from '../../lib/operator.ts';
import type { Say } from '../../../pkg/view/src/say.ts';
import type { SignedIn } from '../../lib/sign-in.ts';
import type { Choices, Question as ColumnQuestion, Table, TableField } from '../../lib/tables.ts';
import { TEMPLATES, type TemplateName } from '../../../pkg/view/src/templates.ts';
import { type Remembered, isRemembered } from './remembered.ts';

/** The value of the option for a template that is made from the table's own columns. */
export const OWN = 'own';

/** A dropped file with the person's choices about reading it. */
export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly choices: Choices;
}

/** A question about reading the file. `options` are the sheets' names, or the encoding that was guessed. `spelling` asks for the encoding after the guess was wrong. */
export interface Question {
  readonly about: 'encoding' | 'spelling' | 'delimiter' | 'sheet';
  readonly text: string;
  readonly options: readonly string[];
}

/** A template. `schemaIn(say)` is its schema in a language, and `document` has the values that its form begins with. */
export interface Template {
  readonly name: TemplateName | typeof OWN;
  readonly schema: JsonObject;
  readonly schemaIn: (say: Say) => JsonObject;
  readonly shown: readonly Path[];
  readonly ledger: { readonly name: string; readonly symbol: string };
  readonly fields: readonly TableField[];
  readonly document: JsonObject;
}

/** A column and its meaning: its field or null. `readings` are the possible ways of reading it, and `reading` is the chosen way, or null. */
export interface Column {
  readonly name: string;
  readonly field: TableField | null;
  readonly isPublic: boolean;
  readonly examples: readonly string[];
  readonly readings: ColumnQuestion['readings'];
  readonly reading: string | null;
}

/** The checked rows, with everything that they come from. `schema` has the fields of the asset, and `mapped` the field of each column. */
export interface Checked {
  /** The name of the table's file. */
  readonly name: string;
  readonly table: Table;
  readonly template: Template;
  /** The name of the column that identifies the rows, or null. */
  readonly keyColumn: string | null;
  readonly schema: JsonObject;
  readonly mapped: readonly (TableField | null)[];
  readonly paths: Path[];
  readonly hidden: Path[];
  readonly rows: BatchRow[];
}

/** What a draft of this browser has of a list that is not issued, without the table's file. */
export interface Unfinished {
  readonly template: Template['name'];
  readonly kind: string;
  readonly name: string;
  readonly choices: Choices;
  /** Null before the columns are known. */
  readonly columns: Remembered | null;
  readonly document: JsonObject;
  readonly paths: Path[];
  readonly hidden: Path[];
}

export interface Problem {
  readonly row: number;
  readonly column: string | null;
  readonly text: string;
}

/** A list that this browser has begun. */
export interface KeptList {
  readonly batch: Batch;
  readonly issued: number;
  readonly count: number;
  readonly isSavable: boolean;
}

/** The rows of a list whose certificates were withdrawn or replaced since. They are neither issued again nor get files. */
export type LeftOut = Pick<Standing, 'withdrawn' | 'replaced'>;

export interface Progress {
  readonly total: number;
  readonly certified: number;
  readonly issued: number;
}

export interface State {
  readonly stage: 'making' | 'working' | 'finished';
  readonly kept: readonly KeptList[];
  /** The template's name, and the name of certificates of an own template. */
  readonly template: TemplateName | typeof OWN;
  readonly kind: string;
  readonly file: GivenFile | null;
  readonly question: Question | null;
  readonly table: Table | null;
  /** The choices in a draft about the columns, until the columns are known again. */
  readonly wanted: Remembered | null;
  /** The template with its fields. Null until it is known for the table. `kind` is the one with which it was made. `isRemembered` is true if the columns began with the choices of an earlier table. */
  readonly mapping: { readonly template: Template; readonly kind: string; readonly columns: readonly Column[]; readonly isRemembered: boolean } | null;
  /** The index of the column that identifies the rows, or null. */
  readonly keyColumn: number | null;
  /** The form for the fields without a column, its content, and the problems that it shows. */
  readonly form: FormSpec | null;
  readonly content: FormContent | null;
  readonly incomplete: FormContent['problems'];
  /** The check in progress. */
  readonly checking: object | null;
  readonly checked: Checked | null;
  /** The index of the row in the preview. */
  readonly at: number;
  readonly problems: readonly Problem[];
  readonly isSigning: boolean;
  /** The operator, if only chosen accounts may deploy ledgers. Signing in is then the first step. */
  readonly operator: Operator | null;
  readonly session: SignedIn | null;
  readonly domain: Domain;
  readonly ledgers: LedgerChoice;
  /** The account that has to sign too, or an empty text. */
  readonly reviewer: string;
  /** The file for the colleague while the orders wait for the second signature, with the number of its certificates. `stop` ends the waiting. */
  readonly review: { readonly name: string; readonly text: string; readonly count: number; readonly stop: () => void } | null;
  /** What became of the checked rows with the chosen ledger. Null until it is known. */
  readonly standing: Standing | null;
  readonly isIssuing: boolean;
  /** The batch that continues after its account has signed in. */
  readonly resuming: Batch | null;
  readonly running: Batch | null;
  readonly progress: Progress;
  /** The issued batch without the rows of `leftOut`. */
  readonly done: { readonly batch: Batch; readonly results: RowResult[]; readonly leftOut: LeftOut } | null;
  readonly note: string;
  /** Whether the files are being made, which takes seconds for a long list. */
  readonly isSaving: boolean;
  readonly answer: Answer | null;
  readonly focus: Focus | null;
}

export type Action =
  | LedgerAction
  | DomainAction
  | { readonly type: 'answered'; readonly answer: Answer | null }
  | { readonly type: 'focused'; readonly focus: Focus }
  | { readonly type: 'listsFound'; readonly kept: readonly KeptList[] }
  | { readonly type: 'noted'; readonly text: string }
  | { readonly type: 'templateChosen'; readonly name: Template['name'] }
  | { readonly type: 'kindNamed'; readonly kind: string }
  | { readonly type: 'reading'; readonly file: GivenFile; readonly answer: Answer }
  | { readonly type: 'asked'; readonly file: GivenFile; readonly question: Question }
  | { readonly type: 'read'; readonly file: GivenFile; readonly table: Table }
  | { readonly type: 'unread'; readonly file: GivenFile | null; readonly answer: Answer }
  | {
      readonly type: 'mapped';
      readonly table: Table;
      readonly kind: string;
      readonly template: Template;
      readonly guesses: readonly (TableField | null)[];
      readonly remembered: Remembered | null;
    }
  | { readonly type: 'fieldChosen'; readonly column: number; readonly field: TableField | null }
  | { readonly type: 'publicTicked'; readonly column: number; readonly isPublic: boolean }
  | { readonly type: 'columnsAsked'; readonly table: Table; readonly mapped: readonly (TableField | null)[]; readonly questions: readonly ColumnQuestion[] }
  | { readonly type: 'readingChosen'; readonly column: number; readonly reading: string | null }
  | { readonly type: 'keyChosen'; readonly column: number | null }
  | { readonly type: 'formShown'; readonly content: FormContent }
  | { readonly type: 'formChanged'; readonly content: FormContent }
  | { readonly type: 'checking'; readonly check: object; readonly answer: Answer }
  | { readonly type: 'refusedCheck'; readonly answer: Answer; readonly incomplete: FormContent['problems'] }
  | { readonly type: 'checked'; readonly check: object; readonly checked: Checked }
  | { readonly type: 'problemsFound'; readonly check: object; readonly problems: readonly Problem[] }
  | { readonly type: 'turned'; readonly step: number }
  | { readonly type: 'operatorKnown'; readonly operator: Operator; readonly isRefused: boolean }
  | { readonly type: 'signedIn'; readonly session: SignedIn | null }
  | { readonly type: 'reviewerChosen'; readonly account: string }
  | { readonly type: 'waiting'; readonly review: NonNullable<State['review']> }
  | { readonly type: 'issuing'; readonly isIssuing: boolean }
  | { readonly type: 'standingSought' }
  | { readonly type: 'standingFound'; readonly checked: Checked; readonly ledger: string; readonly standing: Standing }
  | { readonly type: 'resumed'; readonly batch: Batch }
  | { readonly type: 'started'; readonly batch: Batch }
  | { readonly type: 'progressed'; readonly progress: Progress }
  | { readonly type: 'failed' }
  | { readonly type: 'issued'; readonly batch: Batch; readonly results: RowResult[]; readonly leftOut: LeftOut }
  | { readonly type: 'saving'; readonly isSaving: boolean }
  | { readonly type: 'begunAgain' }
  /** The view is left. The state stays until it is shown again. */
  | { readonly type: 'left' }
  | { readonly type: 'restored'; readonly unfinished: Unfinished; readonly file: GivenFile };

const NOTHING: Progress = { total: 0, certified: 0, issued: 0 };

/** The state without a check of the rows, after a change of what was checked. */
const UNCHECKED = { answer: null, checking: null, checked: null, standing: null, problems: [], isSigning: false } as const;
/** The state without a table. */
const NO_TABLE = { ...UNCHECKED, question: null, table: null, mapping: null, resuming: null } as const;

export const START: State = {
  stage: 'making',
  kept: [],
  template: 'course',
  kind: '',
  file: null,
  ...NO_TABLE,
  wanted: null,
  keyColumn: null,
  form: null,
  content: null,
  incomplete: [],
  at: 0,
  operator: null,
  session: null,
  domain: NO_DOMAIN,
  ledgers: NO_LEDGERS,
  reviewer: '',
  review: null,
  isIssuing: false,
  running: null,
  progress: NOTHING,
  done: null,
  note: '',
  isSaving: false,
  focus: null,
};

const top = (id: string): Focus => ({ id, scroll: 'element' });

/** Returns the state after an action. The answer to an earlier question, file or check changes nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'answered':
      return { ...state, answer: action.answer };
    case 'focused':
      return { ...state, focus: action.focus };
    case 'listsFound':
      return { ...state, kept: action.kept };
    case 'noted':
      return { ...state, note: action.text };
    case 'templateChosen':
      return { ...state, template: action.name, ledgers: { ...state.ledgers, held: null } };
    case 'kindNamed':
      return { ...state, kind: action.kind };
    case 'reading':
      // The same file can be read in another way.
      return { ...state, ...NO_TABLE, file: action.file, wanted: action.file.bytes === state.file?.bytes ? state.wanted : null, answer: action.answer };
    case 'asked':
      return action.file === state.file ? { ...state, question: action.question, answer: null } : state;
    case 'read':
      return action.file === state.file ? { ...state, table: action.table, answer: null } : state;
    case 'unread':
      return action.file === null || action.file === state.file ? { ...state, ...NO_TABLE, file: null, answer: action.answer } : state;
    case 'mapped':
      return action.table === state.table && action.template.name === state.template ? withMapping(state, action) : state;
    case 'fieldChosen':
      return withColumn(state, action.column, (column, template) => ({ ...column, field: action.field, isPublic: action.field !== null && isShown(template, action.field) }), true);
    case 'publicTicked':
      return withColumn(state, action.column, (column) => ({ ...column, isPublic: action.isPublic }));
    case 'columnsAsked':
      return action.table === state.table ? withQuestions(state, action.mapped, action.questions) : state;
    case 'readingChosen':
      return withColumn(state, action.column, (column) => ({ ...column, reading: action.reading }));
    case 'keyChosen':
      return { ...state, ...UNCHECKED, keyColumn: action.column };
    case 'formShown':
      return { ...state, content: action.content };
    case 'formChanged':
      return { ...state, ...UNCHECKED, content: action.content };
    case 'checking':
      return { ...state, ...UNCHECKED, checking: action.check, answer: action.answer, incomplete: [] };
    case 'refusedCheck':
      return { ...state, ...UNCHECKED, answer: action.answer, incomplete: action.incomplete };
    case 'checked':
      return action.check === state.checking ? withChecked(state, action.checked) : state;
    case 'problemsFound':
      return action.check === state.checking ? { ...state, ...UNCHECKED, problems: action.problems, focus: top('problems-title') } : state;
    case 'turned':
      return state.checked === null ? state : { ...state, at: Math.min(Math.max(state.at + action.step, 0), state.checked.rows.length - 1) };
    case 'operatorKnown':
      // A person who has signed in on this page already stays signed in at the same place.
      return action.operator.isChoosing && (state.session === null || action.isRefused) ? { ...state, operator: action.operator } : state;
    case 'signedIn':
      return { ...state, session: action.session, ledgers: choiceFor(state.ledgers, state.session?.account, action.session?.account), domain: unknownDomain(state.domain) };
    case 'domainKnown':
    case 'domainChanged':
      return { ...state, domain: reduceDomain(state.domain, state.session, action) };
    case 'reviewerChosen':
      return { ...state, reviewer: action.account };
    case 'waiting':
      return { ...state, review: action.review, focus: top('working-title') };
    case 'issuing':
      return { ...state, isIssuing: action.isIssuing };
    case 'standingSought':
      return { ...state, standing: null };
    case 'standingFound':
      return action.checked === state.checked && action.ledger === state.ledgers.chosen ? { ...state, standing: action.standing } : state;
    case 'resumed':
      return { ...state, ...NO_TABLE, file: null, isSigning: true, resuming: action.batch };
    case 'started': {
      const { batch } = action;
      return { ...state, stage: 'working', running: batch, review: null, resuming: null, progress: { ...NOTHING, total: batch.rows.length }, answer: null, note: '', focus: top('working-title') };
    }
    case 'progressed':
      return { ...state, progress: action.progress };
    case 'failed':
      return { ...state, stage: 'making', review: null };
    case 'issued':
      return { ...state, stage: 'finished', review: null, done: { batch: action.batch, results: action.results, leftOut: action.leftOut }, note: '', focus: top('finished-title') };
    case 'saving':
      return { ...state, isSaving: action.isSaving, answer: action.isSaving ? null : state.answer };
    case 'begunAgain':
      return { ...state, ...NO_TABLE, file: null, stage: 'making', done: null, note: '', focus: top('table-title') };
    case 'left': {
      const { form, content } = state;
      const filled = form === null || content === null ? form : { ...form, document: content.document, shown: content.paths };
      return { ...state, form: filled, incomplete: [], answer: null, focus: null };
    }
    case 'restored': {
      const { template, kind, columns, document, paths, hidden } = action.unfinished;
      return { ...state, template, kind, file: action.file, wanted: columns, content: { document, paths, hidden, problems: [] } };
    }
    default:
      return { ...state, ledgers: reduceLedgers(state.ledgers, action) };
  }
}

function withMapping(state: State, { table, kind, template, guesses, remembered }: Extract<Action, { type: 'mapped' }>): State {
  // Another template leaves the focus at its choice.
  const focus = state.mapping === null ? top('columns-title') : state.focus;
  const { wanted } = state;
  if (wanted !== null) {
    const columns = table.columns.map((name, index) => rememberedColumn(name, template, wanted.columns[index]));
    return withForm({ ...state, wanted: null, mapping: { template, kind, columns, isRemembered: false }, keyColumn: wanted.keyColumn, focus });
  }
  if (remembered !== null) {
    const columns = table.columns.map((name, index) => rememberedColumn(name, template, remembered.columns[index]));
    return withForm({ ...state, mapping: { template, kind, columns, isRemembered: true }, keyColumn: remembered.keyColumn ?? keyGuess(table), focus });
  }
  const fields = template.name === OWN ? guesses : personGuesses(template.fields, table.columns, guesses);
  const columns = table.columns.map((name, index) => {
    const field = fields[index] ?? null;
    return { name, field, isPublic: field !== null && isShown(template, field), examples: [], readings: [], reading: null };
  });
  return withForm({ ...state, mapping: { template, kind, columns, isRemembered: false }, keyColumn: keyGuess(table), focus });
}

/** Returns a column with the choices of an earlier table. A field that the template does not have any more is left out. */
function rememberedColumn(name: string, { fields }: Template, choice: Remembered['columns'][number] | undefined): Column {
  const wanted = JSON.stringify(choice?.path ?? null);
  const field = fields.find(({ path }) => JSON.stringify(path) === wanted) ?? null;
  return { name, field, isPublic: field !== null && choice?.isPublic === true, examples: [], readings: [], reading: choice?.reading ?? null };
}

/** Changes one column. `isOther` is true if it has another field, so the fields without a column change, too. */
function withColumn(state: State, index: number, change: (column: Column, template: Template) => Column, isOther = false): State {
  if (state.mapping === null) {
    return state;
  }
  const { template, columns } = state.mapping;
  const changed = { ...state, ...UNCHECKED, mapping: { ...state.mapping, columns: columns.map((column, at) => (at === index ? change(column, template) : column)) } };
  return isOther ? withForm(changed) : changed;
}

/** Shows a form for the fields without a column. Keeps the values that were already filled in. */
function withForm(state: State): State {
  if (state.mapping === null) {
    return state;
  }
  const { template, columns } = state.mapping;
  const used = new Set(columns.map(({ field }) => field?.path[0]));
  const properties = Object.fromEntries(Object.entries(propertiesOf(template.schema)).filter(([key]) => !used.has(key)));
  const { content } = state;
  const form = {
    schema: { ...template.schema, properties },
    document: content === null ? template.document : content.document,
    shown: content === null ? template.shown : [...template.shown.filter((path) => !content.hidden.some((other) => isSame(path, other))), ...content.paths],
  };
  return { ...state, ...UNCHECKED, form, incomplete: [] };
}

const isSame = (one: Path, other: Path) => JSON.stringify(one) === JSON.stringify(other);

/** Adds the questions about columns whose fields are still the same. Keeps the answers that are still possible. */
function withQuestions(state: State, mapped: readonly (TableField | null)[], questions: readonly ColumnQuestion[]): State {
  if (state.mapping === null) {
    return state;
  }
  const columns = state.mapping.columns.map((column, index) => {
    if (column.field !== mapped[index]) {
      return column;
    }
    const { examples, readings } = questions.find((question) => question.column === index) ?? { examples: [], readings: [] };
    const reading = readings.some(({ name }) => name === column.reading) ? column.reading : null;
    return { ...column, examples, readings, reading };
  });
  return { ...state, mapping: { ...state.mapping, columns } };
}

function withChecked(state: State, checked: Checked): State {
  const { name } = checked.template.ledger;
  return { ...state, ...UNCHECKED, checked, at: 0, isSigning: true, ledgers: { ...state.ledgers, name }, focus: top('preview-title') };
}

/** Returns what is unfinished, or null without a table, or if all its rows are issued. A trial leaves rows. */
export function unfinishedOf(state: State): Unfinished | null {
  const { file, template, kind, content, stage } = state;
  const isDone = stage === 'finished' && restOf(state).length === 0;
  if (file === null || isDone) {
    return null;
  }
  const { document = {}, paths = [], hidden = [] } = content ?? {};
  return { template, kind, name: file.name, choices: file.choices, columns: choicesOf(state), document, paths, hidden };
}

/** Returns the checked rows that a trial has left. */
export function restOf({ checked, standing, done }: Pick<State, 'checked' | 'standing' | 'done'>): readonly BatchRow[] {
  const issued = new Set(done?.results.map(({ key }) => key));
  return (standing?.fresh ?? checked?.rows ?? []).filter(({ key }) => !issued.has(key));
}

/** Returns the choices about the columns, as the browser keeps them. */
export function choicesOf({ mapping, keyColumn, wanted }: State): Remembered | null {
  return mapping === null ? wanted : { columns: mapping.columns.map(({ field, isPublic, reading }) => ({ path: field?.path ?? null, isPublic, reading })), keyColumn };
}

/** Returns true for an unfinished list as `unfinishedOf` returns it. */
export function isUnfinished(value: unknown): value is Unfinished {
  if (!isObject(value)) {
    return false;
  }
  const { template, kind, name, choices, columns, document, paths, hidden } = value;
  const isChoice = (choice: unknown) => choice === null || typeof choice === 'string';
  const isTemplate = template === OWN || TEMPLATES.some((one) => one === template);
  const areChoices = isObject(choices) && ['encoding', 'delimiter', 'sheet'].every((key) => isChoice(own(choices, key)));
  const arePaths = [paths, hidden].every((list) => Array.isArray(list) && list.every(isPath));
  return isTemplate && typeof kind === 'string' && typeof name === 'string' && areChoices && (columns === null || isRemembered(columns)) && isObject(document) && arePaths;
}

/** Returns the properties of an object's schema. */
export function propertiesOf(schema: JsonObject): JsonObject {
  const properties = own(schema, 'properties');
  return isObject(properties) ? properties : {};
}

const isShown = (template: Template, { path }: TableField): boolean => template.shown.some((above) => isBelow(path, above));

/**
 * Corrects guesses for a template whose key `name` is the public title of the certificate, such as the name of a course. A column `Name` usually
 * has the names of people, so it becomes the holder instead.
 */
function personGuesses(fields: readonly TableField[], columns: readonly string[], guesses: readonly (TableField | null)[]): readonly (TableField | null)[] {
  const holder = fields.find(({ path }) => path[0] === 'holder');
  const instead = holder === undefined || guesses.includes(holder) ? null : holder;
  const isTitle = (field: TableField | null, column = '') => field?.path[0] === 'name' && field.title?.toLowerCase() !== column.trim().toLowerCase();
  return guesses.map((field, index) => (isTitle(field, columns[index]) ? instead : field));
}

/** Returns true for a short number or a date. Other lists have the same ones for other people. */
const isQuantity = (cell: string): boolean => /^[-+]?\d{1,4}([.,]\d+)?$/.test(cell) || /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/.test(cell);

/**
 * Returns the index of the first column that can identify the rows, or null: its cells are all different, and none is empty. Columns of numbers and
 * e-mail addresses come before columns of names.
 */
function keyGuess({ columns, rows }: Table): number | null {
  const cells = columns.map((_, index) => rows.map((row) => row.cells[index]?.trim() ?? ''));
  const fits = cells.map((of) => new Set(of).size === rows.length && !of.includes('') && !of.every(isQuantity));
  const isCode = (index: number) => cells[index]?.every((cell) => /^\S*[\d@]\S*$/.test(cell)) ?? false;
  const found = [fits.findIndex((fit, index) => fit && isCode(index)), fits.indexOf(true)].find((index) => index >= 0);
  return found ?? null;
}
