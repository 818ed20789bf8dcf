// Issues one certificate: a template, a form, a signer, and then all steps until the certificate is on the ledger. A page of its own, and a view of the console.
import { byId } from '/lib/page.ts';
import { operatorOf } from '/lib/operator.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { say } from '/lib/texts.ts';
import { refusal, useAnswer, useFocus } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import { Paused } from '/components/paused.tsx';
import { storeOf, storesOf, useStore } from '/components/store.ts';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { type Action, START, type State, reduce } from './state.ts';
import { FormStep, TemplateStep } from './steps.tsx';

/** Returns true while leaving the page would lose the certificate's content. */
const isUnsaved = ({ issued, isSaved, step }: State): boolean => step !== null || (issued !== null && !isSaved);

/** Returns the state of a session of the console, which outlives the view. */
export const keptStore = storesOf<State, Action>(reduce, (session) => ({ ...START, session }), isUnsaved);

/**
 * `given` is the session of the console. Without it, the page offers to sign in. `isRefused` says that its account may not issue anywhere, so the person is told before
 * the form is filled in.
 */
export function IssueOne({ given = null, isRefused = false }: { readonly given?: SignedIn | null; readonly isRefused?: boolean }) {
  const [state, dispatch] = useStore(useMemo(() => (given === null ? storeOf(reduce, START) : keptStore(given)), []));
  const isGiven = given !== null;
  useLayoutEffect(() => () => dispatch({ type: 'left' }), []);
  const { template, issued, isSaved, session, operator, isIssuing } = state;
  const refuse = (error: unknown) => dispatch({ type: 'answered', answer: refusal(error) });
  const signing = usePart(template !== null, () => import('./signing.tsx'), refuse);
  const chosen = usePart(operator !== null, () => import('/components/chosen.tsx'), refuse);
  useEffect(() => {
    operatorOf()
      .then((operator) => dispatch({ type: 'operatorKnown', operator, isRefused }))
      .catch(() => {});
  }, []);
  useLayoutEffect(() => {
    if (!isGiven) {
      byId('intro').hidden = issued !== null;
    }
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
        {!isGiven && <Paused />}
        {operator !== null && chosen !== null && (
          <chosen.Chosen operator={operator} session={session} changed={isGiven ? null : (signedIn) => dispatch({ type: 'signedIn', session: signedIn })} isInert={isIssuing} />
        )}
        <TemplateStep state={state} dispatch={dispatch} />
        <FormStep state={state} dispatch={dispatch} />
        {signing !== null && <signing.SignStep state={state} dispatch={dispatch} isGiven={isGiven} />}
        <p class="hint">
          <a href="/console/#certificates">{say('many.issued')}</a> · <a href="/certify/">{say('issue.expert')}</a>
        </p>
      </div>
      {signing !== null && <signing.Done state={state} dispatch={dispatch} />}
    </>
  );
}
