// The page of one certificate, at `/c/<ledger>/<asset>`. The address's fragment may contain a part of the certificate that its holder shares.
import type { Validity } from '/client/index.js';
import { ask } from '/lib/beside.ts';
import { element, byId } from '/lib/page.ts';
import { isAnchor } from '/lib/file.ts';
import type { Copy } from '/lib/file.ts';
import type { Compact } from '/lib/compact.ts';
import { offerLanguages, say, translate } from '/lib/texts.ts';
import { type Ids, validityOf } from '/lib/validity.ts';
import { Refusal } from '/view/json.ts';
import { isValidity } from '/view/verdict.ts';
import { view } from './view.ts';

// The service has written the ids into the page. The address of a printed code has them in upper case.
const { ledger = '', asset = '' } = byId('view').dataset;
/** The data of `/badge.json` that the service has written into the page. It is used once. */
let written = writtenRecord();
const isEmbedded = new URLSearchParams(location.search).has('embed');

/** Returns the fragment with a part of the certificate, or an empty text. Some programs write the `#` before it as `%23`, also behind a query. */
function givenFragment() {
  const given = location.hash.slice(1) || (/%23([1-9].*)$/.exec(location.search)?.[1] ?? '');
  return isAnchor(given) ? '' : given;
}

/**
 * Returns the record in the page, or null. A page that a visitor goes back to may come from the browser's cache, however old it is. Its record is not
 * used.
 */
function writtenRecord(): Validity | null {
  const text = document.querySelector('#report')?.textContent;
  const [navigation] = performance.getEntriesByType('navigation');
  const isOld = navigation instanceof PerformanceNavigationTiming && navigation.type === 'back_forward';
  const data: unknown = text && !isOld ? JSON.parse(text) : null;
  return isValidity(data) ? data : null;
}

/** Returns the record of the certificate: from the page, or from the service. */
async function record(ids: Ids): Promise<Validity> {
  const first = written;
  written = null;
  return first ?? validityOf(ids);
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
  await view(byId('view'), { ledger, asset, copy, source, wholeSource: '', address: `${location.origin}${path}${fragment}`, isEmbedded, record });
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
