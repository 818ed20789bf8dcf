// The script of pages that only need their texts in the visitor's language.
import { byId } from './page.js';
import { offerLanguages, say, translate } from './texts.js';

translate();
offerLanguages(byId('languages'));
const heading = document.querySelector('h1').dataset.text;
if (heading !== undefined) {
  document.title = `${say(heading)} – Assay`;
}
