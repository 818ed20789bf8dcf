// Pages that are views of the console.
import type { ViewName } from '../console/views.ts';
import { keptSession } from './kept-session.ts';

/** Opens a view of the console in place of this page. Keeps the query, such as the language. */
export const moveToConsole = (view: ViewName): void => location.replace(`/console/${location.search}#${view}`);

/** Does so if this browser keeps a session, and returns true. A visitor without a session can fill in a form before signing in. */
export function openInConsole(view: ViewName): boolean {
  const isKept = keptSession() !== null;
  if (isKept) {
    moveToConsole(view);
  }
  return isKept;
}
