// The page that lists the certificates of the signed-in account's ledgers, prints them, replaces them one at a time, and withdraws them with a reason. The
// list is loaded with the session, and printing and replacing when the person asks for them.
import { byId } from '/lib/page.ts';
import { offerSignIn } from '/lib/sign-in.ts';
import { showOperator } from '/lib/operator.ts';
import { offerLanguages, translate } from '/lib/texts.ts';
import { refusal, useAnswer, useFocus } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import { render } from 'preact';
import { useLayoutEffect, useReducer } from 'preact/hooks';
import { START, reduce } from './state.ts';

function Page() {
  const [state, dispatch] = useReducer(reduce, START);
  useLayoutEffect(() => offerSignIn(byId('sign-in'), (session) => dispatch({ type: 'signedIn', session })), []);
  const listing = usePart(
    state.session !== null,
    () => import('./list.tsx'),
    (error) => dispatch({ type: 'answered', answer: refusal(error) }),
  );
  useFocus(state.focus);
  useAnswer(state.answer, { again: () => listing?.sendReasons(state, dispatch) });
  return listing !== null && <listing.Certificates state={state} dispatch={dispatch} />;
}

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));
render(<Page />, byId('page'));
