// The page that issues one certificate: a template, a form, a signer, and then all steps until the certificate is on the ledger.
import { byId } from '/lib/page.ts';
import { offerLanguages, say, translate } from '/lib/texts.ts';
import { refusal, useAnswer, useFocus } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import { render } from 'preact';
import { useLayoutEffect, useReducer } from 'preact/hooks';
import { START, reduce } from './state.ts';
import { FormStep, TemplateStep } from './steps.tsx';

function Page() {
  const [state, dispatch] = useReducer(reduce, START);
  const { template, issued, isSaved, session } = state;
  const signing = usePart(
    template !== null,
    () => import('./signing.tsx'),
    (error) => dispatch({ type: 'answered', answer: refusal(error) }),
  );
  useLayoutEffect(() => {
    byId('intro').hidden = issued !== null;
  }, [issued]);
  useLayoutEffect(() => {
    // Until the holder's file and a new key are saved, they exist only on this page.
    const stay = (event: Event) => ((issued !== null && !isSaved) || session?.isUnsaved) && event.preventDefault();
    addEventListener('beforeunload', stay);
    return () => removeEventListener('beforeunload', stay);
  }, [issued, isSaved, session]);
  useFocus(state.focus);
  useAnswer(state.answer);
  return (
    <>
      <div id="making" hidden={issued !== null}>
        <TemplateStep state={state} dispatch={dispatch} />
        <FormStep state={state} dispatch={dispatch} />
        {signing !== null && <signing.SignStep state={state} dispatch={dispatch} />}
        <p class="hint">
          <a href="/issue/many/">{say('issued.many')}</a> · <a href="/issued/">{say('many.issued')}</a> · <a href="/certify/">{say('issue.expert')}</a>
        </p>
      </div>
      {signing !== null && <signing.Done state={state} dispatch={dispatch} />}
    </>
  );
}

translate();
offerLanguages(byId('languages'));
render(<Page />, byId('page'));
