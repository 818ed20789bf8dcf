// The page that issues a certificate for each row of a table. With a session that this browser keeps, it is a view of the console.
import { byId } from '/lib/page.ts';
import { openInConsole } from '/lib/moved.ts';
import { showOperator } from '/lib/operator.ts';
import { offerLanguages, translate } from '/lib/texts.ts';
import { render } from 'preact';
import { IssueMany } from './all.tsx';

if (!openInConsole('many')) {
  translate();
  offerLanguages(byId('languages'));
  showOperator(byId('operator'));
  render(<IssueMany />, byId('page'));
}
