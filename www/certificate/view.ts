// Shows one certificate: first the service's verdict, and then the result of the check in this browser. The certificate page and the verify
// page use this module.
import type { Validity } from '/client/index.js';
import { ask } from '/lib/beside.ts';
import type { CheckedCopy } from '/view/copy.ts';
import type { Display } from '/view/display.ts';
import type { Field } from '/view/field.ts';
import type { Compact } from '/lib/compact.ts';
import { isCompact } from '/lib/file.ts';
import type { Copy } from '/lib/file.ts';
import { isPointer } from '/view/issue.ts';
import type { IssuerFinding, IssuerQuestion } from '/view/issuer.ts';
import { visible } from '/view/json.ts';
import type { Path } from '/view/json.ts';
import { certificateOf, plainFields } from '/view/model.ts';
import type { Certificate } from '/view/model.ts';
import { certified, element } from '/lib/page.ts';
import type { Attributes, Child } from '/lib/page.ts';
import { drawChecked, hiddenNames } from '/lib/paper.ts';
import { mainValues } from '/lib/main-values.ts';
import { part } from '/lib/part.ts';
import type { ToSave } from './saving.ts';
import { type Ids, validityOf } from '/lib/validity.ts';
import { sentence } from '/lib/sentence.ts';
import { domainElement, headlineText, showVerdict } from '/lib/sheet.ts';
import { dayText, listText, locale, momentText, say } from '/lib/texts.ts';
import { unconfirmed, unreachable, verdictOf, worse } from '/view/verdict.ts';
import type { Parts, Verdict } from '/view/verdict.ts';

/** The maximum number of fields that the verdict names as not confirmed. */
const MAX_NAMED = 8;

interface ViewOptions extends Ids {
  /** The copy that somebody shared, or null for the public documents. */
  copy?: Copy | Compact | null;
  /** A sentence about the copy's origin. */
  source?: string;
  /** The sentence about the origin of a copy that shows the whole certificate while the public documents do not. */
  wholeSource?: string;
  /** The address in the sheet's QR code. Null for an example. */
  address: string | null;
  /** If true, the buttons and the QR code are left out. */
  isEmbedded?: boolean;
  /** Returns the record. By default, it is fetched from the service. */
  record?: (ids: Ids) => Promise<Validity>;
}

/** What this browser found in a domain's file. */
export type Confirmed = Pick<IssuerFinding, 'result' | 'contact'>;

/** The places of a shown certificate, and what is shown there. `copy` is null for the public documents. */
interface At extends Ids {
  copy: Copy | Compact | null;
  source: string;
  address: string | null;
  isEmbedded: boolean;
  verdictPlace: HTMLElement;
  paper: HTMLElement;
  below: HTMLElement;
  /** The schema with titles in the visitor's language. */
  schema: unknown;
  /** True if the copy is the holder's: it shows the whole certificate. */
  isHolders: boolean;
  /** The part for the holder, after it was loaded. */
  holders: HTMLElement | null;
  /** What this browser found in the file of the issuer's domain. `unreadable` if there is no such file to read. */
  found: Promise<Confirmed>;
  find(found: Confirmed): void;
  /** Shows the certificate again, with a new answer of the service. */
  again(): void;
}

/** The findings about a certificate. `own` has the parts of the verdict that this browser determined itself. */
interface Findings {
  verdict: Verdict;
  own?: Partial<Parts>;
  fields: Field[];
  hidden: Path[];
  /** True if a list may have more items. */
  isCut?: boolean;
  copy: Copy | null;
  note: string;
  explanation?: string;
}

/** Shows a certificate in `place`. */
export async function view(place: HTMLElement, options: ViewOptions) {
  const { ledger, asset, copy = null, source = '', wholeSource = source, address, isEmbedded = false, record = validityOf } = options;
  const verdictPlace = element('section', { class: 'verdict', role: 'status', 'aria-label': say('certificate.verdict') });
  const paper = element('article', { class: 'paper' });
  const below = element('div', { class: 'below' });
  place.replaceChildren(verdictPlace, paper, below);
  paper.hidden = true;
  let find: At['find'] = () => {};
  const found: At['found'] = new Promise((resolve) => (find = resolve));
  const again = () => view(place, options);
  const at: At = { ledger, asset, copy, source, address, isEmbedded, verdictPlace, paper, below, schema: undefined, isHolders: false, holders: null, found, find, again };
  let answer: Validity;
  try {
    answer = await record({ ledger, asset });
  } catch {
    showVerdict(verdictPlace, unreachable(), say(copy === null ? 'certificate.unreachable' : 'certificate.fileAlone'), { isHeading: true });
    below.replaceChildren(againButton(again));
    return;
  }
  const { shown, explanation } = await toCheck(copy, answer);
  if (shown === null) {
    // Certificates that are not in force have no documents to check.
    if (answer.status.kind === 'neverIssued' && copy === null && !isEmbedded) {
      showNone(at, answer);
      return;
    }
    const isGone = ['withdrawn', 'neverIssued', 'unknownLedger'].includes(answer.status.kind);
    const own: Partial<Parts> = copy === null || isGone ? {} : { integrity: 'notChecked' };
    show(at, answer, { verdict: verdictOf(answer, own), own, fields: [], hidden: [], copy: null, explanation: isGone ? '' : explanation, note: checkedThere(isGone ? 'checkedOnly' : 'checkedThere') });
    await confirmIssuer(at, answer, { own });
    return;
  }
  at.schema = shown.schema;
  if (copy === null) {
    show(at, answer, { verdict: verdictOf(answer), fields: publicFields(answer), hidden: [], copy: shown, note: say('certificate.checking') });
  } else {
    showVerdict(verdictPlace, { ...verdictOf(answer, { integrity: 'notChecked' }), code: 'other', look: 'grey', text: say('certificate.loading') });
  }
  const isSupplement = copy !== null && isCompact(copy) && copy.isSupplement;
  const checked = await checkHere(answer, shown, copy === null ? 'public' : isSupplement ? 'supplement' : 'whole');
  at.schema = await readable(shown.schema);
  if (copy !== null && isWhole(answer, checked)) {
    at.source = wholeSource;
    // A printed code has a compact copy, and anybody can scan it.
    at.isHolders = !isEmbedded && !isCompact(copy) && checked.verdict.status.kind !== 'replaced';
  }
  show(at, answer, checked);
  if (at.isHolders) {
    showHolders(at, answer, checked);
  }
  await confirmIssuer(at, answer, checked);
}

/**
 * Shows that the address has no certificate. A link that was cut inside the certificate's number looks like this, so the page accuses nobody. With a
 * shared copy, the verdict is that the certificate was never issued.
 */
function showNone(at: At, answer: Validity) {
  const verdict: Verdict = { ...verdictOf(answer), look: 'grey', text: say('incomplete.none'), issuer: null };
  verdict.status = { ...verdict.status, kind: 'unknown' };
  show(at, answer, { verdict, fields: [], hidden: [], copy: null, note: checkedThere('checkedOnly'), explanation: say('incomplete.noneLead') });
}

/** Returns true if a proven copy hides nothing and shows more than the public documents, as only the holder's private file does at first. */
function isWhole(answer: Validity, { fields, hidden, own, isCut }: Findings) {
  return own?.integrity === 'unchanged' && hidden.length === 0 && !isCut && (answer.metadata === null || fields.length > plainFields(answer.schema, answer.metadata, 'unchecked').length);
}

/** Returns the schema with titles in the visitor's language. The titles are loaded after the verdict. If they cannot be loaded, the schema keeps its own. */
const readable = (schema: unknown): Promise<unknown> =>
  part(import('./later.ts'))
    .then((later) => later.readable(schema))
    .catch(() => schema);

/**
 * Returns the copy to check: the public documents, or what somebody shared. A compact copy is completed with the public documents. Returns null if
 * they could not be read, with a sentence about a compact copy.
 */
async function toCheck(copy: Copy | Compact | null, answer: Validity): Promise<{ shown: Copy | null; explanation: string }> {
  if (copy === null || !isCompact(copy)) {
    return { shown: copy ?? publicCopy(answer), explanation: '' };
  }
  try {
    const { ledger, asset, schema, metadata, evidence } = answer;
    const ids = { ledger: ledger?.id ?? '', asset: asset?.id ?? '' };
    return { shown: await ask('completeForm', { compact: copy, files: { schema, metadata, evidence }, ids }), explanation: '' };
  } catch (error) {
    return { shown: null, explanation: sentence(error) };
  }
}

/** Returns the public documents, or null if the service could not read them. */
function publicCopy({ metadata, evidence, schema }: Validity): Copy | null {
  return metadata === null || evidence === null || schema === null ? null : { schema, document: metadata, evidence };
}

/** Returns the fields of the public document with the service's findings. No field counts as proven before this browser has checked it. */
function publicFields({ metadata, schema, values }: Validity): Field[] {
  const found = new Map(values.map((value) => [value.path, value]));
  // Pictures that are part of the document are shown only after they are proven.
  const isData = ({ value }: Field) => typeof value === 'string' && value.startsWith('data:');
  return plainFields(schema, metadata, 'unchecked')
    .filter((field) => !isData(field))
    .map((field) => {
      const finding = found.get(keyOf(field.path));
      return finding === undefined || finding.status === 'proven' ? field : { ...field, status: finding.status, reason: finding.reason };
    });
}

/** Returns a path as the service writes it. */
const keyOf = (path: Path) => path.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}${text && '.'}${step}`), '');

/** The evidence of a copy: the public evidence, a shared copy's own evidence, or a part that was completed with public evidence. */
type Origin = 'public' | 'whole' | 'supplement';

/**
 * Checks a copy in this browser. Returns the verdict and the fields. If this browser cannot check the copy, returns the service's verdict. For a shared
 * copy, that verdict has the integrity `notChecked`.
 */
async function checkHere(answer: Validity, copy: Copy, origin: Origin): Promise<Findings> {
  const { ledger, asset, status } = answer;
  const isShared = origin !== 'public';
  const hasImprint = asset !== null && (asset.imprint || asset.pastImprints?.length > 0);
  if (ledger === null || !hasImprint) {
    return { verdict: verdictOf(answer, isShared ? { integrity: 'notChecked' } : {}), fields: [], hidden: [], copy: null, note: checkedThere() };
  }
  try {
    const found = await ask('certificate', { ...copy, record: { ledger, asset, status } });
    const isGone = answer.status.kind === 'withdrawn';
    if (isGone && !isShared && found.integrity !== 'unchanged') {
      return { verdict: verdictOf(answer), fields: [], hidden: [], copy: null, note: checkedThere('checkedOnly') };
    }
    if (origin === 'supplement' && found.integrity === 'changed' && isPublicPartOther(answer)) {
      return {
        verdict: verdictOf(answer, { integrity: 'notChecked' }),
        fields: [],
        hidden: [],
        copy: null,
        own: { integrity: 'notChecked' },
        explanation: say('file.linkPublic'),
        note: checkedThere(),
      };
    }
    const own = isShared || isGone ? ownParts(answer, found) : worse(answer, found);
    const explanation = isShared && found.isOther ? say('certificate.outdated') : '';
    return {
      verdict: verdictOf(answer, own),
      own,
      fields: found.isOther ? [] : found.fields,
      hidden: found.hidden,
      isCut: found.isCut,
      copy,
      explanation,
      note: say('certificate.checkedHere', { date: momentText(new Date()) }),
    };
  } catch (error) {
    const own: Partial<Parts> = isShared ? { integrity: 'notChecked' } : {};
    return { verdict: verdictOf(answer, own), own, fields: isShared ? [] : publicFields(answer), hidden: [], copy, explanation: isShared ? sentence(error) : '', note: checkedThere() };
  }
}

/**
 * Returns true if the public evidence may be another one than when a part of it was left out of a link: it does not prove the public document, or
 * the certificate was replaced. Such a link cannot be checked any more, but nothing in it is known to be changed.
 */
const isPublicPartOther = ({ integrity, asset }: Validity) => integrity !== 'unchanged' || (asset?.pastImprints ?? []).length > 0;

/** Returns the parts of the verdict on a shared copy. The reason of a withdrawal is known only for the service's own status. */
function ownParts(answer: Validity, { integrity, status }: CheckedCopy): Partial<Parts> {
  const isSame = status.kind === answer.status.kind && status.since === answer.status.since;
  return isSame ? { integrity } : { integrity, status: { ...answer.status, ...status, reason: null, reasonBy: null } };
}

const checkedThere = (key = 'checkedThere') => say(`certificate.${key}`, { host: location.host, date: momentText(new Date()) });

/** Reads the confirmation directly from the issuer's domain, if the service has read the domain's file. */
async function confirmIssuer(at: At, answer: Validity, checked: Partial<Findings>) {
  const { issuer, ledger } = answer;
  if (issuer?.kind !== 'confirmed' || issuer.checkedBy !== 'didJson' || !issuer.domain) {
    at.find({ result: 'unreadable', contact: null });
    return;
  }
  const { domain, account } = issuer;
  const protocol = /^(localhost|127\.\d+\.\d+\.\d+)(:|$)/.test(domain) ? 'http:' : 'https:';
  const found = await inWorker({ domain, account, ledger: ledger?.id ?? null, protocol });
  at.find(found);
  const { result } = found;
  const line = at.below.querySelector('.issuer-check');
  if (result === 'confirmed' || result === 'unreadable') {
    line?.replaceChildren(
      say(result === 'confirmed' ? 'certificate.issuerHere' : 'certificate.issuerThere', { domain, date: issuer.lastSeen === null ? say('badge.unknownDate') : dayText(issuer.lastSeen) }),
    );
    return;
  }
  const own = { ...checked.own, issuer: unconfirmed(issuer, result) };
  show(at, answer, { fields: [], hidden: [], copy: null, note: checkedThere(), ...checked, own, verdict: verdictOf(answer, own) });
}

function inWorker(question: IssuerQuestion): Promise<Confirmed> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('../workers/issuers/issuer.ts', import.meta.url), { type: 'module' });
    const end = (found: Confirmed) => {
      worker.terminate();
      resolve(found);
    };
    worker.addEventListener('message', ({ data }: MessageEvent<IssuerFinding>) => end(data));
    worker.addEventListener('error', () => end({ result: 'unreadable', contact: null }));
    worker.postMessage(question);
  });
}

/** Shows the verdict, the sheet and the parts below them. */
function show(at: At, answer: Validity, { verdict, fields, hidden, copy, note, explanation = '' }: Findings) {
  const { paper, below, verdictPlace, source } = at;
  document.title = `${headlineText(verdict)} – Assay`;
  const schema = copy === null ? { type: 'object' } : at.schema;
  const certificate = certificateOf({ schema, fields, locale });
  const wasIssued = answer.asset?.createdAt ?? null;
  paper.hidden = fields.length === 0 && wasIssued === null;
  const isAlike = verdict.code === 'changed' && certificate.isAlike;
  showVerdict(verdictPlace, verdict, explanation || (isAlike ? say('explain.alike') : ''), { isHeading: paper.hidden });
  if (verdict.code === 'replaced') {
    verdictPlace.querySelector('.why')?.append(...currentLink(at));
  }
  if (certificate.isNamed && ['green', 'amber'].includes(verdict.look) && verdict.code !== 'replaced') {
    verdictPlace.querySelector('.ruling')?.append(...comparison(certificate, hiddenNames(schema, hidden)));
  }
  if (!paper.hidden) {
    // A withdrawn certificate is shown as it was, with a stamp.
    paper.dataset.stamp = verdict.code === 'withdrawn' ? say('part.status.withdrawn') : '';
    drawChecked(paper, { schema, fields, hidden }, { issuer: verdict.issuer, issuedAt: hasDate(fields, wasIssued) ? null : wasIssued });
    paper.append(foot(at, note));
  }
  below.replaceChildren(
    // A file of a replaced copy would have the imprint of the current certificate.
    ...(at.isEmbedded ? [] : actions(at, answer, verdict.status.kind === 'replaced' ? null : copy, certificate)),
    ...(source === '' ? [] : [element('p', { class: 'hint' }, source)]),
    ...(at.holders === null ? [] : [at.holders]),
    details(at, answer, certificate, note),
  );
  showNext(at, verdict);
}

/** Shows what to do after a verdict, and the host of this page. The part is loaded after the verdict, and the verdict is complete without it. */
async function showNext({ verdictPlace, ledger, asset, isEmbedded, found, again }: At, verdict: Verdict) {
  try {
    const { addNext } = await import('./later.ts');
    await addNext(verdictPlace, verdict, { ledger, asset, isEmbedded, found, again });
  } catch {
    // The texts could not be loaded.
  }
}

/** Shows what the holder can do with the certificate. */
async function showHolders(at: At, answer: Validity, { fields, copy, own }: Findings) {
  if (copy === null || !answer.asset?.imprint) {
    return;
  }
  const { ledger, asset, schema, found } = at;
  const verdict = verdictOf(answer, own);
  const certificate = certificateOf({ schema, fields, locale });
  try {
    const { holderPart } = await part(import('./holder.ts'));
    at.holders = await holderPart({ ledger, asset, copy, answer, title: titleOf(certificate), isPrivate: true, isPublic: false, titles: schema, verdict, schema, fields, found });
  } catch (error) {
    at.holders = element('p', { class: 'hint' }, sentence(error));
  }
  at.below.querySelector('.technical')?.before(at.holders);
}

/**
 * Returns the values to compare with a paper, and the names of the fields that this page does not confirm. Anybody can print another name above a genuine
 * code.
 */
function comparison(certificate: Certificate, hidden: string[]) {
  const values = mainValues(certificate).map(({ path, label, value }) => {
    const name = path.length === 1 && path[0] === 'name' ? [] : [element('span', { class: 'label' }, `${label ?? say('certificate.item')} `)];
    return element('li', {}, ...name, element('span', { class: 'value' }, certified(value.text)));
  });
  const shown = hidden.slice(0, MAX_NAMED).map((name) => `\u2068${name}\u2069`);
  return [
    ...(values.length > 0 ? [element('div', { class: 'compare' }, element('p', {}, say('paper.compare')), element('ul', {}, ...values))] : []),
    ...(hidden.length > 0 ? [element('p', { class: 'unconfirmed' }, say('paper.unconfirmed', { fields: listText(shown) }))] : []),
  ];
}

/** Returns a link to the current certificate, unless this page is its page. */
function currentLink({ ledger, asset, isEmbedded }: At): Child[] {
  const { pathname } = new URL(`/c/${ledger}/${asset}`, location.origin);
  const isHere = location.pathname === pathname && location.hash === '';
  const place: Attributes = isEmbedded ? { target: '_blank', rel: 'noopener' } : {};
  return isHere && !isEmbedded ? [] : [' ', element('a', { class: 'current', href: pathname, ...place }, say('certificate.current'))];
}

/** Returns true if the document itself shows the day of issue. */
function hasDate(fields: Field[], issuedAt: string | null) {
  return issuedAt !== null && fields.some(({ value }) => typeof value === 'string' && value.startsWith(issuedAt.slice(0, 10)));
}

/** Returns the foot of the sheet: the address, the QR code, and who checked the certificate at which time. */
function foot({ address, isEmbedded }: At, note: string) {
  if (address === null) {
    return element('footer', { class: 'foot' }, element('p', { class: 'checked' }, note));
  }
  const plain = address.replace(/#.*$/s, '');
  const text = element(
    'div',
    {},
    // On paper, this replaces the verdict: anybody can print a verdict.
    element('p', { class: 'check-paper' }, say('paper.checkPublic', { host: new URL(plain).host })),
    element('p', { class: 'on-screen' }, say('certificate.address')),
    element(
      'p',
      { class: 'address', translate: 'no' },
      isEmbedded ? element('a', { href: plain, target: '_blank', rel: 'noopener' }, plain.replace(/^https?:\/\//, '')) : plain.replace(/^https?:\/\//, ''),
    ),
    element('p', { class: 'checked' }, note),
  );
  const made = element('footer', { class: 'foot' }, text);
  if (!isEmbedded) {
    drawCode(made, address, plain);
  }
  return made;
}

/** Adds the QR code of an address, or of its plain form if it is too long. The library for QR codes is loaded after everything else. */
async function drawCode(foot: HTMLElement, address: string, plain: string) {
  const { MAX_QR, qrPicture } = await part(import('/lib/qr.ts'));
  const text = address.length > MAX_QR ? plain : address;
  if (text !== plain) {
    foot.querySelector('.check-paper')?.replaceChildren(say('paper.check', { host: new URL(plain).host }));
  }
  foot.append(element('div', { class: text.length > 200 ? 'qr dense' : 'qr' }, qrPicture(text, say('certificate.qr'))));
}

function actions(at: At, answer: Validity, copy: Copy | null, certificate: Certificate) {
  const print = element('button', { type: 'button' }, say('common.print'));
  print.addEventListener('click', () => window.print());
  const buttons: HTMLElement[] = [print];
  if (copy !== null && answer.asset?.imprint && !at.isHolders) {
    const { ledger, asset } = at;
    const toSave = { ledger, asset, copy, answer, title: titleOf(certificate), isPrivate: false, isPublic: at.copy === null, titles: at.schema ?? copy.schema };
    buttons.push(...saveButtons(toSave));
  }
  const share =
    at.copy === null && copy !== null ? [element('p', { class: 'hint' }, say('certificate.shareHint'), ' ', element('a', { href: `/share/#${at.ledger}/${at.asset}` }, say('certificate.share')))] : [];
  return [element('p', { class: 'actions' }, ...buttons), ...share];
}

const titleOf = ({ title, kind }: Certificate) => title?.value.text ?? kind ?? '';

/** Returns the buttons that save a certificate, and the place for the reason of a failure. */
export function saveButtons(toSave: ToSave): HTMLElement[] {
  const note = element('span', { class: 'hint save-note', role: 'status' });
  const button = (name: 'saveFile' | 'savePdf' | 'savePage', text: string) => {
    const made = element('button', { type: 'button' }, text);
    made.addEventListener('click', async () => {
      try {
        const saving = await part(import('./saving.ts'));
        note.textContent = (await saving[name](toSave)) ?? '';
      } catch (error) {
        note.textContent = sentence(error);
      }
    });
    return made;
  };
  return [button('saveFile', say('certificate.saveFile')), button('savePdf', say('common.savePdf')), button('savePage', say('certificate.savePage')), note];
}

/** Returns the collapsed technical details. */
function details(at: At, answer: Validity, certificate: Certificate, note: string) {
  const { ledger, asset, issuer } = answer;
  const row = (label: string, ...values: Child[]) => element('div', {}, element('dt', {}, label), element('dd', {}, ...values));
  const mono = (text: string) => element('span', { class: 'value', translate: 'no' }, text);
  const when = (text: string) => dayText(text);
  const rows = [
    row(say('certificate.reportService'), location.host),
    row(
      say('certificate.reportLedger'),
      mono(at.ledger),
      ...(ledger?.name ? [element('p', { class: 'hint' }, `${say('certificate.reportNamed')}: `, certified(`“${visible(ledger.name)}”`), '. ', say('certificate.reportClaim'))] : []),
    ),
    row(say('certificate.reportAsset'), mono(at.asset)),
    ...(asset?.imprint ? [row(say('certificate.reportImprint'), mono(asset.imprint))] : []),
    ...(issuer ? [row(say('certificate.reportAccount'), mono(issuer.account), ...(issuer.domain ? [' ', domainElement(issuer.domain)] : []))] : []),
    ...(asset?.ownerId ? [row(say('certificate.reportHolder'), mono(asset.ownerId))] : []),
    ...(asset?.createdAt ? [row(say('certificate.reportIssued'), when(asset.createdAt))] : []),
    ...(asset?.updatedAt && asset.updatedAt !== asset.createdAt ? [row(say('certificate.reportUpdated'), when(asset.updatedAt))] : []),
    ...(asset?.withdrawnBefore ? [row(say('certificate.reportBefore'), when(asset.withdrawnBefore))] : []),
    ...certificate.technical.filter(({ path: [key] }) => isPointer(key)).map(({ path: [key], value }) => row(String(key), valueLink(value))),
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

const valueLink = (value: Display) =>
  value.kind === 'link' || value.kind === 'picture' ? element('a', { href: value.address, target: '_blank', rel: 'noopener noreferrer nofollow' }, certified(value.text)) : certified(value.text);

function againButton(act: () => void) {
  const button = element('button', { type: 'button', class: 'primary' }, say('common.again'));
  button.addEventListener('click', act);
  return element('p', { class: 'actions' }, button);
}
