// Side effects on the rows of a table: guesses the fields of its columns, and checks all rows. Workers do the work.
import type { Tasks } from '../../workers/documents/batch.ts';
import type { BatchRow } from '/lib/batches.ts';
import { beside } from '/lib/beside.ts';
import { doubtsConfirmation } from '/lib/doubts.ts';
import { schemaAt } from '/view/certified.ts';
import { nameOf } from '/view/display.ts';
import { describes, withAssetFields } from '/view/issue.ts';
import { Refusal, pathText, valueAt, visible } from '/view/json.ts';
import { sentence } from '/lib/sentence.ts';
import { serviceOf } from '/lib/service.ts';
import { type Table, type TableField, type TableRow, documentsOf, doubtsOfRows, fieldsFor, questionsOf } from '/lib/tables.ts';
import { type TemplateName, parseField, problemsOf, schemaFrom, templateOf, today } from '/view/templates.ts';
import { listText, say } from '/lib/texts.ts';
import { loadTitles } from '/lib/titles.ts';
import type { JsonObject, Path } from '/view/json.ts';
import { busy, refusal } from '/components/answer.ts';
import { isBelow } from '/components/paths.ts';
import type { Dispatch } from './reading.ts';
import { recall, remember } from './remembered.ts';
import { type Column, OWN, type Problem, type State, type Template, choicesOf } from './state.ts';

const confirmDoubts = doubtsConfirmation({ say, listText });

export const { ask } = beside<Tasks>(new URL('../../workers/documents/batch.ts', import.meta.url));

/** Finds the template's fields, and guesses the field of each column. */
export async function suggest({ table, template: name, kind }: State, dispatch: Dispatch): Promise<void> {
  if (table === null) {
    return;
  }
  try {
    const chosen = name === OWN ? ownTemplate(table, kind) : namedTemplate(name, (await serviceOf()).isOnChain);
    const { fields, guesses: own } = await fieldsFor(chosen.schema, table.columns);
    const guesses = name === OWN || !own.includes(null) ? own : await guessedInAnyLanguage(chosen, table.columns, { fields, guesses: own });
    const document = describes(chosen.schema, 'issuedAt') ? { issuedAt: today() } : {};
    dispatch({ type: 'mapped', table, kind, template: { ...chosen, fields, document }, guesses, remembered: recall(name, table.columns) });
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Completes guesses with the titles in the other languages of the pages, because a table can come from another office. A field gets at most one column. */
async function guessedInAnyLanguage({ schemaIn }: Unread, columns: string[], { fields, guesses }: Awaited<ReturnType<typeof fieldsFor>>): Promise<(TableField | null)[]> {
  const found = [...guesses];
  for (const [, sayIn] of await loadTitles()) {
    const { guesses: others } = await fieldsFor(schemaIn(sayIn), columns);
    for (const [index, other] of others.entries()) {
      const field = fields.find(({ path }) => other !== null && pathText(path) === pathText(other.path)) ?? null;
      if (found[index] === null && !found.includes(field)) {
        found[index] = field;
      }
    }
  }
  return found;
}

type Unread = Omit<Template, 'fields' | 'document'>;

function namedTemplate(name: TemplateName, isOnChain: boolean): Unread {
  return { ...templateOf(name, say, isOnChain), schemaIn: (say) => templateOf(name, say, isOnChain).schema };
}

/** Makes a template from the table's own columns. Each field is a string, even if the first row has a number. */
function ownTemplate({ columns }: Table, kind: string): Unread {
  const example = Object.fromEntries(columns.map((column) => [column, '']));
  const schemaIn: Template['schemaIn'] = (say) => schemaFrom(example, kind || say('template.own.title'));
  return { name: OWN, schema: schemaIn(say), schemaIn, shown: columns.slice(0, 1).map((column) => [column]), ledger: { name: kind, symbol: 'CERT' } };
}

/** Asks once for each column how it writes dates and numbers, if another way than the certificate's is possible. */
export async function askReadings({ table, mapping }: State, dispatch: Dispatch): Promise<void> {
  if (table === null || mapping === null) {
    return;
  }
  const mapped = mapping.columns.map(({ field }) => field);
  try {
    dispatch({ type: 'columnsAsked', table, mapped, questions: await questionsOf(mapping.template.schema, table.rows, mapped) });
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Returns the titles along a field's path. */
export const labelOf = ({ schema }: Template, { path }: TableField): string => path.map((_, index) => nameOf(schema, path.slice(0, index + 1))).join(' · ');

/** Checks all rows: their values, and that their public paths can be shown. Values that can hardly be meant have to be confirmed. */
export async function check(state: State, dispatch: Dispatch): Promise<void> {
  const { file, table, mapping, content, keyColumn: key } = state;
  if (file === null || table === null || mapping === null || content === null) {
    return;
  }
  const { template, columns } = mapping;
  const check = {};
  try {
    if (content.problems.length > 0) {
      throw Refusal.of('issue.incomplete', { count: content.problems.length });
    }
    checkMapping(template, columns);
    const choices = choicesOf(state);
    if (choices !== null) {
      remember(template.name, table.columns, choices);
    }
    const paths = [...pathsOf(columns, true), ...content.paths];
    if (paths.length === 0) {
      throw Refusal.of('issue.nothingPublic');
    }
    dispatch({ type: 'checking', check, answer: busy(say('many.checking')) });
    const { rows, problems } = await checkRows(template, table, columns, { same: content.document, paths, key });
    if (problems.length > 0) {
      dispatch({ type: 'problemsFound', check, problems });
      return;
    }
    const schema = withAssetFields(template.schema);
    const mapped = columns.map(({ field }) => field);
    // The rows may have been checked again with other readings or values.
    confirmDoubts(schema, await doubtsOfRows(schema, rows, mapped), JSON.stringify(rows));
    const hidden = [...pathsOf(columns, false), ...content.hidden];
    const keyColumn = key === null ? null : (table.columns[key] ?? null);
    dispatch({ type: 'checked', check, checked: { name: file.name, table, template, keyColumn, schema, mapped, paths, hidden, rows } });
  } catch (error) {
    dispatch({ type: 'refusedCheck', answer: refusal(error), incomplete: [...content.problems] });
  }
}

/** Refuses a field with two columns, a column whose reading is not chosen, and a table without fields. */
function checkMapping(template: Template, columns: readonly Column[]): void {
  const twice = columns.find(({ field }, index) => field !== null && columns.findIndex((other) => other.field === field) < index)?.field;
  if (twice) {
    throw Refusal.of('many.twice', { field: labelOf(template, twice) });
  }
  const open = columns.find(({ readings, reading }) => readings.length > 0 && reading === null);
  if (open !== undefined) {
    throw Refusal.of('many.readingOpen', { column: visible(open.name) });
  }
  if (columns.every(({ field }) => field === null)) {
    throw Refusal.of('many.nothing');
  }
}

const pathsOf = (columns: readonly Column[], isWanted: boolean): Path[] => columns.flatMap(({ field, isPublic }) => (field !== null && isPublic === isWanted ? [field.path] : []));

interface Settings {
  /** The values that all rows share. */
  readonly same: JsonObject;
  readonly paths: readonly Path[];
  /** The index of the column that identifies the rows, or null. */
  readonly key: number | null;
}

/** Returns the rows as documents, and all problems in the order of the rows. */
async function checkRows({ schema }: Template, table: Table, columns: readonly Column[], { same, paths, key: keyColumn }: Settings): Promise<{ rows: BatchRow[]; problems: readonly Problem[] }> {
  const mapped = columns.map(({ field }) => field);
  const { documents, keys, errors } = await documentsOf(schema, table, { mapped, readings: columns.map(({ reading }) => reading), key: keyColumn });
  const problems: Problem[] = [...table.errors, ...errors].map(({ row, column, key, values }) => ({ row, column, text: say(key, values) }));
  const wrong = new Set(errors.map(({ row }) => row));
  const rows: BatchRow[] = [];
  for (const [index, one] of table.rows.entries()) {
    const [document, key] = [documents[index] ?? null, keys[index]];
    if (document === null || key === undefined) {
      continue;
    }
    const whole = { ...same, ...document };
    const found = [...formProblems(schema, table, one, mapped, document), ...missingProblems(schema, table, one, mapped, whole)];
    problems.push(...found);
    if (found.length === 0 && !wrong.has(one.row)) {
      rows.push({ row: one.row, cells: one.cells, key, document: whole });
    }
  }
  const refused = await ask('check', { schema: withAssetFields(schema), paths, rows: rows.map(({ row, document }) => ({ row, document })) });
  problems.push(...refused.map(({ row, path, message }) => ({ row, column: columnOf(schema, table, mapped, path), text: message })));
  return { rows, problems: problems.toSorted((one, other) => one.row - other.row) };
}

type Mapped = readonly (TableField | null)[];

/** Returns the problems of cells whose text does not have the format that the schema requires, such as a date. */
function formProblems(schema: JsonObject, { columns }: Table, { row }: TableRow, mapped: Mapped, document: JsonObject): Problem[] {
  return mapped.flatMap((field, index) => {
    const value = field === null ? undefined : valueAt(document, field.path);
    if (field === null || typeof value !== 'string') {
      return [];
    }
    try {
      parseField(schemaAt(schema, field.path), value);
      return [];
    } catch (error) {
      return [{ row, column: columns[index] ?? null, text: sentence(error) }];
    }
  });
}

const missingProblems = (schema: JsonObject, table: Table, { row }: TableRow, mapped: Mapped, document: JsonObject): Problem[] =>
  problemsOf(schema, document).map(({ path, key, values }) => ({ row, column: columnOf(schema, table, mapped, path), text: say(key, values) }));

/** Returns the column of a path, or the name of its field. */
function columnOf(schema: JsonObject, { columns }: Table, mapped: Mapped, path: Path): string | null {
  const index = mapped.findIndex((field) => field !== null && isBelow(path, field.path));
  return index < 0 ? visible(nameOf(schema, path) ?? pathText(path)) : (columns[index] ?? null);
}
