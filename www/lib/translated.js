// The script of pages that need no script except for texts in the visitor's language.
import { byId } from './page.js';
import { offerLanguages, translate } from './texts.js';

translate();
offerLanguages(byId('languages'));
document.title = `${document.querySelector('h1').textContent} – Assay`;
