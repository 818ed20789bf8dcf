// The script of pages that need no script except for texts in the visitor's language.
import { byId } from './page.ts';
import { showOperator } from './operator.ts';
import { offerLanguages, translate } from './texts.ts';

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));
document.title = `${document.querySelector('h1')?.textContent} – Assay`;
