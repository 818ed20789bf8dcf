// The view of what an account has issued on one register: a list to print, replace and withdraw from, and badges from private files.
import { useAnswer, useFocus } from '/components/answer.ts';
import { useReducer } from 'preact/hooks';
import { START, reduce } from '../../issued/state.ts';
import { Certificates, sendReasons } from '../../issued/list.tsx';
import type { ViewProperties } from '../views.ts';

export function View({ session }: ViewProperties) {
  const [state, dispatch] = useReducer(reduce, START, (start) => ({ ...start, session }));
  useFocus(state.focus);
  useAnswer(state.answer, { again: () => sendReasons(state, dispatch) });
  return <Certificates state={state} dispatch={dispatch} />;
}
