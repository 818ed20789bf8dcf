// Shows one certificate: first the service's verdict, and then the result of the check in this browser. The certificate page and the verify
// page use this module.
import { ask } from '/lib/beside.js';
import { FILE_ENDING, MEDIA_TYPE, writeFile } from '/lib/file.js';
import { fileStem, isPointer } from '/lib/issue.js';
import { visible } from '/lib/json.js';
import { certificateOf, plainFields } from '/lib/model.js';
import { certified, download, element } from '/lib/page.js';
import { drawChecked } from '/lib/paper.js';
import { sentence } from '/lib/sentence.js';
import { domainElement, headlineText, showVerdict } from '/lib/sheet.js';
import { dayText, listText, locale, momentText, say } from '/lib/texts.js';
import { unreachable, verdictOf } from '/lib/verdict.js';

/** The maximum length of a link in a QR code, in characters. Codes of longer texts are hard to read from paper. */
const MAX_QR = 1300;

/**
 * Fetches the record of an asset from the service: the data of `/badge.json`. Throws if the service does not answer.
 * The browser caches answers. If `cache` is `reload`, the browser fetches a new answer and caches it.
 */
export async function recordOf({ ledger, asset }, cache = 'default') {
  const answer = await fetch(`/badge.json?ledgerId=${ledger}&assetId=${asset}`, { cache });
  const { data } = await answer.json();
  if (!data) {
    throw new Error('the service has no answer');
  }
  return data;
}

/**
 * Shows a certificate in `place`. `copy` is `{ schema, document, evidence }` that somebody shared, or null for the public documents. `source` is
 * a sentence about the copy's origin, and `wholeSource` the one for a copy that shows the whole certificate while the public documents do not. The sheet's QR code contains `address`, which is null for an example. If `isEmbedded` is true, the
 * buttons and the QR code are left out. `record` is a function that returns the record. By default it fetches the record from the service.
 */
export async function view(place, { ledger, asset, copy = null, source = '', wholeSource = source, address, isEmbedded = false, record = recordOf }) {
  const [verdictPlace, paper, below] = [element('section', { class: 'verdict', role: 'status', 'aria-label': say('certificate.verdict') }), element('article', { class: 'paper' }), element('div', { class: 'below' })];
  place.replaceChildren(verdictPlace, paper, below);
  paper.hidden = true;
  const at = { ledger, asset, copy, source, address, isEmbedded, verdictPlace, paper, below, place };
  let answer;
  try {
    answer = await record({ ledger, asset });
  } catch {
    showVerdict(verdictPlace, unreachable(), say(copy === null ? 'certificate.unreachable' : 'certificate.fileAlone'), { isHeading: true });
    below.replaceChildren(againButton(() => view(place, { ledger, asset, copy, source, wholeSource, address, isEmbedded, record })));
    return;
  }
  const shown = copy ?? publicCopy(answer);
  if (shown === null) {
    // Certificates that are not in force have no documents to check.
    if (answer.status.kind === 'neverIssued' && copy === null && !isEmbedded) {
      showNone(at, answer);
      return;
    }
    const isGone = ['withdrawn', 'neverIssued', 'unknownLedger'].includes(answer.status.kind);
    show(at, answer, { verdict: verdictOf(answer), fields: [], hidden: [], copy: null, note: checkedThere(isGone ? 'checkedOnly' : 'checkedThere') });
    await confirmIssuer(at, answer, {});
    return;
  }
  at.schema = shown.schema;
  if (copy === null) {
    show(at, answer, { verdict: verdictOf(answer), fields: publicFields(answer), hidden: [], copy: shown, note: say('certificate.checking') });
  } else {
    showVerdict(verdictPlace, verdictOf(answer, { integrity: 'notChecked' }), say('certificate.loading'));
  }
  const checked = await checkHere(answer, shown, copy !== null);
  at.schema = await readable(shown.schema);
  if (copy !== null && isWhole(answer, checked)) {
    at.source = wholeSource;
  }
  show(at, answer, checked);
  await confirmIssuer(at, answer, checked);
}

/**
 * Shows that the address has no certificate. A link that was cut inside the certificate's number looks like this, so the page accuses nobody. With a
 * shared copy, the verdict is that the certificate was never issued.
 */
function showNone(at, answer) {
  const verdict = { ...verdictOf(answer), look: 'grey', text: say('incomplete.none'), issuer: null };
  verdict.status = { ...verdict.status, kind: 'unknown' };
  show(at, answer, { verdict, fields: [], hidden: [], copy: null, note: checkedThere('checkedOnly'), explanation: say('incomplete.noneLead') });
}

/** Returns true if a proven copy hides nothing and shows more than the public documents, as only the holder's private file does at first. */
function isWhole(answer, { fields, hidden, own }) {
  return own?.integrity === 'unchanged' && hidden.length === 0 && (answer.metadata === null || fields.length > publicFields(answer).length);
}

/** Returns the schema with titles in the visitor's language. The titles are loaded after the verdict. If they cannot be loaded, the schema keeps its own. */
const readable = (schema) => import('/lib/titles.js').then((titles) => titles.readable(schema)).catch(() => schema);

/** Returns the public documents, or null if the service could not read them. */
function publicCopy({ metadata, evidence, schema }) {
  return [metadata, evidence, schema].includes(null) ? null : { schema, document: metadata, evidence };
}

/** Returns the fields of the public document with the service's findings. No field counts as proven before this browser has checked it. */
function publicFields({ metadata, schema, values }) {
  const found = new Map(values.map(({ path, status, reason }) => [path, { status, reason }]));
  // Pictures that are part of the document are shown only after they are proven.
  const isData = ({ value }) => typeof value === 'string' && value.startsWith('data:');
  return plainFields(schema, metadata, 'unchecked').filter((field) => !isData(field)).map((field) => {
    const { status, reason } = found.get(keyOf(field.path)) ?? {};
    return status === undefined || status === 'proven' ? field : { ...field, status, reason };
  });
}

/** Returns a path as the service writes it. */
const keyOf = (path) => path.reduce((text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}${text && '.'}${step}`), '');

/**
 * Checks a copy in this browser. Returns the verdict and the fields. If this browser cannot check the copy, returns the service's verdict. For a shared
 * copy, that verdict has the integrity `notChecked`.
 */
async function checkHere(answer, copy, isShared) {
  const { ledger, asset } = answer;
  const imprints = [asset?.imprint, ...(asset?.pastImprints ?? []).map(({ imprint }) => imprint)].filter((imprint) => typeof imprint === 'string');
  if (ledger === null || imprints.length === 0) {
    return { verdict: verdictOf(answer, isShared ? { integrity: 'notChecked' } : {}), fields: [], hidden: [], copy: null, note: checkedThere() };
  }
  try {
    const record = { ledger: { id: ledger.id, schemaId: ledger.schemaId }, asset: { id: asset.id } };
    const found = await ask('certificate', { ...copy, imprints, record });
    const isGone = answer.status.kind === 'withdrawn';
    if (isGone && !isShared && found.integrity !== 'unchanged') {
      return { verdict: verdictOf(answer), fields: [], hidden: [], copy: null, note: checkedThere('checkedOnly') };
    }
    const own = isShared || isGone ? ownParts(answer, found) : worseParts(answer, found);
    const explanation = isShared && found.isOther ? say('certificate.outdated') : '';
    return { verdict: verdictOf(answer, own), own, fields: found.isOther ? [] : found.fields, hidden: found.hidden, copy, explanation, note: say('certificate.checkedHere', { date: momentText(new Date()) }) };
  } catch (error) {
    const own = isShared ? { integrity: 'notChecked' } : {};
    return { verdict: verdictOf(answer, own), own, fields: isShared ? [] : publicFields(answer), hidden: [], copy, explanation: isShared ? sentence(error) : '', note: checkedThere() };
  }
}

/** Returns the parts of the verdict on a shared copy. The copy's own imprint and expiry date count, not those of the public documents. */
function ownParts(answer, { integrity, imprint, expiresAt }) {
  const past = answer.asset.pastImprints?.find((one) => one.imprint === imprint);
  if (answer.status.kind === 'withdrawn' || answer.status.kind === 'neverIssued') {
    return { integrity };
  }
  if (imprint !== answer.asset.imprint && past !== undefined) {
    return { integrity, status: { ...answer.status, kind: past.withdrawn ? 'withdrawn' : 'replaced', since: past.endedAt, reason: null } };
  }
  if (expiresAt !== null && expiresAt <= Date.now()) {
    return { integrity, status: { ...answer.status, kind: 'expired', since: new Date(expiresAt).toISOString() } };
  }
  // The service may have found an older document at the public address. This copy has the current imprint.
  const isOwn = answer.status.kind === 'replaced' && integrity === 'unchanged' && imprint === answer.asset.imprint;
  return isOwn ? { integrity, status: { ...answer.status, kind: 'inForce', since: answer.asset.createdAt } } : { integrity };
}

/**
 * Returns this browser's finding about the public documents, if it is worse than the service's finding. An issuer's server may send different documents to the
 * service and to this browser.
 */
function worseParts(answer, { integrity }) {
  return answer.integrity === 'unchanged' && integrity !== 'unchanged' ? { integrity } : {};
}

const checkedThere = (key = 'checkedThere') => say(`certificate.${key}`, { host: location.host, date: momentText(new Date()) });

/** Reads the confirmation directly from the issuer's domain, if the service has read the domain's file. */
async function confirmIssuer(at, answer, checked) {
  const { issuer, ledger } = answer;
  if (issuer?.kind !== 'confirmed' || issuer.checkedBy !== 'didJson' || !issuer.domain) {
    return;
  }
  const { domain, account } = issuer;
  const protocol = /^(localhost|127\.\d+\.\d+\.\d+)(:|$)/.test(domain) ? 'http:' : 'https:';
  const { result } = await inWorker({ domain, account, ledger: ledger.id, protocol });
  const line = at.below.querySelector('.issuer-check');
  if (result === 'confirmed' || result === 'unreadable') {
    line?.replaceChildren(say(result === 'confirmed' ? 'certificate.issuerHere' : 'certificate.issuerThere', { domain, date: dayText(issuer.lastSeen) }));
    return;
  }
  const own = { ...checked.own, issuer: { ...issuer, kind: result === 'disowned' ? 'disowned' : 'wasConfirmed', confirmed: false } };
  show(at, answer, { fields: [], hidden: [], copy: null, note: checkedThere(), ...checked, own, verdict: verdictOf(answer, own) });
}

function inWorker(question) {
  return new Promise((resolve) => {
    const worker = new Worker('/lib/issuer-worker.js', { type: 'module' });
    const end = (found) => {
      worker.terminate();
      resolve(found);
    };
    worker.addEventListener('message', ({ data }) => end(data));
    worker.addEventListener('error', () => end({ result: 'unreadable' }));
    worker.postMessage(question);
  });
}

/** Shows the verdict, the sheet and the parts below them. */
function show(at, answer, { verdict, fields, hidden, copy, note, explanation = '' }) {
  const { paper, below, verdictPlace, source } = at;
  document.title = `${headlineText(verdict)} – Assay`;
  const schema = copy === null ? { type: 'object' } : at.schema;
  const certificate = certificateOf({ schema, fields, locale });
  const wasIssued = answer.asset?.createdAt ?? null;
  paper.hidden = fields.length === 0 && wasIssued === null;
  const isAlike = verdict.code === 'changed' && certificate.isAlike;
  showVerdict(verdictPlace, verdict, explanation || (isAlike ? say('explain.alike') : ''), { isHeading: paper.hidden });
  if (verdict.code === 'replaced') {
    verdictPlace.querySelector('.why').append(...currentLink(at));
  }
  if (!paper.hidden) {
    // A withdrawn certificate is shown as it was, with a stamp.
    paper.dataset.stamp = verdict.code === 'withdrawn' ? say('part.status.withdrawn') : '';
    drawChecked(paper, { schema, fields, hidden }, { issuer: verdict.issuer, issuedAt: hasDate(fields, wasIssued) ? null : wasIssued });
    paper.append(foot(at, note));
  }
  below.replaceChildren(...(at.isEmbedded ? [] : actions(at, answer, copy, certificate)), ...(source === '' ? [] : [element('p', { class: 'hint' }, source)]), details(at, answer, certificate, note));
}

/** Returns a link to the current certificate, unless this page is its page. */
function currentLink({ ledger, asset, isEmbedded }) {
  const { pathname } = new URL(`/c/${ledger}/${asset}`, location.origin);
  const isHere = location.pathname === pathname && location.hash === '';
  const place = isEmbedded ? { target: '_blank', rel: 'noopener' } : {};
  return isHere && !isEmbedded ? [] : [' ', element('a', { class: 'current', href: pathname, ...place }, say('certificate.current'))];
}

/** Returns true if the document itself shows the day of issue. */
function hasDate(fields, issuedAt) {
  return issuedAt !== null && fields.some(({ value }) => typeof value === 'string' && value.startsWith(issuedAt.slice(0, 10)));
}

/** Returns the foot of the sheet: the address, the QR code, and who checked the certificate at which time. */
function foot({ address, isEmbedded }, note) {
  if (address === null) {
    return element('footer', { class: 'foot' }, element('p', { class: 'checked' }, note));
  }
  const plain = address.split('#')[0];
  const text = element('div', {}, element('p', {}, say('certificate.address')), element('p', { class: 'address', translate: 'no' }, isEmbedded ? element('a', { href: plain, target: '_blank', rel: 'noopener' }, plain.replace(/^https?:\/\//, '')) : plain.replace(/^https?:\/\//, '')), element('p', { class: 'checked' }, note));
  const made = element('footer', { class: 'foot' }, text);
  if (!isEmbedded) {
    drawCode(made, address.length > MAX_QR ? plain : address);
  }
  return made;
}

/** Adds the QR code. The library for QR codes is loaded after everything else. */
async function drawCode(foot, address) {
  const { qrPicture } = await import('/lib/qr.js');
  foot.append(element('div', { class: address.length > 200 ? 'qr dense' : 'qr' }, qrPicture(address, say('certificate.qr'))));
}

function actions(at, answer, copy, certificate) {
  const print = element('button', { type: 'button' }, say('common.print'));
  print.addEventListener('click', () => window.print());
  const buttons = [print];
  if (copy !== null && answer.asset?.imprint) {
    const save = element('button', { type: 'button' }, say('certificate.saveFile'));
    const note = element('span', { class: 'hint save-note', role: 'status' });
    save.addEventListener('click', () => {
      try {
        saveFile(at, answer, copy, certificate);
        note.textContent = '';
      } catch {
        note.textContent = say('certificate.saveFailed');
      }
    });
    buttons.push(save, note);
  }
  const share = at.copy === null && copy !== null ? [element('p', { class: 'hint' }, say('certificate.shareHint'), ' ', element('a', { href: `/share/#${at.ledger}/${at.asset}` }, say('certificate.share')))] : [];
  return [element('p', { class: 'actions' }, ...buttons), ...share];
}

function saveFile({ ledger, asset }, { issuer, asset: { imprint } }, copy, { title }) {
  const { account, domain, name, firstSeen, lastSeen } = issuer;
  const confirmation = domain && firstSeen && lastSeen ? { account, domain, name, firstSeen, lastSeen } : null;
  const text = writeFile({ service: location.origin, ledger, asset: BigInt(asset).toString(), imprint, ...copy, confirmation });
  download(`${fileStem({ name: title?.value.text ?? '' }, { assetId: asset }, imprint)}${FILE_ENDING}`, text, MEDIA_TYPE);
}

/** Returns the collapsed technical details. */
function details(at, answer, certificate, note) {
  const { ledger, asset, issuer } = answer;
  const row = (label, ...values) => element('div', {}, element('dt', {}, label), element('dd', {}, ...values));
  const mono = (text) => element('span', { class: 'value', translate: 'no' }, text);
  const when = (text) => dayText(text);
  const rows = [
    row(say('certificate.reportService'), location.host),
    row(say('certificate.reportLedger'), mono(at.ledger), ...(ledger?.name ? [element('p', { class: 'hint' }, `${say('certificate.reportNamed')}: `, certified(`“${visible(ledger.name)}”`), '. ', say('certificate.reportClaim'))] : [])),
    row(say('certificate.reportAsset'), mono(at.asset)),
    ...(asset?.imprint ? [row(say('certificate.reportImprint'), mono(asset.imprint))] : []),
    ...(issuer ? [row(say('certificate.reportAccount'), mono(issuer.account), ...(issuer.domain ? [' ', domainElement(issuer.domain)] : []))] : []),
    ...(asset?.ownerId ? [row(say('certificate.reportHolder'), mono(asset.ownerId))] : []),
    ...(asset?.createdAt ? [row(say('certificate.reportIssued'), when(asset.createdAt))] : []),
    ...(asset?.updatedAt && asset.updatedAt !== asset.createdAt ? [row(say('certificate.reportUpdated'), when(asset.updatedAt))] : []),
    ...(asset?.withdrawnBefore ? [row(say('certificate.reportBefore'), when(asset.withdrawnBefore))] : []),
    ...certificate.technical.filter(({ path: [key] }) => isPointer(key)).map(({ path, value }) => row(path[0], valueLink(value))),
  ];
  const sentences = [
    ...(certificate.outside.length > 0 ? [say('certificate.outside', { fields: listText(certificate.outside.slice(0, 8)) })] : []),
    ...(certificate.more > 0 ? [say('certificate.moreFields', { count: certificate.more })] : []),
  ];
  const data = element('a', { href: `/badge.json?ledgerId=${at.ledger}&assetId=${at.asset}` }, say('certificate.reportData'));
  return element(
    'details',
    { class: 'technical' },
    element('summary', {}, say('certificate.report')),
    element('dl', { class: 'facts' }, ...rows),
    ...sentences.map((text) => element('p', { class: 'hint' }, text)),
    element('p', { class: 'hint' }, note, ' ', element('span', { class: 'issuer-check' })),
    element('p', { class: 'hint' }, data),
  );
}

const valueLink = ({ text, address }) => (address === undefined ? certified(text) : element('a', { href: address, target: '_blank', rel: 'noopener noreferrer nofollow' }, certified(text)));

function againButton(act) {
  const button = element('button', { type: 'button', class: 'primary' }, say('common.again'));
  button.addEventListener('click', act);
  return element('p', { class: 'actions' }, button);
}
