// Issues a certificate for each row of a table: reads and checks the table, signs, and hands over links and files. A page of its own, and a view of the console.
//
// state.ts has the page's state and its reducer, and the other modules its parts. The part that checks rows is loaded with the first table, and the part
// that signs with the first checked rows.
import { operatorOf } from '/lib/operator.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { refusal, useAnswer, useFocus } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import { useEffect, useReducer } from 'preact/hooks';
import { Kept } from './kept.tsx';
import { findLists } from './reading.ts';
import { START, reduce } from './state.ts';
import { TableStep } from './table.tsx';

/** `given` is the session of the console. Without it, the page offers to sign in. */
export function IssueMany({ given = null }: { readonly given?: SignedIn | null }) {
  const [state, dispatch] = useReducer(reduce, START, (start) => ({ ...start, session: given }));
  const isGiven = given !== null;
  const refuse = (error: unknown) => dispatch({ type: 'answered', answer: refusal(error) });
  const rows = usePart(state.table !== null, () => import('./rows.tsx'), refuse);
  const signing = usePart(state.isSigning, () => import('./signing.tsx'), refuse);
  const chosen = usePart(state.operator !== null, () => import('/components/chosen.tsx'), refuse);
  useEffect(() => {
    operatorOf()
      .then((operator) => dispatch({ type: 'operatorKnown', operator }))
      .catch(() => {});
    findLists(dispatch);
  }, []);
  useFocus(state.focus);
  useAnswer(state.answer);
  return (
    <>
      <Kept state={state} dispatch={dispatch} />
      <div id="making" hidden={state.stage !== 'making'}>
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
