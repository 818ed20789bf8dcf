// The page of a short link. It decrypts the address of the certificate, and opens it.
import { byId } from '/lib/page.ts';
import { showOperator } from '/lib/operator.ts';
import { sentence } from '/lib/sentence.ts';
import { openShort } from '/lib/short.ts';
import { offerLanguages, say, translate } from '/lib/texts.ts';
import { Refusal } from '/view/json.ts';

/** Opens the certificate in place of this page, so that the visitor can go back. Keeps the language that the address names. */
async function open() {
  try {
    const [path, fragment] = (await openShort(`${location.pathname}${location.hash}`)).split('#');
    const query = /^\?lang=[a-z]{2}$/.test(location.search) ? location.search : '';
    location.replace(`${path}${query}#${fragment}`);
  } catch (error) {
    const isEnded = error instanceof Refusal && error.key === 'link.ended';
    const title = say(isEnded ? 'link.endedTitle' : error instanceof Refusal && error.key === 'incomplete.lead' ? 'incomplete.title' : 'common.notPossible');
    document.title = `${title} – Assay`;
    byId('title').textContent = title;
    byId('lead').textContent = sentence(error);
  }
}

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));
addEventListener('hashchange', open);
open();
