// Issues a certificate for each row of a table: reads and checks the table, signs, and hands over links and files. A page of its own, and a view of the console.
//
// state.ts has the page's state and its reducer, and the other modules its parts. The part that checks rows is loaded with the first table, and the part
// that signs with the first checked rows.
import { operatorOf } from '/lib/operator.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { refusal, useAnswer, useFocus } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import { Paused } from '/components/paused.tsx';
import { storeOf, storesOf, useStore } from '/components/store.ts';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { Kept } from './kept.tsx';
import { findLists } from './reading.ts';
import { type Action, START, type State, reduce } from './state.ts';
import { TableStep } from './table.tsx';

/** Returns the state of a session of the console, which outlives the view. */
export const keptStore = storesOf<State, Action>(
  reduce,
  (session) => ({ ...START, session }),
  ({ stage, review }) => stage === 'working' && review === null,
);

/**
 * `given` is the session of the console. Without it, the page offers to sign in. `isRefused` says that its account may not issue anywhere, so the person is told before
 * the form is filled in.
 */
export function IssueMany({ given = null, isRefused = false }: { readonly given?: SignedIn | null; readonly isRefused?: boolean }) {
  const [state, dispatch] = useStore(useMemo(() => (given === null ? storeOf(reduce, START) : keptStore(given)), []));
  useLayoutEffect(() => () => dispatch({ type: 'left' }), []);
  const isGiven = given !== null;
  const refuse = (error: unknown) => dispatch({ type: 'answered', answer: refusal(error) });
  const rows = usePart(state.table !== null, () => import('./rows.tsx'), refuse);
  const signing = usePart(state.isSigning, () => import('./signing.tsx'), refuse);
  const chosen = usePart(state.operator !== null, () => import('/components/chosen.tsx'), refuse);
  useEffect(() => {
    operatorOf()
      .then((operator) => dispatch({ type: 'operatorKnown', operator, isRefused }))
      .catch(() => {});
    findLists(dispatch);
  }, []);
  useFocus(state.focus);
  useAnswer(state.answer);
  return (
    <>
      <Kept state={state} dispatch={dispatch} />
      <div id="making" hidden={state.stage !== 'making'}>
        {!isGiven && <Paused />}
        {state.operator !== null && chosen !== null && (
          <chosen.Chosen operator={state.operator} session={state.session} changed={isGiven ? null : (session) => dispatch({ type: 'signedIn', session })} isInert={state.isIssuing} />
        )}
        <TableStep state={state} dispatch={dispatch} />
        {rows !== null && <rows.RowSteps state={state} dispatch={dispatch} />}
        {signing !== null && <signing.Signing state={state} dispatch={dispatch} isGiven={isGiven} />}
      </div>
      {signing !== null && <signing.Issuing state={state} dispatch={dispatch} />}
    </>
  );
}
