// The page of one certificate, at `/c/<ledger>/<asset>`. The address's fragment may contain a part of the certificate that its holder shares.
import { element, byId } from '/lib/page.js';
import { fromFragment, isAnchor, repairedFragment } from '/lib/file.js';
import { offerLanguages, say, translate } from '/lib/texts.js';
import { view } from './view.js';

const [, , ledger, asset] = location.pathname.split('/');
const isEmbedded = new URLSearchParams(location.search).has('embed');

/** Returns the fragment with a part of the certificate, or an empty text. Some programs write the `#` before it as `%23`, also behind a query. */
function givenFragment() {
  const given = location.hash.slice(1) || (/%23(1.*)$/.exec(location.search)?.[1] ?? '');
  return isAnchor(given) ? '' : given;
}

async function open() {
  document.body.classList.toggle('embedded', isEmbedded);
  const given = givenFragment();
  let [copy, fragment] = [null, ''];
  try {
    if (given !== '') {
      copy = await fromFragment(given);
      fragment = `#${await repairedFragment(given, copy)}`;
    }
  } catch {
    showIncomplete();
    return;
  }
  const path = `/c/${ledger}/${asset}`;
  if (given !== '' && fragment !== location.hash) {
    // The visitor may copy the address from the browser.
    history.replaceState(null, '', `${location.search.split('%23')[0]}${fragment}`);
  }
  const source = copy === null ? '' : say('certificate.sharedBy');
  await view(byId('view'), { ledger, asset, copy, source, address: `${location.origin}${path}${fragment}`, isEmbedded });
}

/** Shows that the link lacks a part. This says nothing about the certificate, so there is no verdict. */
function showIncomplete() {
  document.title = `${say('incomplete.title')} – Assay`;
  const text = element('div', { class: 'ruling' }, element('h1', { class: 'headline' }, say('incomplete.title')), element('p', { class: 'why' }, say('incomplete.lead')));
  byId('view').replaceChildren(element('section', { class: 'verdict', role: 'status', 'data-look': 'grey', 'data-code': 'incomplete' }, text));
}

translate();
offerLanguages(byId('languages'));
addEventListener('hashchange', () => {
  offerLanguages(byId('languages'));
  open();
});
open();
