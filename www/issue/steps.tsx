// The first steps: the template, and the form with its preview.
import { TEMPLATES } from '/view/templates.ts';
import { say } from '/lib/texts.ts';
import { refusal } from '/components/answer.ts';
import { Form } from '/components/form.tsx';
import { Paper } from '/components/paper.tsx';
import { publicPart } from '/components/public-part.ts';
import { useMemo } from 'preact/hooks';
import { type Dispatch, choose, readExample } from './making.ts';
import { OTHER, type State } from './state.ts';

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

export function TemplateStep({ state, dispatch }: Properties) {
  const { choice, example, kind, step } = state;
  const choices = [
    ...TEMPLATES.map((name) => ({ value: name, title: say(`template.${name}.title`), hint: say(`template.${name}.hint`) })),
    { value: OTHER, title: say('issue.otherTitle'), hint: say('issue.otherHint') },
  ] as const;
  return (
    <section aria-labelledby="template-title">
      <h2 id="template-title">{say('issue.templateTitle')}</h2>
      <div class="templates" id="templates" role="radiogroup" aria-labelledby="template-title" inert={step !== null}>
        {choices.map(({ value, title, hint }) => (
          <label>
            <input type="radio" name="template" value={value} checked={value === choice} aria-describedby={`hint-${value}`} onChange={() => choose(value, dispatch)} />
            {title}
            <span class="hint" id={`hint-${value}`}>
              {hint}
            </span>
          </label>
        ))}
      </div>
      <div class="field" id="other" hidden={choice !== OTHER}>
        <label for="example">{say('issue.example')}</label>
        <p class="hint" id="example-hint">
          {say('issue.exampleHint')}
        </p>
        <textarea
          id="example"
          rows={6}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-describedby="example-hint"
          value={example}
          onInput={({ currentTarget }) => dispatch({ type: 'exampleEntered', example: currentTarget.value })}
        />
        <label for="kind">{say('issue.kind')}</label>
        <input id="kind" maxLength={80} autocomplete="off" aria-describedby="kind-hint" value={kind} onInput={({ currentTarget }) => dispatch({ type: 'kindNamed', kind: currentTarget.value })} />
        <p class="hint" id="kind-hint">
          {say('issue.kindHint')}
        </p>
        <p class="actions">
          <button type="button" id="make-form" onClick={() => readExample(state, dispatch)}>
            {say('issue.makeForm')}
          </button>
        </p>
      </div>
    </section>
  );
}

export function FormStep({ state, dispatch }: Properties) {
  const { template, form, content, incomplete, whole, step } = state;
  const part = useMemo(() => (template === null || content === null ? null : publicPart(template.schema, content)), [template, content]);
  return (
    <div class="holding" id="filling" hidden={form === null} inert={step !== null}>
      <section aria-labelledby="form-title">
        <h2 id="form-title" tabIndex={-1}>
          {say('issue.formTitle')}
        </h2>
        <p class="hint">{say('issue.formHint')}</p>
        <p class="hint" id="shown-whole">
          {whole}
        </p>
        {form !== null && (
          <Form
            id="form"
            spec={form}
            problems={incomplete}
            shown={(content) => dispatch({ type: 'formShown', content })}
            changed={(content) => dispatch({ type: 'formChanged', content })}
            failed={(error) => dispatch({ type: 'formRefused', answer: refusal(error) })}
          />
        )}
      </section>
      <section class="preview" aria-labelledby="preview-title">
        <h2 id="preview-title">{say('issue.previewTitle')}</h2>
        {part !== null && <Paper id="paper" certificate={part.certificate} hidden={part.hidden} level={3} />}
      </section>
    </div>
  );
}
