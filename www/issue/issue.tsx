// The page that issues one certificate. With a session that this browser keeps, it is a view of the console.
import { byId } from '/lib/page.ts';
import { openInConsole } from '/lib/moved.ts';
import { showOperator } from '/lib/operator.ts';
import { offerLanguages, translate } from '/lib/texts.ts';
import { render } from 'preact';
import { IssueOne } from './one.tsx';

if (!openInConsole('issue')) {
  translate();
  offerLanguages(byId('languages'));
  showOperator(byId('operator'));
  render(<IssueOne />, byId('page'));
}
