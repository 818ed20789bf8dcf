// The view that issues one certificate, as the page /issue/ does.
import { IssueOne } from '../../issue/one.tsx';
import type { ViewProperties } from '../views.ts';

export function View({ session }: ViewProperties) {
  return <IssueOne given={session} />;
}
