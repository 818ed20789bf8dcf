// The holder's page. It opens a private file, shows the certificate, and makes a link or a file that shows a part of the certificate. After a file is opened, it sends no requests.
import { refuseBelow } from '/lib/answers.js';
import { ask, forget } from '/lib/beside.js';
import { schemaAt } from '/lib/certified.js';
import { displayOf, nameOf } from '/lib/display.js';
import { MEDIA_TYPE, SHARED_ENDING } from '/lib/file.js';
import { foreignKind } from '/lib/foreign.js';
import { fileStem } from '/lib/issue.js';
import { Refusal, valueAt } from '/lib/json.js';
import { assetOf } from '/lib/link.js';
import { byId, copyButton, download } from '/lib/page.js';
import { drawChecked } from '/lib/paper.js';
import { locale, offerLanguages, say, translate } from '/lib/texts.js';
import { sentence } from '/lib/sentence.js';
import { readText } from '/lib/text-file.js';
import { loadTitles, readable } from '/lib/titles.js';
import { showTree } from '/lib/tree.js';

/** The maximum number of files that are opened together: evidence, schema and document. */
const MAX_FILES = 3;

/** The opened certificate, as the task `hold` returns it, with its `texts`, a function `ticked`, and the titles of the visitor's language. Null before a file is opened. */
let held = null;
/** Resolves when the last preview is drawn. */
let drawn = Promise.resolve();
/** The last link and file, as the task `share` returns them. */
let made = null;

/** The certificate for which this page was opened, if the page's address names one: `#0x…/1`. */
const expected = assetOf(location.hash.slice(1));

translate();
offerLanguages(byId('languages'));
// The whole library is loaded now, so that this page sends no requests after a private file is opened.
Promise.all([ask('ready', {}), loadTitles()]).then(
  () => (byId('ready').textContent = say('share.ready')),
  (error) => refuse(error),
);

async function open(files) {
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
    held = { ...opened, schema: await readable(opened.schema), texts };
    plant(opened.paths);
    byId('asset').hidden = opened.ledger !== '' || expected !== null;
    byId('holding').hidden = false;
    byId('choice-title').focus({ preventScroll: true });
    byId('holding').scrollIntoView({ block: 'start' });
  } catch (error) {
    refuse(error);
  }
}

const isSame = ({ ledger, asset }, { ledgerId, assetId }) => ledger.toLowerCase() === ledgerId.toLowerCase() && BigInt(asset) === BigInt(assetId);

/** Reads a file. Refuses a file of another format with a sentence that names the format. */
async function textOf(file) {
  const text = await readText(file);
  const kind = foreignKind(text);
  if (kind !== null) {
    throw Refusal.of(`foreign.${kind}`);
  }
  return text;
}

/** Shows the fields to tick, with the schema's titles. */
function plant(paths) {
  const named = (nodes) => nodes.map((node) => ({ ...node, ...wordsOf(node), children: named(node.children) }));
  held.ticked = showTree(byId('tree'), named(held.nodes), paths);
  preview();
}

function wordsOf({ path, children }) {
  const step = path.at(-1);
  const name = nameOf(held.schema, path) ?? `${nameOf(held.schema, path.slice(0, -1)) ?? ''} ${Number(step) + 1}`.trim();
  const value = valueAt(held.document, path);
  if (children.length > 0 || Array.isArray(value)) {
    return { name, text: say(Array.isArray(value) ? 'share.items' : 'share.fields', { count: Array.isArray(value) ? value.length : children.length }) };
  }
  const { kind, text } = displayOf(value, { schema: schemaAt(held.schema, path), key: step, isProven: true, locale });
  return { name, text: kind === 'picture' ? say('certificate.picture') : kind === 'boolean' ? say(value ? 'common.yes' : 'common.no') : text };
}

function preview() {
  made = null;
  byId('made').hidden = true;
  const paths = held.ticked();
  byId('make').disabled = paths.length === 0;
  drawn = draw(held, paths);
}

/** Makes the copy with these fields, and shows it by the code that its recipient runs. Does not end if the fields change in the meantime. */
async function draw({ texts, schema }, paths) {
  try {
    drawChecked(byId('paper'), { schema, ...(await ask('preview', { texts, paths })) }, { level: 3 });
  } catch (error) {
    refuse(error);
  }
}

async function make() {
  byId('answer').hidden = true;
  try {
    const { ledger, asset } = assetToShow();
    const { texts } = held;
    await drawn;
    made = await ask('share', { texts, paths: held.ticked(), ledger, asset, service: location.origin });
    const address = made.fragment === null ? null : `${location.origin}/c/${ledger}/${asset}#${made.fragment}`;
    byId('link-made').hidden = address === null;
    byId('too-long').hidden = address !== null;
    byId('link').textContent = address ?? '';
    byId('open').href = address ?? '';
    byId('copied').textContent = '';
    byId('made').hidden = false;
    byId('made-title').focus({ preventScroll: true });
    byId('made').scrollIntoView({ block: 'start' });
  } catch (error) {
    refuse(error);
  }
}

/** Returns the certificate's ledger and asset, in decimal digits. */
function assetToShow() {
  const named = held.ledger === '' ? expected ?? assetOf(byId('certificate-link').value) : { ledgerId: held.ledger, assetId: held.asset };
  if (named === null) {
    throw Refusal.of('share.linkMissing');
  }
  return { ledger: named.ledgerId, asset: BigInt(named.assetId).toString() };
}

function save() {
  const name = fileStem({ name: valueAt(held.document, ['name']) }, { assetId: assetToShow().asset }, '');
  download(`${name}${SHARED_ENDING}`, made.file, MEDIA_TYPE);
}

function close() {
  forget();
  held = null;
  made = null;
  for (const id of ['answer', 'holding', 'made']) {
    byId(id).hidden = true;
  }
}

const refuse = (error) => refuseBelow(byId('answer'), say('common.notPossible'), sentence(error));

function tickAll(isTicked) {
  plant(isTicked ? held.nodes.map(({ path }) => path) : []);
}

byId('files').addEventListener('change', ({ target }) => {
  open([...target.files]);
  // Allows choosing the same file again.
  target.value = '';
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
copyButton(byId('copy'), byId('link'), () => byId('link').textContent, (text) => (byId('copied').textContent = text), { copied: say('common.copied'), selected: say('common.selected') });
