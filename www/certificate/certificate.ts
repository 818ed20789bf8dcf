// The page of one certificate, at `/c/<ledger>/<asset>`. The address's fragment may contain a part of the certificate that its holder shares.
import { ask } from '/lib/beside.ts';
import { element, byId } from '/lib/page.ts';
import { isAnchor } from '/lib/file.ts';
import type { Copy } from '/lib/file.ts';
import type { Compact } from '/lib/compact.ts';
import { offerLanguages, say, translate } from '/lib/texts.ts';
import { Refusal } from '/view/json.ts';
import { view } from './view.ts';

// The service has written the ids into the page. The address of a printed code has them in upper case.
const ids = new URL(document.querySelector<HTMLLinkElement>('link[rel=preload][as=fetch]')?.href ?? location.href).searchParams;
const [ledger, asset] = [ids.get('ledgerId') ?? '', ids.get('assetId') ?? ''];
const isEmbedded = new URLSearchParams(location.search).has('embed');

/** Returns the fragment with a part of the certificate, or an empty text. Some programs write the `#` before it as `%23`, also behind a query. */
function givenFragment() {
  const given = location.hash.slice(1) || (/%23([1-9].*)$/.exec(location.search)?.[1] ?? '');
  return isAnchor(given) ? '' : given;
}

async function open() {
  document.body.classList.toggle('embedded', isEmbedded);
  const given = givenFragment();
  let [copy, fragment]: [Copy | Compact | null, string] = [null, ''];
  try {
    if (given !== '') {
      const { content, form } = await ask('openForm', given);
      [copy, fragment] = [content, `#${form}`];
    }
  } catch (error) {
    showUnreadable(error instanceof Refusal && error.key === 'file.linkVersion');
    return;
  }
  const path = `/c/${ledger}/${asset}`;
  if (location.pathname !== path || (given !== '' && fragment !== location.hash)) {
    // The visitor may copy the address from the browser.
    history.replaceState(null, '', `${path}${location.search.split('%23')[0]}${given === '' ? location.hash : fragment}`);
  }
  const source = copy === null ? '' : say('certificate.sharedBy');
  await view(byId('view'), { ledger, asset, copy, source, wholeSource: '', address: `${location.origin}${path}${fragment}`, isEmbedded });
}

/** Shows that the link lacks a part, or that a newer version made it. This says nothing about the certificate, so there is no verdict. */
function showUnreadable(isNewer: boolean) {
  const [title, lead] = isNewer ? [say('incomplete.newer'), say('file.linkVersion')] : [say('incomplete.title'), say('incomplete.lead')];
  document.title = `${title} – Assay`;
  const text = element('div', { class: 'ruling' }, element('h1', { class: 'headline' }, title), element('p', { class: 'why' }, lead));
  byId('view').replaceChildren(element('section', { class: 'verdict', role: 'status', 'data-look': 'grey', 'data-code': 'incomplete' }, text));
}

translate();
offerLanguages(byId('languages'));
addEventListener('hashchange', () => {
  offerLanguages(byId('languages'));
  open();
});
open();
