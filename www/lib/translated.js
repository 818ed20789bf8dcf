// The script of pages that only need their texts in the visitor's language.
import { byId } from './page.js';
import { offerLanguages, translate } from './texts.js';

translate();
offerLanguages(byId('languages'));
document.title = `${document.querySelector('h1').textContent} – Assay`;
