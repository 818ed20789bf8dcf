// The certify page. It reads data and schema, lets the visitor choose fields, and calls workers/documents/one.ts for imprint, metadata and evidence.
import { announceBelow, refuseBelow, showAtHome } from '/lib/answers.ts';
import { ask, forget } from '/lib/beside.ts';
import { leave } from '/lib/handover.ts';
import type { Texts } from '/lib/handover.ts';
import { holderFile } from '/lib/holder-file.ts';
import { isPrivateFile, randomHex, readPrivateFile } from '/view/issue.ts';
import type { Addresses, AssetIds, PrivateFile, Profile } from '/view/issue.ts';
import { Refusal, isObject, own, visible } from '/view/json.ts';
import type { Path } from '/view/json.ts';
import { acceptFiles, byId, copyButton, download, put, textOf } from '/lib/page.ts';
import type { PlanNode } from '/lib/plan.ts';
import { sentence } from '/lib/sentence.ts';
import { showOperator } from '/lib/operator.ts';
import { listText, offerLanguages, say, translate } from '/lib/texts.ts';
import { showTree } from '/lib/tree.ts';
import type { Choice } from '/lib/tree.ts';
import { dataOf } from '/view/untrusted.ts';
import { wholeText } from '/lib/whole.ts';
import type { MadeCertificate, Tasks } from '../workers/documents/one.ts';

/** The document that was read last. `ticked` returns the ticked fields. */
interface Chosen {
  data: string;
  schema: string;
  profile: Profile;
  ticked: () => Path[];
}

/** The texts of the shown certificate. `saved` is false if the certificate needs a private file that is not saved yet. `holders` makes the holder's file. */
interface Made {
  files: MadeCertificate['files'];
  public: Texts;
  kept: string;
  saved: boolean;
  holders: (() => ReturnType<typeof holderFile>) | null;
}

interface Shown extends MadeCertificate {
  profile: Profile;
  addresses: Addresses;
  asset: AssetIds | null;
  saved: boolean;
}

/** The fields of a document, as the task `read` returns them. */
type Reading = Awaited<ReturnType<Tasks['read']>>;

const [dataArea, schemaArea] = [byId('data', HTMLTextAreaElement), byId('schema', HTMLTextAreaElement)];
const areas = [dataArea, schemaArea];
const note = (text: string) => (byId('note').textContent = text);

/** Null after a change of the texts. */
let chosen: Chosen | null = null;
let made: Made | null = null;
/** The last used secret and its document. Another document gets another secret. */
let spent: { secret: string; data: string } | null = null;

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));

/** Returns the text area for a dropped text. JSON with an object `properties` counts as a schema. */
function placeOf(text: string) {
  try {
    return !isPrivateFile(text) && isObject(own(JSON.parse(text), 'properties')) ? schemaArea : dataArea;
  } catch {
    return dataArea;
  }
}

const announce = (text: string) => announceBelow(byId('answer'), text);
const finish = (text: string) => showAtHome(byId('answer'), 'valid', say('certify.done'), text);
const refuse = (error: unknown) => refuseBelow(byId('answer'), say('common.notPossible'), sentence(error));

/** Scrolls an element to the top of the window, so that the content after it is visible. */
function lookAt(place: HTMLElement) {
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: 'start' });
}

/** Discards the earlier result, because the input has changed. */
function forgetResult() {
  forget();
  made = null;
  byId('answer').hidden = true;
  byId('result').hidden = true;
  for (const id of ['copied', 'private-saved', 'handover']) {
    byId(id).textContent = '';
  }
}

function forgetChoice() {
  forgetResult();
  chosen = null;
  byId('choice').hidden = true;
}

/** Shows the fields that can be made public. `opened` is the content of a private file, whose public values are ticked again. */
async function read(opened: { paths: Path[]; secret?: string } = { paths: [] }) {
  forgetChoice();
  announce(`${say('certify.reading')} ${say('certify.wait')}`);
  try {
    const [data, schema] = [textOf(dataArea), textOf(schemaArea)];
    const profile = profileNow();
    const { nodes, outside, addresses, asset, whole } = await ask('read', { data, schema, profile });
    chosen = { data, schema, profile, ticked: showTree(byId('tree'), worded(nodes), opened.paths) };
    showProfile(profile);
    askForAsset(asset, opened.secret !== undefined);
    showOutside(outside);
    byId('shown-whole').textContent = wholeText(whole);
    for (const [name, address] of Object.entries(addresses)) {
      byId(`${name}-address`, HTMLInputElement).value = address || byId(`${name}-address`, HTMLInputElement).value;
    }
    provideSecret(opened.secret, data);
    byId('answer').hidden = true;
    byId('choice').hidden = false;
    lookAt(byId('choice'));
  } catch (error) {
    refuse(error);
  }
}

const profileNow = (): Profile => (byId('profile', HTMLSelectElement).value === 'AIH-2' ? 'AIH-2' : 'AIH-1');

/** Returns the nodes. A node that has only the key of a text gets the text. */
const worded = (nodes: PlanNode[]): Choice[] => nodes.map((node) => ({ ...node, text: node.text ?? say(node.key ?? '', { count: node.count }), children: worded(node.children) }));

/** Shows the names of values that are not certified, because the schema does not describe them. */
function showOutside(outside: string[]) {
  const names = outside.slice(0, 5).map(visible).join(', ');
  const count = outside.length - 5;
  byId('outside').textContent = names && say(count > 0 ? 'certify.outsideMore' : 'certify.outside', { names, count });
}

/** Shows the texts for a profile. AIH-2 always uses a key. Under AIH-1, a secret is optional. */
function showProfile(profile: Profile) {
  const isAih2 = profile === 'AIH-2';
  byId('protect-label').hidden = isAih2;
  byId('protect-hint').hidden = isAih2;
  byId('secret-label').textContent = say(isAih2 ? 'certify.key' : 'certify.secret');
  byId('secret', HTMLInputElement).disabled = !isAih2 && !byId('protect', HTMLInputElement).checked;
}

/** Shows the fields of the asset. For a private file without an asset, ticks the box `unbound`, so that certifying gives the same certificate. */
function askForAsset(asset: Reading['asset'], isOpened: boolean) {
  byId('asset').hidden = asset === null;
  if (asset === null) {
    return;
  }
  const fill = (key: string, id: string) => (byId(key, HTMLInputElement).value = id || (isOpened ? '' : byId(key, HTMLInputElement).value));
  fill('ledger-id', asset.ledgerId);
  fill('asset-id', asset.assetId);
  byId('unbound', HTMLInputElement).checked = isOpened && asset.ledgerId === '';
  byId('bound-schema').textContent = asset.schemaId;
  byId('bound-added').hidden = !asset.isAdded;
  showBound();
}

function showBound() {
  const isUnbound = byId('unbound', HTMLInputElement).checked;
  byId('ledger-id', HTMLInputElement).disabled = isUnbound;
  byId('asset-id', HTMLInputElement).disabled = isUnbound;
}

/** Shows the secret of a private file. Without a private file, creates a new secret, unless the field already has a secret that only this document uses. */
function provideSecret(opened: string | undefined, data: string) {
  const field = byId('secret', HTMLInputElement);
  if (opened !== undefined) {
    field.value = opened;
    byId('protect', HTMLInputElement).checked = opened !== '';
    field.disabled = opened === '' && profileNow() === 'AIH-1';
    showSecret(opened === '' ? '' : say('certify.secretOpened'));
  } else if (field.value === '' || (field.value === spent?.secret && data !== spent?.data)) {
    field.value = randomHex(32);
    showSecret(say('certify.secretNew'));
  }
}

const showSecret = (text: string) => (byId('secret-origin').textContent = text);

/** Continues from a private file, if the visitor gave one instead of a document. */
function openPrivateFile() {
  const text = textOf(dataArea);
  if (!isPrivateFile(text)) {
    return;
  }
  try {
    const { data, schema, profile, ...opened }: PrivateFile = readPrivateFile(text);
    byId('profile', HTMLSelectElement).value = profile;
    put(dataArea, data, say('certify.opened'));
    put(schemaArea, schema, say('certify.opened'));
    for (const name of ['evidence', 'schema']) {
      byId(`${name}-address`, HTMLInputElement).value = '';
    }
    read(opened);
  } catch (error) {
    refuse(error);
  }
}

async function certify() {
  forgetResult();
  try {
    if (!chosen) {
      throw Refusal.of('certify.notRead');
    }
    const { data, schema, profile, ticked } = chosen;
    const paths = ticked();
    if (paths.length === 0) {
      throw Refusal.of('certify.nothingTicked');
    }
    const secret = profile === 'AIH-2' || byId('protect', HTMLInputElement).checked ? byId('secret', HTMLInputElement).value.trim() : undefined;
    if (profile === 'AIH-2' && !/^[0-9a-f]{64}$/.test(secret ?? '')) {
      throw Refusal.of('certify.keyWrong');
    }
    if (secret === '') {
      throw Refusal.of('certify.secretMissing');
    }
    const addresses = { evidence: byId('evidence-address', HTMLInputElement).value.trim(), schema: byId('schema-address', HTMLInputElement).value.trim() };
    const asset = profile === 'AIH-1' || byId('unbound', HTMLInputElement).checked ? null : { ledgerId: byId('ledger-id', HTMLInputElement).value, assetId: byId('asset-id', HTMLInputElement).value };
    announce(`${say('certify.working')} ${say('certify.wait')}`);
    const certificate = await ask('certify', { data, schema, profile, paths, secret, addresses, asset });
    if (secret !== undefined) {
      spent = { secret, data };
    }
    show({ ...certificate, profile, addresses, asset, saved: secret === undefined });
    finish(say(secret === undefined ? 'certify.doneBelow' : 'certify.saveFirst'));
    lookAt(byId('answer'));
  } catch (error) {
    refuse(error);
  }
}

function show({ imprint, schemaId, metadata, evidence, schema, profile, kept, whole, document, files, addresses, asset, saved }: Shown) {
  const isWhole = asset !== null && document !== undefined && whole !== undefined;
  const holders = isWhole ? () => holderFile({ ...asset, imprint, schema: dataOf(JSON.parse(schema)), document, whole: JSON.parse(whole) }) : null;
  made = { files, public: { metadata: metadata.whole, evidence: evidence.whole, schema, imprint }, kept, saved, holders };
  byId('whole').hidden = asset === null;
  byId('imprint').textContent = imprint;
  byId('schema-id').textContent = schemaId;
  byId('metadata').textContent = metadata.shown;
  byId('evidence').textContent = evidence.shown;
  byId('evidence-place').textContent = placeSentence(addresses.evidence);
  byId('schema-place').textContent = placeSentence(addresses.schema);
  byId('badge-note').textContent = addresses.evidence === '' || addresses.schema === '' ? say('certify.noBadge') : '';
  byId('keep').textContent = say(saved ? 'certify.keepOpen' : profile === 'AIH-2' ? 'certify.keepKey' : 'certify.keepSecret');
  byId('public').hidden = !saved;
  byId('result').hidden = false;
}

function placeSentence(address: string) {
  return address === '' ? say('certify.beside') : say('certify.upload', { address: visible(address) });
}

function savePrivateFile() {
  if (made === null) {
    return;
  }
  download(`${made.files.certificate}.private.json`, made.kept);
  made.saved = true;
  byId('public').hidden = false;
  finish(say('certify.donePublic'));
  byId('private-saved').textContent = say('certify.saved');
  lookAt(byId('publish-title'));
}

function saveHolders() {
  try {
    const file = made?.holders?.();
    if (file !== undefined) {
      download(file.name, file.text, file.type);
    }
  } catch (error) {
    refuse(error);
  }
}

/** Passes the certificate to the verify page. If the certificate is too large, the visitor has to open its files there. */
function handOver(event: Event) {
  if (made !== null && !leave(made.public)) {
    event.preventDefault();
    byId('handover').textContent = say('certify.tooLarge');
  }
}

acceptFiles(areas, placeOf, note, { read: (names) => say('certify.files', { names: listText(names) }), sentence });
copyButton(
  byId('copy'),
  byId('imprint'),
  () => byId('imprint').textContent ?? '',
  (text) => (byId('copied').textContent = text),
  { copied: say('common.copied'), selected: say('common.selected') },
);
for (const area of areas) {
  area.addEventListener('input', forgetChoice);
}
byId('data').addEventListener('input', openPrivateFile);
byId('unbound').addEventListener('change', showBound);
byId('protect').addEventListener('change', () => (byId('secret', HTMLInputElement).disabled = !byId('protect', HTMLInputElement).checked));
byId('secret').addEventListener('input', () => showSecret(''));
for (const name of ['metadata', 'evidence', 'schema'] as const) {
  byId(`save-${name}`).addEventListener('click', () => {
    if (made !== null) {
      download(`${name === 'schema' ? made.files.schema : made.files.certificate}.${name}.json`, made.public[name]);
    }
  });
}
byId('save-private').addEventListener('click', savePrivateFile);
byId('save-whole').addEventListener('click', saveHolders);
byId('profile').addEventListener('input', forgetChoice);
// Until the secret is saved, it exists only on this page.
addEventListener('beforeunload', (event) => made?.saved === false && event.preventDefault());
byId('verify').addEventListener('click', handOver);
byId('choice').addEventListener('input', forgetResult);
byId('read').addEventListener('click', () => read());
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  certify();
});
