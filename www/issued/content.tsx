// The form that replaces a certificate. This part of the page is loaded with the first certificate to replace.
import { ActionKind, priceOf } from '/client/index.js';
import { say } from '/lib/texts.ts';
import { FileField } from '/components/file-field.tsx';
import { Form } from '/components/form.tsx';
import { Price } from '/components/tokens.tsx';
import { type Dispatch, refusal } from './certificates.ts';
import { openContent, replace } from './replacing.ts';
import type { State } from './state.ts';

export function Content({ state, dispatch }: { readonly state: State; readonly dispatch: Dispatch }) {
  const { session, replacement, isBusy } = state;
  const form = replacement?.form ?? null;
  return (
    <>
      <div id="replace-source">
        <p class="actions">
          <FileField
            id="replace-file"
            accept=".json,application/json,.pdf,application/pdf"
            label={say('issued.replaceFile')}
            chosen={(file) => replacement !== null && openContent(replacement, file, dispatch)}
          />
        </p>
        <p class="hint">{say('issued.replaceFileHint')}</p>
      </div>
      <div id="replace-content" hidden={form === null}>
        {replacement !== null && form !== null && (
          <Form
            id="replace-form"
            spec={form}
            problems={replacement.incomplete}
            shown={(content) => dispatch({ type: 'contentChanged', content })}
            changed={(content) => dispatch({ type: 'contentChanged', content })}
            failed={(error) => dispatch({ type: 'contentRefused', answer: refusal(error) })}
          />
        )}
        <p class="hint">{say('issued.replaceSaved')}</p>
        <Price id="replace-costs" session={session} of={(costs) => priceOf([{ kind: ActionKind.UPDATE_ASSET_IMPRINT }], costs)} />
        <p class="actions">
          <button type="button" class="primary" id="replace-now" disabled={isBusy} onClick={() => replace(state, dispatch)}>
            {say('issued.replaceNow')}
          </button>
        </p>
      </div>
    </>
  );
}
