// The view that issues a certificate for each row of a table, as the page /issue/many/ does.
import { IssueMany } from '../../issue/many/all.tsx';
import type { ViewProperties } from '../views.ts';

export function View({ session }: ViewProperties) {
  return <IssueMany given={session} />;
}
