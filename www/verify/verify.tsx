// The verify page: the first part opens every form of a certificate, and the expert part checks single documents.
import { take } from '/lib/handover.ts';
import { byId } from '/lib/page.ts';
import { showOperator } from '/lib/operator.ts';
import { offerLanguages, translate } from '/lib/texts.ts';
import { refusal, useAnswer } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import { createPortal, render } from 'preact';
import { useLayoutEffect, useReducer } from 'preact/hooks';
import { First } from './first.tsx';
import { START, type State, reduce } from './state.ts';

const asked = new URLSearchParams(location.search);
const isAsked = asked.has('ledgerId') || asked.has('assetId');
const made = isAsked ? null : take();
const isExpert = isAsked || made !== null || location.hash === '#expert';
const start: State = { ...START, isExpert, expert: { ...START.expert, ledgerId: asked.get('ledgerId') ?? '', assetId: asked.get('assetId') ?? '' } };
const fold = byId('expert', HTMLDetailsElement);
fold.open = isExpert;

function Page() {
  const [state, dispatch] = useReducer(reduce, start);
  const expert = usePart(
    state.isExpert,
    () => import('./expert.tsx'),
    (error) => dispatch({ type: 'failed', turn: {}, answer: refusal(error) }),
  );
  useLayoutEffect(() => {
    const toggled = () => dispatch({ type: 'folded', isOpen: fold.open });
    fold.addEventListener('toggle', toggled);
    return () => fold.removeEventListener('toggle', toggled);
  }, []);
  useAnswer(state.refusal, { id: 'refusal' });
  useAnswer(state.expert.answer, { id: 'answer' });
  return (
    <>
      <First state={state} hasExpert={state.isExpert && expert !== null} dispatch={dispatch} />
      {expert !== null && createPortal(<expert.Expert expert={state.expert} isOpen={state.isExpert} isAsked={isAsked} made={made} dispatch={dispatch} />, byId('expert-parts'))}
    </>
  );
}

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));
render(<Page />, byId('page'));
