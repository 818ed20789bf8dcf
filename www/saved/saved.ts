// The script of a saved page (www/lib/saved-page.ts). It checks the certificate inside the page without a network. A page on a person's device can be
// changed by anybody, so this page says what it checked, what it only has noted, and where to find out the rest. It never shows a favourable verdict.
import type { HeadlineCode, Integrity, Look } from '/client/index.js';
import type { CheckedCopy } from '../../pkg/view/src/copy.ts';
import { checkCopy } from '../../pkg/view/src/copy.ts';
import { foreignKind } from '../../pkg/view/src/foreign.ts';
import { isPrivateFile } from '../../pkg/view/src/issue.ts';
import { HEADLINES } from '../../pkg/view/src/headlines.ts';
import { Refusal, own, visible } from '../../pkg/view/src/json.ts';
import type { Status, Verdict } from '../../pkg/view/src/verdict.ts';
import { isFile, readFile } from '../lib/file.ts';
import type { CertificateFile } from '../lib/file.ts';
import { answer, byId, certified, element } from '../lib/page.ts';
import type { Child } from '../lib/page.ts';
import { drawChecked } from '../lib/paper.ts';
import { readCertificateText, readRecord } from '../lib/saved-page.ts';
import type { SavedRecord } from '../lib/saved-page.ts';
import { sentence } from '../lib/sentence.ts';
import { showVerdict } from '../lib/sheet.ts';
import { dayText, hasText, offerLanguages, say, translate } from '../lib/texts.ts';
import { blockOf } from './blocks.ts';

/** The faults that the content alone shows. */
const FAULTS: Partial<Record<Integrity, HeadlineCode>> = { changed: 'changed', otherAsset: 'other-asset', notCovered: 'not-proven' };

/** A file to show. `given` is its name if a person chose it, and null for the file inside this page. */
interface Shown {
  file: CertificateFile;
  record: SavedRecord | null;
  given: string | null;
}

const view = byId('view');

/** The file inside this page. Null if it cannot be read. */
let mine: CertificateFile | null = null;

async function open() {
  byId('other').hidden = false;
  try {
    const text = blockOf('certificate');
    mine = readFile(text);
    await show({ file: mine, record: readRecord(blockOf('record')), given: null });
  } catch (error) {
    showVerdict(view, verdict('not-checked', 'notChecked', null), sentence(error), { isHeading: true });
  }
}

/** Returns true if a file is of the same certificate as the file inside this page. */
const isMine = ({ service, ledger, asset }: CertificateFile) => mine !== null && mine.service === service && mine.ledger.toLowerCase() === ledger.toLowerCase() && mine.asset === asset;

/** Checks a file and shows it. A file of the same certificate is compared with the check number inside this page. */
async function show({ file, record, given }: Shown) {
  const { ledger, asset, schema, document, evidence } = file;
  const imprint = given !== null && mine !== null && isMine(file) ? mine.imprint : file.imprint;
  // Evidence of AIH-2 names its schema. Without a schema's id, the ids of ledger and asset are not compared.
  const stated = own(evidence, 'schemaId');
  const schemaId = record?.schemaId ?? (typeof stated === 'string' ? stated : null);
  const found = await checkCopy({ schema, document, evidence, record: { ledger: schemaId !== null ? { id: ledger, schemaId } : null, asset: { id: asset, imprint } } });
  draw({ file, record, given }, found);
}

function draw({ file, record, given }: Shown, found: CheckedCopy) {
  const place = element('section', { class: 'verdict', role: 'status', 'aria-label': say('certificate.verdict') });
  const paper = element('article', { class: 'paper' });
  const host = new URL(file.service).host;
  const fault = FAULTS[found.integrity] ?? (found.status.kind === 'expired' ? 'expired' : null);
  if (found.isOther && given !== null && isMine(file)) {
    // The issuer may have replaced the certificate between the two copies.
    showVerdict(place, { ...verdict('changed', found.integrity, null), text: say('saved.differs') }, say('saved.differsWhy'));
  } else {
    const why = fault === null || fault === 'expired' ? say('saved.why', { host }) : say(`explain.${fault}`);
    showVerdict(place, verdict(fault, found.integrity, found.status.kind === 'expired' ? found.status : null), why);
  }
  place.querySelector('.parts')?.replaceWith(lines({ file, record, given }, found, host));
  drawChecked(paper, { schema: file.schema, fields: found.isOther ? [] : found.fields, hidden: found.hidden }, {});
  paper.append(element('footer', { class: 'foot' }, element('p', { class: 'check-paper' }, say('saved.paper', { host }))));
  paper.hidden = found.isOther;
  view.replaceChildren(place, paper, facts(file));
}

/** Returns the verdict: the fault that the content shows, or none in grey. Never a favourable one. */
function verdict(code: HeadlineCode | null, integrity: Integrity, status: Status | null): Verdict {
  const look: Look = HEADLINES.find((row) => row.code === code)?.look ?? 'grey';
  const date = typeof status?.since === 'string' ? new Date(Date.parse(status.since) - 1).toISOString() : null;
  return { code: code ?? 'other', look, text: code === null ? say('saved.headline') : undefined, values: { date }, integrity, status: status ?? { kind: 'unknown' }, issuer: null };
}

/** Returns what was checked now, what is only noted, and what nobody knows without the service. */
function lines(shown: Shown, { integrity }: CheckedCopy, host: string) {
  const { file, record, given } = shown;
  const line = (state: string, name: string, ...text: Child[]) => element('li', { 'data-state': state }, element('span', { class: 'part-name' }, name), ' ', ...text);
  const isSound = integrity === 'unchanged';
  const compared = given !== null && isMine(file) ? 'saved.contentMine' : 'saved.content';
  return element(
    'ul',
    { class: 'parts' },
    ...(given === null ? [] : [line('unsure', say('saved.given'), certified(visible(given)))]),
    line(isSound ? 'unsure' : 'bad', say('saved.now'), say(isSound ? compared : 'saved.contentNot')),
    ...(record === null || !isSound ? [] : [line('unsure', say('saved.noted', { date: dayText(record.saved), host }), ...noted(record, file))]),
    line('unsure', say('saved.unknown'), say('saved.unknownWhat')),
  );
}

/** Returns the status and the issuer as the service gave them when the page was saved. */
function noted({ status, since, issuer }: SavedRecord, { confirmation }: CertificateFile): Child[] {
  const of = (key: string, values: Record<string, string>) => (hasText(key) ? say(key, values) : say('part.status.unknown'));
  const { domain = '', name, firstSeen, lastSeen } = confirmation ?? {};
  const issuerText =
    confirmation === null ? say('part.issuer.notConfirmed') : of(`part.issuer.${issuer}`, { domain, name: name ?? '', other: '', from: dayText(firstSeen ?? ''), to: dayText(lastSeen ?? '') });
  const seen = confirmation === null ? '' : ` ${say('saved.confirmed', { domain, date: dayText(confirmation.lastSeen) })}`;
  return [`${of(`part.status.${status}`, {})}${since === null || status === 'inForce' ? '' : ` (${dayText(since)})`}. ${issuerText}.${seen}`];
}

/** Returns the numbers of the certificate, with which its issuer can find it, even if the service is gone. */
function facts({ service, ledger, asset, imprint, confirmation }: CertificateFile) {
  const row = (key: string, value: string) => element('div', {}, element('dt', {}, say(key)), element('dd', {}, element('span', { class: 'value', translate: 'no' }, value)));
  return element(
    'div',
    { class: 'below' },
    element(
      'details',
      { class: 'technical' },
      element('summary', {}, say('certificate.report')),
      element('p', { class: 'hint' }, say('saved.numbers')),
      element(
        'dl',
        { class: 'facts' },
        row('certificate.reportService', service),
        row('certificate.reportLedger', ledger),
        row('certificate.reportAsset', asset),
        row('saved.number', imprint),
        ...(confirmation === null ? [] : [row('certificate.reportAccount', confirmation.account)]),
      ),
    ),
  );
}

/** Shows a file that a person chose, or the reason why it cannot be shown. */
async function openOther(chosen: File) {
  const region = byId('answer');
  region.hidden = true;
  try {
    const text = await readCertificateText(chosen);
    if (isPrivateFile(text)) {
      throw Refusal.of('saved.privateFile');
    }
    if (!isFile(text)) {
      const kind = foreignKind(text);
      throw Refusal.of(kind === null ? 'file.json' : `foreign.${kind}`);
    }
    await show({ file: readFile(text), record: null, given: chosen.name });
    scrollTo(0, 0);
  } catch (error) {
    region.hidden = false;
    answer(region, 'unchecked', say('common.notPossible'), sentence(error));
  }
}

translate();
offerLanguages(byId('languages'));
const field = byId('file', HTMLInputElement);
field.addEventListener('change', () => {
  const [chosen] = field.files ?? [];
  if (chosen !== undefined) {
    openOther(chosen);
  }
  // Allows choosing the same file again.
  field.value = '';
});
open();
