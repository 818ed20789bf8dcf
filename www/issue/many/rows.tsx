// The steps that follow the table: what its columns mean, the problems of its rows, and the preview. Loaded with the first table.
import type { BatchRow } from '/lib/batches.ts';
import { valueAt, visible } from '/view/json.ts';
import type { Table, TableField } from '/lib/tables.ts';
import { dayText, say } from '/lib/texts.ts';
import { isDay } from '/view/templates.ts';
import { refusal } from '/components/answer.ts';
import { Form } from '/components/form.tsx';
import { Paper } from '/components/paper.tsx';
import { publicPart, wholeOf } from '/components/public-part.ts';
import { Certified } from '/components/text.tsx';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { askReadings, check, labelOf, suggest } from './checking.ts';
import type { Dispatch } from './reading.ts';
import { type Checked, type Column, type State, type Template, propertiesOf } from './state.ts';

/** The value of the option for nothing. */
const NONE = '';
/** The maximum length of an example, in UTF-16 code units. */
const MAX_EXAMPLE = 60;
/** The maximum number of problems that are shown. */
const MAX_SHOWN = 200;

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

export function RowSteps({ state, dispatch }: Properties) {
  const { table, template, kind, mapping, checked, at } = state;
  const row = checked?.rows[at];
  useEffect(() => {
    // A view that is shown again knows the columns already.
    if (mapping === null || mapping.template.name !== template || mapping.kind !== kind) {
      suggest(state, dispatch);
    }
  }, [table, template, kind]);
  // Only another field asks again.
  const fields = mapping?.columns.map(({ field }) => numberOf(mapping.template, field)).join();
  useEffect(() => {
    askReadings(state, dispatch);
  }, [mapping?.template, fields]);
  return (
    <>
      <Columns state={state} dispatch={dispatch} />
      <Problems problems={state.problems} />
      {checked !== null && row !== undefined && <Preview checked={checked} row={row} at={at} dispatch={dispatch} />}
    </>
  );
}

function Columns({ state, dispatch }: Properties) {
  const { table, mapping, keyColumn, form, incomplete } = state;
  return (
    <section id="columns" aria-labelledby="columns-title" hidden={table === null || mapping === null}>
      <h2 id="columns-title" tabIndex={-1}>
        {say('many.columnsTitle')}
      </h2>
      <p class="hint">{say('issue.formHint')}</p>
      <p class="hint" id="above">
        {table !== null && table.header > 1 ? say('many.above', { row: table.header }) : ''}
      </p>
      <p class="hint" id="remembered">
        {mapping?.isRemembered ? say('many.remembered') : ''}
      </p>
      <ul class="mapping" id="mapping">
        {table !== null && mapping?.columns.map((column, index) => <ColumnItem table={table} template={mapping.template} column={column} index={index} dispatch={dispatch} />)}
      </ul>
      <p>
        <label for="key-column">{say('many.key')}</label>{' '}
        <select
          id="key-column"
          aria-describedby="key-hint"
          value={keyColumn ?? NONE}
          onChange={({ currentTarget: { value } }) => dispatch({ type: 'keyChosen', column: value === NONE ? null : Number(value) })}
        >
          {table?.columns.map((column, index) => (
            <option value={index}>{column}</option>
          ))}
          <option value={NONE}>{say('many.keyNone')}</option>
        </select>
      </p>
      <p class="hint" id="key-hint">
        {say('many.keyHint')}
      </p>
      <div id="same" hidden={form === null || Object.keys(propertiesOf(form.schema)).length === 0}>
        <h3>{say('many.sameTitle')}</h3>
        {form !== null && (
          <Form
            id="form"
            spec={form}
            problems={incomplete}
            shown={(content) => dispatch({ type: 'formShown', content })}
            changed={(content) => dispatch({ type: 'formChanged', content })}
            failed={(error) => dispatch({ type: 'answered', answer: refusal(error) })}
          />
        )}
      </div>
      <p class="actions">
        <button type="button" class="primary" id="check" onClick={() => check(state, dispatch)}>
          {say('many.check')}
        </button>
      </p>
    </section>
  );
}

/** Returns the value of the option for a field. */
const numberOf = ({ fields }: Template, field: TableField | null) => (field === null ? NONE : fields.indexOf(field));

interface ColumnProperties {
  readonly table: Table;
  readonly template: Template;
  readonly column: Column;
  readonly index: number;
  readonly dispatch: Dispatch;
}

function ColumnItem({ table, template, column, index, dispatch }: ColumnProperties) {
  const { field, isPublic, readings } = column;
  const name = visible(column.name);
  const example = table.rows.find(({ cells }) => cells[index] !== '')?.cells[index] ?? '';
  const choose = (value: string) => dispatch({ type: 'fieldChosen', column: index, field: value === NONE ? null : (template.fields[Number(value)] ?? null) });
  return (
    <li>
      <span class="name">
        <Certified text={name} />
        <Certified text={visible(example.slice(0, MAX_EXAMPLE))} kind="hint" />
      </span>
      <select aria-label={say('many.becomes', { column: name })} value={numberOf(template, field)} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value={NONE}>{say('many.leftOut')}</option>
        {template.fields.map((offered, number) => (
          <option value={number}>{labelOf(template, offered)}</option>
        ))}
      </select>
      <label>
        <input type="checkbox" disabled={field === null} checked={isPublic} onChange={({ currentTarget }) => dispatch({ type: 'publicTicked', column: index, isPublic: currentTarget.checked })} />{' '}
        {say('form.public')}
      </label>
      {readings.length > 0 && <ReadingChoice name={name} column={column} chosen={(reading) => dispatch({ type: 'readingChosen', column: index, reading })} />}
    </li>
  );
}

/** Returns a certified date as certificates show it, and a number as it is certified. */
const readText = (text: string) => (isDay(text) ? dayText(text) : text);

/** Asks how a column writes its dates or numbers, and shows what the examples would become. */
function ReadingChoice({ name, column, chosen }: { readonly name: string; readonly column: Column; readonly chosen: (reading: string | null) => void }) {
  const { examples, readings, reading } = column;
  // A list with commas would be hard to read between decimal commas.
  const shown = (texts: readonly string[]) => examples.map((cell, index) => `${visible(cell.trim())} → ${readText(texts[index] ?? '')}`).join('; ');
  return (
    <p class="reading">
      {say('many.readingAsk')}{' '}
      <select aria-label={say('many.readingOf', { column: name })} value={reading ?? NONE} onChange={({ currentTarget: { value } }) => chosen(value === NONE ? null : value)}>
        <option value={NONE}>{say('many.readingNone')}</option>
        {readings.map((offered) => (
          <option value={offered.name}>{say(`many.means.${offered.name}`, { list: shown(offered.texts) })}</option>
        ))}
      </select>
    </p>
  );
}

function Problems({ problems }: Pick<State, 'problems'>) {
  return (
    <section id="problems" aria-labelledby="problems-title" hidden={problems.length === 0}>
      <h2 id="problems-title" tabIndex={-1}>
        {problems.length === 0 ? '' : say('many.problemsTitle', { count: problems.length })}
      </h2>
      <p class="hint">{say('many.problemsHint')}</p>
      <table class="problems">
        <thead>
          <tr>
            <th scope="col">{say('many.row')}</th>
            <th scope="col">{say('many.column')}</th>
            <th scope="col">{say('many.problem')}</th>
          </tr>
        </thead>
        <tbody id="problem-rows">
          {problems.slice(0, MAX_SHOWN).map(({ row, column, text }) => (
            <tr>
              <th scope="row">{row}</th>
              <td>
                <Certified text={visible(column ?? '–')} />
              </td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Shows the public part of one row as a certificate with the names of the other fields, and then the whole certificate as its holder can show it. */
function Preview({ checked, row, at, dispatch }: { readonly checked: Checked; readonly row: BatchRow; readonly at: number; readonly dispatch: Dispatch }) {
  const { length } = checked.rows;
  const draw = () => {
    const { schema, paths } = checked;
    const { document } = row;
    return publicPart(schema, { document, paths, hidden: checked.hidden.filter((path) => valueAt(document, path) !== undefined) });
  };
  const { certificate, hidden } = useMemo(draw, [checked, row]);
  const whole = useMemo(() => wholeOf(checked.schema, row.document), [checked, row]);
  const [isMissing, setIsMissing] = useState(false);
  const find = (text: string) => {
    const wanted = text.trim().toLowerCase();
    const found = checked.rows.findIndex(({ cells }) => cells.some((cell) => cell.toLowerCase().includes(wanted)));
    setIsMissing(found < 0);
    if (found >= 0) {
      dispatch({ type: 'turned', step: found - at });
    }
  };
  return (
    <section id="preview" aria-labelledby="preview-title">
      <h2 id="preview-title" tabIndex={-1}>
        {say('many.previewTitle')}
      </h2>
      <p class="actions">
        <button type="button" id="previous" disabled={at === 0} onClick={() => dispatch({ type: 'turned', step: -1 })}>
          {say('many.previous')}
        </button>{' '}
        <span id="preview-row" role="status">
          {say('many.rowOf', { row: row.row, count: length })}
        </span>{' '}
        <button type="button" id="next" disabled={at === length - 1} onClick={() => dispatch({ type: 'turned', step: 1 })}>
          {say('many.next')}
        </button>{' '}
        <input type="search" id="find-row" aria-label={say('many.find')} placeholder={say('many.find')} autocomplete="off" onInput={({ currentTarget }) => find(currentTarget.value)} />{' '}
        <span class="note" id="find-note" role="status">
          {isMissing ? say('many.findNone') : ''}
        </span>
      </p>
      <Paper id="paper" certificate={certificate} hidden={hidden} level={3} />
      {hidden.length > 0 && (
        <>
          <h3>{say('many.holderTitle')}</h3>
          <Paper id="holder-paper" certificate={whole} hidden={[]} level={3} />
        </>
      )}
    </section>
  );
}
