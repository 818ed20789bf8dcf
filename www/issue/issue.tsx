// The page that issues one certificate: a template, a form, a signer, and then all steps until the certificate is on the ledger.
import { byId } from '/lib/page.ts';
import { operatorOf, showOperator } from '/lib/operator.ts';
import { offerLanguages, say, translate } from '/lib/texts.ts';
import { refusal, useAnswer, useFocus } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import { render } from 'preact';
import { useEffect, useLayoutEffect, useReducer } from 'preact/hooks';
import { START, reduce } from './state.ts';
import { FormStep, TemplateStep } from './steps.tsx';

function Page() {
  const [state, dispatch] = useReducer(reduce, START);
  const { template, issued, isSaved, session, operator, isIssuing } = state;
  const refuse = (error: unknown) => dispatch({ type: 'answered', answer: refusal(error) });
  const signing = usePart(template !== null, () => import('./signing.tsx'), refuse);
  const chosen = usePart(operator !== null, () => import('/components/chosen.tsx'), refuse);
  useEffect(() => {
    operatorOf()
      .then((operator) => dispatch({ type: 'operatorKnown', operator }))
      .catch(() => {});
  }, []);
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
        {operator !== null && chosen !== null && <chosen.Chosen operator={operator} session={session} changed={(signedIn) => dispatch({ type: 'signedIn', session: signedIn })} isInert={isIssuing} />}
        <TemplateStep state={state} dispatch={dispatch} />
        <FormStep state={state} dispatch={dispatch} />
        {signing !== null && <signing.SignStep state={state} dispatch={dispatch} />}
        <p class="hint">
          <a href="/issued/">{say('many.issued')}</a> · <a href="/certify/">{say('issue.expert')}</a>
        </p>
      </div>
      {signing !== null && <signing.Done state={state} dispatch={dispatch} />}
    </>
  );
}

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));
render(<Page />, byId('page'));
