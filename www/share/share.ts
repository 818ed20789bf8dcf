// The holder's page. It opens a private file, shows the certificate, and makes a link or a file that shows a part of the certificate. After a file is opened, it sends no requests.
import { refuseBelow } from '/lib/answers.ts';
import { ask, forget } from '/lib/beside.ts';
import { choicesOf } from '/lib/choices.ts';
import { SD_JWT_ENDING, SD_JWT_TYPE, type SdJwt, agrees, isSdJwt, planOf, readSdJwt, reduceSdJwt } from '/lib/sd-jwt.ts';
import type { Held } from '/lib/holder.ts';
import { MEDIA_TYPE, SHARED_ENDING } from '/lib/file.ts';
import { foreignKind } from '/view/foreign.ts';
import { fileStem } from '/view/issue.ts';
import { Refusal, valueAt } from '/view/json.ts';
import type { Path } from '/view/json.ts';
import { plainFields } from '/view/model.ts';
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

/**
 * The opened certificate with its texts. `texts` is empty if the certificate was opened as an SD-JWT only, and `sdJwt` is null without one. `titled` is its schema
 * with the titles of the visitor's language, and `ticked` returns the ticked paths.
 */
interface Opened extends Held {
  texts: string[];
  sdJwt: SdJwt | null;
  titled: unknown;
  ticked: () => Path[];
}

/** Null before a file is opened. */
let held: Opened | null = null;
/** Resolves when the last preview is drawn. */
let drawn: Promise<void> = Promise.resolve();
/** The text of the last file that was made for others. */
let made: string | null = null;
/** The last SD-JWT that was made for others. */
let madeSdJwt: string | null = null;

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
    const all = await Promise.all(files.slice(0, MAX_FILES + 1).map(textOf));
    const [token, second] = all.filter(isSdJwt);
    const texts = all.filter((text) => !isSdJwt(text));
    if (texts.length > MAX_FILES || files.length > all.length || second !== undefined) {
      throw Refusal.of('share.tooMany');
    }
    const sdJwt = token === undefined ? null : await readSdJwt(token);
    const opened = sdJwt !== null && texts.length === 0 ? heldIn(sdJwt) : await ask('hold', { texts });
    if (sdJwt !== null && !isOf(sdJwt, opened)) {
      throw Refusal.of('sdJwt.other');
    }
    if (expected !== null && opened.ledger !== '' && !isSame(opened, expected)) {
      throw Refusal.of('share.other');
    }
    held = { ...opened, titled: await readable(opened.schema), texts, sdJwt, ticked: () => [] };
    plant(held, opened.paths);
    byId('asset').hidden = opened.ledger !== '' || expected !== null;
    byId('holding').hidden = false;
    byId('choice-title').focus({ preventScroll: true });
    byId('holding').scrollIntoView({ block: 'start' });
  } catch (error) {
    refuse(error);
  }
}

/** Returns the certificate that an SD-JWT shows. */
const heldIn = (sdJwt: SdJwt): Held => ({ ...sdJwt, ...planOf(sdJwt), profile: 'AIH-2', fields: [], paths: [] });

/** Returns true if an SD-JWT shows values of this certificate. */
const isOf = (sdJwt: SdJwt, { ledger, asset, imprint, document }: Held) =>
  sdJwt.imprint === imprint && (ledger === '' || (sdJwt.ledger === ledger.toLowerCase() && sdJwt.asset === asset)) && agrees(sdJwt, document);

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
async function draw({ texts, titled, sdJwt }: Opened, paths: Path[]) {
  try {
    const shown = sdJwt !== null && texts.length === 0 ? await previewOf(sdJwt, titled, paths) : await ask('preview', { texts, paths });
    drawChecked(byId('paper'), { schema: titled, ...shown }, { level: 3 });
  } catch (error) {
    refuse(error);
  }
}

/** Returns the fields of an SD-JWT that shows these paths, as its recipient reads it. */
async function previewOf(sdJwt: SdJwt, schema: unknown, paths: Path[]) {
  const { document } = await readSdJwt(reduceSdJwt(sdJwt, paths));
  return { fields: plainFields(schema, document, 'proven'), hidden: [] };
}

async function make() {
  if (held === null) {
    return;
  }
  byId('answer').hidden = true;
  try {
    const { ledger, asset } = assetToShow(held);
    const { texts, ticked, sdJwt } = held;
    await drawn;
    const paths = ticked();
    const isAlone = texts.length === 0;
    const { file, fragment } = isAlone ? { file: null, fragment: null } : await ask('share', { texts, paths, ledger, asset, service: location.origin });
    made = file;
    madeSdJwt = sdJwt === null ? null : reduceSdJwt(sdJwt, paths);
    forgetShort();
    const address = fragment === null ? null : `${location.origin}/c/${ledger}/${asset}#${fragment}`;
    byId('link-made').hidden = address === null;
    byId('too-long').hidden = address !== null || isAlone;
    byId('file-made').hidden = isAlone;
    byId('sd-jwt-made').hidden = sdJwt === null;
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
  if (held !== null && made !== null) {
    download(`${stemOf(held)}${SHARED_ENDING}`, made, MEDIA_TYPE);
  }
}

function saveSdJwt() {
  if (held !== null && madeSdJwt !== null) {
    download(`${stemOf(held)}.shared${SD_JWT_ENDING}`, madeSdJwt, SD_JWT_TYPE);
  }
}

const stemOf = (opened: Opened) => fileStem({ name: valueAt(opened.document, ['name']) }, { assetId: assetToShow(opened).asset }, '');

function close() {
  forget();
  held = null;
  made = null;
  madeSdJwt = null;
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
byId('save-sd-jwt').addEventListener('click', saveSdJwt);
offerShort(() => byId('link').textContent || null);
copyButton(
  byId('copy'),
  byId('link'),
  () => byId('link').textContent ?? '',
  (text) => (byId('copied').textContent = text),
  { copied: say('common.copied'), selected: say('common.selected') },
);
