// The view that issues one certificate, as the page /issue/ does.
import { IssueOne } from '../../issue/one.tsx';
import { useHiddenAnswer } from '../hidden-answer.ts';
import type { ViewProperties } from '../views.ts';

export function View({ session }: ViewProperties) {
  useHiddenAnswer();
  return <IssueOne given={session} />;
}
