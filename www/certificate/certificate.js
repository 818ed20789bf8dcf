// The page of one certificate, at `/c/<ledger>/<asset>`. The address's fragment may contain a part of the certificate that its holder shares.
import { element, byId } from '/lib/page.js';
import { fromFragment } from '/lib/file.js';
import { sentence } from '/lib/sentence.js';
import { showVerdict } from '/lib/sheet.js';
import { offerLanguages, say, translate } from '/lib/texts.js';
import { unreachable } from '/lib/verdict.js';
import { view } from './view.js';

const [, , ledger, asset] = location.pathname.split('/');
const isEmbedded = new URLSearchParams(location.search).has('embed');

async function open() {
  document.body.classList.toggle('embedded', isEmbedded);
  const fragment = location.hash.slice(1);
  const address = `${location.origin}/c/${ledger}/${asset}${fragment === '' ? '' : `#${fragment}`}`;
  try {
    const copy = fragment === '' ? null : await fromFragment(fragment);
    await view(byId('view'), { ledger, asset, copy, source: copy === null ? '' : say('certificate.sharedBy'), address, isEmbedded });
  } catch (error) {
    const place = element('section', { class: 'verdict', role: 'status' });
    byId('view').replaceChildren(place);
    showVerdict(place, unreachable(), sentence(error), { isHeading: true });
  }
}

translate();
offerLanguages(byId('languages'));
addEventListener('hashchange', () => {
  offerLanguages(byId('languages'));
  open();
});
open();
