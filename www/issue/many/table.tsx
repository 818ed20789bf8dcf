// The first step: what is issued, and the table.
import { Refusal, visible } from '/view/json.ts';
import { TEMPLATES } from '/view/templates.ts';
import { MAX_ROWS } from '/lib/tables.ts';
import { locale, say } from '/lib/texts.ts';
import { useDrop } from '/components/drop.ts';
import { FileField } from '/components/file-field.tsx';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { refusal } from '/components/answer.ts';
import { spellingsOf } from './encodings.ts';
import { type Dispatch, loadList, open, read } from './reading.ts';
import { type GivenFile, OWN, type State } from './state.ts';

export function TableStep({ state, dispatch }: { readonly state: State; readonly dispatch: Dispatch }) {
  const { template, kind, table, file } = state;
  const isOver = useDrop(([dropped]) => {
    if (dropped !== undefined && state.stage === 'making') {
      open(dropped, dispatch);
    }
  });
  return (
    <section aria-labelledby="table-title">
      <h2 id="table-title" tabIndex={-1}>
        {say('many.tableTitle')}
      </h2>
      <p>
        <label for="template">{say('many.template')}</label>{' '}
        <select id="template" value={template} onChange={({ currentTarget: { value } }) => dispatch({ type: 'templateChosen', name: TEMPLATES.find((name) => name === value) ?? OWN })}>
          {TEMPLATES.map((name) => (
            <option value={name}>{say(`template.${name}.title`)}</option>
          ))}
          <option value={OWN}>{say('many.own')}</option>
        </select>
      </p>
      <div id="kind-field" hidden={template !== OWN}>
        <label for="kind">{say('issue.kind')}</label>
        <input
          id="kind"
          maxLength={80}
          autocomplete="off"
          aria-describedby="kind-hint"
          value={kind}
          onChange={({ currentTarget }) => dispatch({ type: 'kindNamed', kind: currentTarget.value.trim() })}
        />
        <p class="hint" id="kind-hint">
          {say('issue.kindHint')}
        </p>
      </div>
      <div class={isOver ? 'drop over' : 'drop'} id="drop">
        <p class="drop-line" id="drop-line">
          {table === null ? say('many.drop') : say('many.read', { name: file?.name, count: table.rows.length + table.errors.length })}
        </p>
        <FileField id="file" accept=".csv,.txt,.tsv,.xlsx,.ods,text/csv" label={say('share.choose')} chosen={(chosen) => open(chosen, dispatch)} />
        <p class="hint">{say('many.dropHint')}</p>
        <p class="hint" id="row-limit">
          {say('many.limit', { most: new Intl.NumberFormat(locale).format(MAX_ROWS), command: 'cert batch' })}
        </p>
      </div>
      <p class="actions">
        <span class="hint">{say('many.loadHint')}</span>{' '}
        <FileField id="list-file" accept=".json,application/json" label={say('many.loadList')} kind="choose second" chosen={(chosen) => loadList(chosen, dispatch)} />
      </p>
      <Questions state={state} dispatch={dispatch} />
    </section>
  );
}

const DELIMITERS = [
  [',', 'many.comma'],
  [';', 'many.semicolon'],
  ['\t', 'many.tab'],
] as const;

/** Asks how the file is to be read. */
function Questions({ state: { question, file }, dispatch }: { readonly state: State; readonly dispatch: Dispatch }) {
  const about = question?.about;
  const choose = (choice: Partial<GivenFile['choices']>) => file !== null && read({ ...file, choices: { ...file.choices, ...choice } }, dispatch);
  const options = question?.options ?? [];
  return (
    <>
      <QuestionField id="encoding" text={question?.text} isAsked={about === 'encoding'}>
        <button type="button" class="primary" id="encoding-yes" onClick={() => choose({ encoding: options[0] ?? null })}>
          {say('many.encodingYes')}
        </button>{' '}
        <button type="button" id="encoding-no" onClick={() => file !== null && dispatch({ type: 'asked', file, question: { about: 'spelling', text: say('many.encodingWhich'), options: [] } })}>
          {say('many.encodingNo')}
        </button>
      </QuestionField>
      <QuestionField id="spelling" text={question?.text} isAsked={about === 'spelling'} actions="spellings">
        {about === 'spelling' &&
          file !== null &&
          spellingsOf(file.bytes).map(({ encoding, words }) => (
            <button type="button" title={encoding} onClick={() => choose({ encoding })}>
              {visible(words)}
            </button>
          ))}
        <button type="button" id="encoding-none" onClick={() => dispatch({ type: 'unread', file, answer: refusal(Refusal.of('many.encodingOther')) })}>
          {say('many.encodingNone')}
        </button>
      </QuestionField>
      <QuestionField id="separator" text={question?.text} isAsked={about === 'delimiter'}>
        {DELIMITERS.map(([delimiter, name]) => (
          <button type="button" onClick={() => choose({ delimiter })}>
            {say(name)}
          </button>
        ))}
      </QuestionField>
      <QuestionField id="sheets" text={question?.text} isAsked={about === 'sheet'} actions="sheet-names">
        {about === 'sheet' &&
          options.map((sheet) => (
            <button type="button" onClick={() => choose({ sheet })}>
              {visible(sheet)}
            </button>
          ))}
      </QuestionField>
    </>
  );
}

interface QuestionProperties {
  readonly id: string;
  readonly text: string | undefined;
  readonly isAsked: boolean;
  readonly actions?: string;
  readonly children: ComponentChildren;
}

/** A question with a button for each answer. The first button gets the focus. */
function QuestionField({ id, text, isAsked, actions, children }: QuestionProperties) {
  const field = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isAsked) {
      field.current?.querySelector('button')?.focus();
    }
  }, [isAsked, text]);
  return (
    <div class="field" id={id} hidden={!isAsked} ref={field}>
      <p id={`${id}-text`}>{isAsked ? text : ''}</p>
      <p class="actions" id={actions}>
        {children}
      </p>
    </div>
  );
}
