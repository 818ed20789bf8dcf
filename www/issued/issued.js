// The page that lists the certificates of the signed-in account's ledgers, prints them, replaces them one at a time, and withdraws them with a reason.
import { recordOf } from '/certificate/view.js';
import { ActionKind, RequestStatus } from '/client/index.js';
import { announceBelow, finishBelow, refuseBelow } from '/lib/answers.js';
import { allBatches, progressOf, storeOf } from '/lib/batches.js';
import { beside } from '/lib/beside.js';
import { filesOf, resultOf, zipOf } from '/lib/bulk.js';
import { MAX_WITHDRAWN, destroy, isReplaceable, reasonOf, update } from '/lib/changes.js';
import { headingOf } from '/lib/display.js';
import { doubtsConfirmation, doubtsOf } from '/lib/doubts.js';
import { readFile } from '/lib/file.js';
import { showForm } from '/lib/form.js';
import { ASSET_KEYS, isPointer } from '/lib/issue.js';
import { isHosted, ownLedgers, publicFiles, publish } from '/lib/issuing.js';
import { Refusal, own, shorten, visible } from '/lib/json.js';
import { titleOf } from '/lib/ledger-choice.js';
import { certificateOf, plainFields } from '/lib/model.js';
import { byId, certified, download, element } from '/lib/page.js';
import { sentence } from '/lib/sentence.js';
import { printSheets } from '/lib/sheets.js';
import { offerSignIn } from '/lib/sign-in.js';
import { explained } from '/lib/signer.js';
import { readText } from '/lib/text-file.js';
import { dayText, listText, locale, offerLanguages, say, translate } from '/lib/texts.js';
import { readable } from '/lib/titles.js';

/** The number of certificates that one request reads. */
const PAGE = 25;
/** The maximum number of the account's orders that are searched for withdrawals. */
const MAX_ORDERS = 400;
/** The maximum number of withdrawn certificates that are listed. */
const MAX_LISTED = 100;
/** The maximum length of a shown name, in characters. */
const MAX_NAME = 120;

const { ask } = beside('/lib/batch-worker.js');

let session = null;
let ledgers = [];
/** The shown certificates: `{ asset, item, box, note, record, reason }`. `record` is the service's answer, or null. `reason` is set once the certificate is withdrawn. */
let shown = [];
/** The cursor of the next page. Null on the last page. */
let next = null;
/** The keys of the rows of this browser's batches, by ledger and asset. */
let keys = new Map();
/** Withdrawn certificates whose reason the service does not have yet. */
let unexplained = [];
/** The certificate that is being replaced: `{ row, ledger, schema, titled, form, ordered }`. Null otherwise. `titled` is the schema with the titles of the page's language, and `ordered` has the content that the ledger has accepted. */
let replacement = null;
let turn = 0;

translate();
offerLanguages(byId('languages'));

async function start(now) {
  session = now;
  unexplained = [];
  byId('listing').hidden = true;
  showReplacing(false);
  byId('answer').hidden = true;
  turn += 1;
  if (session === null) {
    return;
  }
  try {
    keys = await knownKeys();
    ledgers = await ownLedgers(session.client);
    if (ledgers.length === 0) {
      throw Refusal.of('issued.noLedger');
    }
    byId('ledger').replaceChildren(...ledgers.map((ledger) => element('option', { value: ledger.id }, titleOf(ledger))));
    byId('ledger-line').hidden = ledgers.length === 1;
    byId('listing').hidden = false;
    await showLedger();
  } catch (error) {
    refuse(error);
  }
}

/** Returns the keys of the rows of all batches in this browser, by ledger and asset. Only the issuer sees these keys. */
async function knownKeys() {
  const found = new Map();
  for (const { id, ledger } of await allBatches()) {
    for (const [key, asset] of progressOf(await storeOf(id).read()).assets) {
      found.set(`${ledger.id.toLowerCase()}/${asset}`, key);
    }
  }
  return found;
}

const chosenLedger = () => ledgers.find(({ id }) => id === byId('ledger').value);

async function showLedger() {
  turn += 1;
  shown = [];
  next = undefined;
  byId('assets').replaceChildren();
  byId('all').checked = false;
  byId('listing-title').textContent = chosenLedger().name;
  byId('gone').open = false;
  byId('gone-list').replaceChildren();
  byId('gone-note').textContent = '';
  await showMore();
}

async function showMore() {
  const now = turn;
  const ledger = chosenLedger();
  const { data, meta } = await session.client.getLedgerAssets(ledger.ref, { limit: PAGE, ...(next === undefined ? {} : { after: next }) });
  if (now !== turn) {
    return;
  }
  next = meta.next ?? null;
  byId('more').hidden = next === null;
  const rows = data.map(rowOf);
  shown.push(...rows);
  byId('assets').append(...rows.map(({ item }) => item));
  byId('none').hidden = shown.length > 0;
  byId('some').hidden = shown.length === 0;
  for (const row of rows) {
    await fill(row);
  }
}

function rowOf(asset) {
  const box = element('input', { type: 'checkbox', id: `asset-${asset.id}` });
  const name = element('label', { for: box.id, id: `name-${asset.id}`, translate: 'no' }, shortId(asset.id));
  const known = keys.get(`${asset.ledgerId.toLowerCase()}/${asset.id}`);
  const facts = [...(known === undefined ? [] : [visible(shorten(known, MAX_NAME))]), dayText(asset.createdAt)].join(' · ');
  const link = element('a', { href: linkOf(asset), target: '_blank', rel: 'noopener' }, say('issue.open'));
  const note = element('p', { class: 'gone', hidden: true });
  const item = element('li', {}, box, element('div', {}, name, element('bdi', { class: 'hint', id: `facts-${asset.id}`, translate: 'no' }, facts)), link, note);
  // Many certificates have the same name, so the box is also named by the row's key and date.
  box.setAttribute('aria-labelledby', `name-${asset.id} facts-${asset.id}`);
  return { asset, item, box, name, note, link, known, record: null, reason: null };
}

const linkOf = ({ ledgerId, id }) => `${location.origin}/c/${ledgerId}/${id}`;
const shortId = (id) => (id.length > 12 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id);

/** Shows the public name of a certificate. */
async function fill(row) {
  try {
    row.record = await recordOf({ ledger: row.asset.ledgerId, asset: row.asset.id });
  } catch {
    // The list is useful even without names. Printing fetches the record again.
    return;
  }
  const { metadata, schema } = row.record;
  const name = own(metadata, 'name') ?? (schema === null ? undefined : headingOf(await readable(schema)));
  if (typeof name === 'string') {
    row.name.textContent = visible(shorten(name, MAX_NAME));
    row.link.setAttribute('aria-label', `${say('issue.open')}: ${row.name.textContent}, ${row.known ?? shortId(row.asset.id)}`);
  }
}

// Withdrawn certificates

/** Lists the ledger's certificates that the account has withdrawn, newest first, with date and reason. */
async function showWithdrawn() {
  const now = turn;
  const ledger = chosenLedger();
  byId('gone-note').textContent = say('issued.goneLooking');
  const ids = await withdrawnIds(ledger);
  for (const id of ids) {
    const { status } = await recordOf({ ledger: ledger.id, asset: id }, 'reload');
    if (now !== turn) {
      return;
    }
    if (status.kind === 'withdrawn') {
      byId('gone-list').append(withdrawnElement({ ledgerId: ledger.id, id }, status));
    }
  }
  byId('gone-note').textContent = byId('gone-list').childElementCount === 0 ? say('issued.goneNone') : '';
}

/** Returns the ids of the ledger's assets that the account's orders have withdrawn. */
async function withdrawnIds(ledger) {
  const ids = new Set();
  let left = MAX_ORDERS;
  for await (const { order } of session.client.orders({ statuses: [RequestStatus.FINALIZED], sort: 2, limit: 100 })) {
    for (const action of order.actions) {
      if (action.kind === ActionKind.DESTROY_ASSET && action.ledgerId.toLowerCase() === ledger.id.toLowerCase() && ids.size < MAX_LISTED) {
        ids.add(action.assetId);
      }
    }
    left -= 1;
    if (left === 0 || ids.size === MAX_LISTED) {
      break;
    }
  }
  return ids;
}

function withdrawnElement({ ledgerId, id }, { since, reason }) {
  const known = keys.get(`${ledgerId.toLowerCase()}/${id}`);
  const name = known === undefined ? shortId(id) : visible(shorten(known, MAX_NAME));
  const fact = say('issued.goneOn', { date: dayText(since) });
  const link = element('a', { href: linkOf({ ledgerId, id }), target: '_blank', rel: 'noopener', 'aria-label': `${say('issue.open')}: ${name}` }, say('issue.open'));
  return element('li', {}, element('div', {}, certified(name), element('span', { class: 'hint' }, fact)), link, element('p', { class: 'gone' }, reason === null ? say('issued.goneSilent') : certified(visible(reason))));
}

const ticked = () => shown.filter(({ box, reason }) => box.checked && reason === null);

function tickedOrRefuse() {
  byId('answer').hidden = true;
  byId('note').textContent = '';
  const rows = ticked();
  if (rows.length === 0) {
    byId('note').textContent = say('issued.tickFirst');
    byId('all').focus();
    return null;
  }
  return rows;
}

async function print() {
  const rows = tickedOrRefuse();
  if (rows === null) {
    return;
  }
  try {
    const missing = rows.filter(({ record }) => record === null);
    for (const row of missing) {
      await fill(row);
    }
    const unread = rows.find(({ record }) => record?.metadata == null || record.schema == null);
    if (unread !== undefined) {
      throw Refusal.of('issued.unread', { name: unread.known ?? shortId(unread.asset.id) });
    }
    await printSheets(byId('sheets'), await Promise.all(rows.map(async ({ asset, record: { metadata, schema, issuer } }) => {
      const certificate = certificateOf({ schema: await readable(schema), fields: plainFields(schema, metadata, 'proven'), locale });
      return { certificate, link: linkOf(asset), issuer, issuedAt: own(metadata, 'issuedAt') === undefined ? asset.createdAt : null, level: 2 };
    })));
  } catch (error) {
    refuse(error);
  }
}

function askForReason() {
  const rows = tickedOrRefuse();
  if (rows === null) {
    return;
  }
  if (rows.length > MAX_WITHDRAWN) {
    refuse(Refusal.of('issued.tooMany', { most: MAX_WITHDRAWN }));
    return;
  }
  byId('dialog-title').textContent = say('issued.withdrawTitle', { count: rows.length });
  byId('reason-problem').textContent = '';
  byId('dialog').showModal();
  byId('reason').focus();
}

async function withdraw() {
  let reason;
  try {
    reason = reasonOf(byId('reason').value);
  } catch (error) {
    byId('reason-problem').textContent = sentence(error);
    byId('reason').setAttribute('aria-invalid', 'true');
    byId('reason').focus();
    return;
  }
  byId('dialog').close();
  const [rows, ledger] = [ticked(), chosenLedger()];
  setBusy(true);
  announce(say(session.isWallet ? 'issue.inWallet' : 'issued.withdrawing'));
  try {
    await destroy(session.client, ledger.id, rows.map(({ asset }) => asset.id));
    for (const row of rows) {
      row.reason = reason;
      row.box.checked = false;
      row.box.disabled = true;
      row.note.textContent = say('issued.withdrawn', { reason });
      row.note.hidden = false;
    }
    unexplained.push(...rows);
    byId('reason').value = '';
    await explain();
  } catch (error) {
    refuse(error);
  } finally {
    setBusy(false);
  }
}

/** Sends the reasons that the service does not have yet. */
async function explain() {
  announce(say('issued.explaining'));
  try {
    while (unexplained.length > 0) {
      const [{ asset, reason }] = unexplained;
      await session.client.updateAssetWithdrawal(asset.ledgerId, asset.id, reason);
      unexplained.shift();
      // Refreshes the browser's cached record, so that the certificate's page shows the reason.
      await recordOf({ ledger: asset.ledgerId, asset: asset.id }, 'reload').catch(() => undefined);
    }
    finishBelow(byId('answer'), 'withdrawn', say('issued.done'));
  } catch (error) {
    refuse(error);
    const again = element('button', { type: 'button' }, say('common.again'));
    again.addEventListener('click', explain);
    byId('answer').append(element('p', {}, say('issued.noReason')), again);
  }
}

// Replacing

function offerReplacing() {
  const rows = tickedOrRefuse();
  if (rows === null) {
    return;
  }
  const ledger = chosenLedger();
  if (rows.length > 1 || !isReplaceable(ledger)) {
    refuse(Refusal.of(rows.length > 1 ? 'issued.tickOne' : 'issued.noReplace'));
    return;
  }
  replacement = { row: rows[0], ledger, schema: null, titled: null, form: null, confirmDoubts: doubtsConfirmation({ say, listText }) };
  byId('replace-content').hidden = true;
  showReplacing(true);
  byId('replacing-title').focus();
}

function showReplacing(isShown) {
  byId('replacing').hidden = !isShown;
  byId('listing').inert = isShown;
  if (!isShown) {
    replacement = null;
  }
}

/** Reads the private file of the certificate, and shows its content in a form. */
async function openContent(file) {
  byId('answer').hidden = true;
  const { asset, record } = replacement.row;
  try {
    const { ledger, asset: id, schema, document } = readFile(await readText(file));
    if (ledger.toLowerCase() !== asset.ledgerId.toLowerCase() || id !== asset.id || document === null) {
      throw Refusal.of('issued.replaceOther');
    }
    const isOwn = (key) => !ASSET_KEYS.includes(key) && !isPointer(key);
    const titled = await readable(schema);
    const properties = Object.fromEntries(Object.entries(titled.properties).filter(([key]) => isOwn(key)));
    // The form ticks lists as a whole, so every prefix of a public path is passed as a shown path.
    const open = record?.metadata == null ? [] : plainFields(schema, record.metadata, 'proven').filter(({ path }) => isOwn(path[0]));
    const shown = open.flatMap(({ path }) => path.map((_, index) => path.slice(0, index + 1)));
    Object.assign(replacement, { schema, titled });
    replacement.form = showForm(byId('replace-form'), { ...titled, properties }, { document, shown });
    byId('replace-content').hidden = false;
  } catch (error) {
    refuse(error);
  }
}

/** Certifies the new content, saves its files, and waits until the ledger has the new imprint. Returns the certified document. */
async function order(document, paths) {
  const { row: { asset }, ledger, schema } = replacement;
  const [wrong] = await ask('check', { schema, paths, rows: [{ row: 1, document }] });
  if (wrong !== undefined) {
    throw new Refusal(wrong.message);
  }
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const certified = await ask('certify', { schema, secret, paths, document, ledgerId: ledger.id, assetId: asset.id });
  const files = isHosted(ledger) ? [] : publicFiles(certified, ledger, asset.id);
  const made = resultOf({ ledger, schema }, '', { assetId: asset.id, certified, files });
  // The files are saved before the order is sent, because they cannot be made again without the secret.
  download(`${shortId(asset.id)}.zip`, await zipOf(filesOf(ledger, made)), 'application/zip');
  announce(say(session.isWallet ? 'issue.inWallet' : 'issued.replacingNow'));
  await update(session.client, { ledgerId: ledger.id, assetId: asset.id, imprint: certified.imprint });
  return certified;
}

async function replace() {
  byId('answer').hidden = true;
  const { row: { asset }, ledger, form } = replacement;
  const { document, paths, problems } = form.read();
  form.refuse(problems);
  byId('replace-now').disabled = true;
  try {
    if (problems.length > 0) {
      throw Refusal.of('issue.incomplete', { count: problems.length });
    }
    if (paths.length === 0) {
      throw Refusal.of('issue.nothingPublic');
    }
    const content = JSON.stringify([document, paths]);
    if (replacement.ordered?.content !== content) {
      replacement.confirmDoubts(replacement.titled, doubtsOf(replacement.titled, document, Date.now()), content);
      replacement.ordered = { content, certified: await order(document, paths) };
    }
    // The files are published only after the order. If the wallet or the ledger refuses the order, the published files must still belong to the imprint in force.
    // If publishing fails, the next attempt with the same content only publishes.
    if (isHosted(ledger)) {
      announce(say('issued.replacingNow'));
      await publish(session.client, replacement.ordered.certified, ledger, asset.id);
    }
    await recordOf({ ledger: ledger.id, asset: asset.id }, 'reload').catch(() => undefined);
    showReplacing(false);
    await showLedger();
    finishBelow(byId('answer'), 'valid', say(isHosted(ledger) ? 'issued.replaced' : 'issued.replacedElsewhere'));
  } catch (error) {
    refuse(error);
  } finally {
    byId('replace-now').disabled = false;
  }
}

function setBusy(isBusy) {
  for (const id of ['withdraw', 'replace', 'print', 'ledger', 'more']) {
    byId(id).disabled = isBusy;
  }
}

const announce = (text) => announceBelow(byId('answer'), text);
const refuse = (error) => refuseBelow(byId('answer'), say('common.notPossible'), sentence(explained(error)));

/** Runs an action. If it is refused, shows the reason. */
const orRefuse = (act) => () => act().catch(refuse);

offerSignIn(byId('sign-in'), start);
byId('ledger').addEventListener('change', orRefuse(showLedger));
byId('more').addEventListener('click', orRefuse(showMore));
byId('all').addEventListener('change', ({ target }) => {
  for (const { box, reason } of shown) {
    box.checked = target.checked && reason === null;
  }
});
byId('gone').addEventListener('toggle', () => {
  if (byId('gone').open && byId('gone-list').childElementCount === 0) {
    showWithdrawn().catch(refuse);
  }
});
byId('print').addEventListener('click', print);
byId('withdraw').addEventListener('click', askForReason);
byId('replace').addEventListener('click', offerReplacing);
byId('replace-file').addEventListener('change', ({ target }) => {
  openContent(target.files[0]);
  // Allows choosing the same file again.
  target.value = '';
});
byId('replace-form').addEventListener('submit', (event) => event.preventDefault());
byId('replace-now').addEventListener('click', replace);
byId('replace-cancel').addEventListener('click', () => {
  showReplacing(false);
  byId('replace').focus();
});
byId('dialog-form').addEventListener('submit', (event) => {
  event.preventDefault();
  withdraw();
});
byId('reason').addEventListener('input', () => byId('reason').removeAttribute('aria-invalid'));
byId('cancel').addEventListener('click', () => byId('dialog').close());
