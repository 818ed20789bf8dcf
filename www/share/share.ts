// The holder's page. It opens a private file, shows the certificate, and makes a link or a file that shows a part of the certificate. After a file is opened, it sends no requests.
import { refuseBelow } from '/lib/answers.ts';
import { ask, forget } from '/lib/beside.ts';
import { choicesOf } from '/lib/choices.ts';
import type { Held } from '/lib/holder.ts';
import { MEDIA_TYPE, SHARED_ENDING } from '/lib/file.ts';
import { foreignKind } from '/view/foreign.ts';
import { fileStem } from '/view/issue.ts';
import { Refusal, valueAt } from '/view/json.ts';
import type { Path } from '/view/json.ts';
import { assetOf } from '/lib/link.ts';
import type { NamedAsset } from '/lib/link.ts';
import { byId, copyButton, download, filesOf } from '/lib/page.ts';
import { readCertificate } from '/lib/certificate-file.ts';
import { drawChecked } from '/lib/paper.ts';
import { showOperator } from '/lib/operator.ts';
import { offerLanguages, say, translate } from '/lib/texts.ts';
import { sentence } from '/lib/sentence.ts';
import { loadTitles, readable } from '/lib/titles.ts';
import { showTree } from '/lib/tree.ts';
import { forgetShort, offerShort } from './short.ts';

/** The maximum number of files that are opened together: evidence, schema and document. */
const MAX_FILES = 3;

/** The opened certificate with its texts. `titled` is its schema with the titles of the visitor's language, and `ticked` returns the ticked paths. */
interface Opened extends Held {
  texts: string[];
  titled: unknown;
  ticked: () => Path[];
}

/** Null before a file is opened. */
let held: Opened | null = null;
/** Resolves when the last preview is drawn. */
let drawn: Promise<void> = Promise.resolve();
/** The text of the last file that was made for others. */
let made: string | null = null;

/** The certificate for which this page was opened, if the page's address names one: `#0x…/1`. */
const expected = assetOf(location.hash.slice(1));

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));
// The whole library is loaded now, so that this page sends no requests after a private file is opened.
Promise.all([ask('ready'), loadTitles()]).then(
  () => (byId('ready').textContent = say('share.ready')),
  (error) => refuse(error),
);

async function open(files: File[]) {
  close();
  try {
    const texts = await Promise.all(files.slice(0, MAX_FILES).map(textOf));
    if (files.length > MAX_FILES) {
      throw Refusal.of('share.tooMany');
    }
    const opened = await ask('hold', { texts });
    if (expected !== null && opened.ledger !== '' && !isSame(opened, expected)) {
      throw Refusal.of('share.other');
    }
    held = { ...opened, titled: await readable(opened.schema), texts, ticked: () => [] };
    plant(held, opened.paths);
    byId('asset').hidden = opened.ledger !== '' || expected !== null;
    byId('holding').hidden = false;
    byId('choice-title').focus({ preventScroll: true });
    byId('holding').scrollIntoView({ block: 'start' });
  } catch (error) {
    refuse(error);
  }
}

const isSame = ({ ledger, asset }: Held, { ledgerId, assetId }: NamedAsset) => ledger.toLowerCase() === ledgerId.toLowerCase() && BigInt(asset) === BigInt(assetId);

/** Reads a file. Refuses a file of another format with a sentence that names the format. */
async function textOf(file: File) {
  const text = await readCertificate(file);
  const kind = foreignKind(text);
  if (kind !== null) {
    throw Refusal.of(`foreign.${kind}`);
  }
  return text;
}

/** Shows the fields to tick, with the schema's titles. */
function plant(opened: Opened, paths: readonly Path[]) {
  opened.ticked = showTree(byId('tree'), choicesOf(opened, opened.titled), paths);
  preview();
}

function preview() {
  if (held === null) {
    return;
  }
  made = null;
  forgetShort();
  byId('made').hidden = true;
  const paths = held.ticked();
  byId('make', HTMLButtonElement).disabled = paths.length === 0;
  drawn = draw(held, paths);
}

/** Makes the copy with these fields, and shows it by the code that its recipient runs. Does not end if the fields change in the meantime. */
async function draw({ texts, titled }: Opened, paths: Path[]) {
  try {
    drawChecked(byId('paper'), { schema: titled, ...(await ask('preview', { texts, paths })) }, { level: 3 });
  } catch (error) {
    refuse(error);
  }
}

async function make() {
  if (held === null) {
    return;
  }
  byId('answer').hidden = true;
  try {
    const { ledger, asset } = assetToShow(held);
    const { texts, ticked } = held;
    await drawn;
    const { file, fragment } = await ask('share', { texts, paths: ticked(), ledger, asset, service: location.origin });
    made = file;
    forgetShort();
    const address = fragment === null ? null : `${location.origin}/c/${ledger}/${asset}#${fragment}`;
    byId('link-made').hidden = address === null;
    byId('too-long').hidden = address !== null;
    byId('link').textContent = address ?? '';
    byId('open', HTMLAnchorElement).href = address ?? '';
    byId('copied').textContent = '';
    byId('made').hidden = false;
    byId('made-title').focus({ preventScroll: true });
    byId('made').scrollIntoView({ block: 'start' });
  } catch (error) {
    refuse(error);
  }
}

/** Returns the certificate's ledger and asset, in decimal digits. */
function assetToShow(opened: Opened) {
  const named = opened.ledger === '' ? (expected ?? assetOf(byId('certificate-link', HTMLInputElement).value)) : { ledgerId: opened.ledger, assetId: opened.asset };
  if (named === null) {
    throw Refusal.of('share.linkMissing');
  }
  return { ledger: named.ledgerId, asset: BigInt(named.assetId).toString() };
}

function save() {
  if (held === null || made === null) {
    return;
  }
  const name = fileStem({ name: valueAt(held.document, ['name']) }, { assetId: assetToShow(held).asset }, '');
  download(`${name}${SHARED_ENDING}`, made, MEDIA_TYPE);
}

function close() {
  forget();
  held = null;
  made = null;
  for (const id of ['answer', 'holding', 'made']) {
    byId(id).hidden = true;
  }
}

const refuse = (error: unknown) => refuseBelow(byId('answer'), say('common.notPossible'), sentence(error));

function tickAll(isTicked: boolean) {
  if (held !== null) {
    plant(held, isTicked ? held.nodes.map(({ path }) => path) : []);
  }
}

const files = byId('files', HTMLInputElement);
files.addEventListener('change', () => {
  open(filesOf(files));
  // Allows choosing the same file again.
  files.value = '';
});
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  byId('drop').classList.add('over');
});
document.addEventListener('dragleave', () => byId('drop').classList.remove('over'));
document.addEventListener('drop', (event) => {
  event.preventDefault();
  byId('drop').classList.remove('over');
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length > 0) {
    open(files);
  }
});
byId('tree').addEventListener('change', preview);
byId('all').addEventListener('click', () => tickAll(true));
byId('none').addEventListener('click', () => tickAll(false));
byId('make').addEventListener('click', make);
byId('save').addEventListener('click', save);
offerShort(() => byId('link').textContent || null);
copyButton(
  byId('copy'),
  byId('link'),
  () => byId('link').textContent ?? '',
  (text) => (byId('copied').textContent = text),
  { copied: say('common.copied'), selected: say('common.selected') },
);
