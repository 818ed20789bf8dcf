// The page that issues a certificate for each row of a table: it reads and checks the table, signs, and hands over links and files.
import { fromUnits } from '/client/index.js';
import { parse } from '/csv/sync.js';
import { announceBelow, refuseBelow } from '/lib/answers.js';
import { allBatches, alone, isSavable, keepBatch, loadBatch, progressOf, removeBatch, saveBatch, storeOf } from '/lib/batches.js';
import { beside } from '/lib/beside.js';
import { archiveOf, issueBatch, resultTable } from '/lib/bulk.js';
import { schemaAt } from '/lib/certified.js';
import { nameOf } from '/lib/display.js';
import { doubtsConfirmation, doubtsOfRows } from '/lib/doubts.js';
import { showForm } from '/lib/form.js';
import { randomHex, withAssetFields } from '/lib/issue.js';
import { deploy, isHosted, ledgersOf } from '/lib/issuing.js';
import { Refusal, pathText, valueAt, visible } from '/lib/json.js';
import { chosenLedger, newLedger, offerLedgers, showCosts } from '/lib/ledger-choice.js';
import { documentOf, fieldsOf, guessFields, keysOf } from '/lib/mapping.js';
import { certificateOf, plainFields } from '/lib/model.js';
import { byId, certified, download, element } from '/lib/page.js';
import { hiddenName } from '/lib/paper.js';
import { sentence } from '/lib/sentence.js';
import { showPaper } from '/lib/sheet.js';
import { printSheets } from '/lib/sheets.js';
import { offerSignIn } from '/lib/sign-in.js';
import { explained, serviceOf } from '/lib/signer.js';
import { MAX_BYTES, WINDOWS_1252, decodeTable, readTable } from '/lib/table.js';
import { TEMPLATES, parseField, problemsOf, schemaFrom, templateOf, today } from '/lib/templates.js';
import { readText } from '/lib/text-file.js';
import { dayText, listText, locale, offerLanguages, say, translate } from '/lib/texts.js';
import { readable, schemasById } from '/lib/titles.js';

/** The values of two options: a template made from the table's own columns, and a column that is left out. */
const OWN = 'own';
const NONE = '';
/** The ending of the file names of saved lists, and the maximum size of a saved list in bytes. */
const LIST_ENDING = '.assay-list.json';
const MAX_LIST = 200_000_000;
/** The maximum number of problems and links that are shown. The archive has all links. */
const MAX_SHOWN = 200;

const { ask } = beside('/lib/batch-worker.js');
const certify = (input) => ask('certify', input);
const confirmDoubts = doubtsConfirmation({ say, listText });

/** The dropped file `{ name, bytes, encoding }`, and the table that `readTable` returned. Null before a file is dropped. */
let given = null;
let table = null;
/** The template `{ schema, schemaIn, shown, ledger, fields }`. `schemaIn(say)` is its schema in a language, and `fields` are the schema's fields. Null without a table. */
let template = null;
/** The form for the fields without a column, which have the same value in every certificate. */
let form = null;
/** The checked rows in order: `{ schema, mapped, paths, hidden, rows }`, where `mapped` has the field of each column, or null. Null before the check. */
let checked = null;
let session = null;
/** The account's ledgers with the schema. Null until they are known. */
let ledgers = null;
/** The batch that was started or continued last. Null before issuing. */
let running = null;
/** The issued batch and its results. Null before it is issued. */
let done = null;

translate();
offerLanguages(byId('languages'));

// 1. The table

function offerTemplates() {
  const named = TEMPLATES.map((name) => element('option', { value: name }, say(`template.${name}.title`)));
  byId('template').replaceChildren(...named, element('option', { value: OWN }, say('many.own')));
}

async function open(file) {
  given = null;
  try {
    // Reads at most `MAX_BYTES + 1` bytes, which is enough to recognize a file that is too large.
    const bytes = new Uint8Array(await file.slice(0, MAX_BYTES + 1).arrayBuffer());
    given = { name: visible(file.name), bytes, encoding: null };
  } catch {
    refuse(Refusal.of('many.unreadable'));
    return;
  }
  read();
}

/** Reads the table. If the encoding or delimiter is not certain, asks the user. */
function read(delimiter = null) {
  forgetTable();
  try {
    table = readTable(decodeTable(given.bytes, given.encoding), parse, delimiter);
    byId('drop-line').textContent = say('many.read', { name: given.name, count: table.rows.length + table.errors.length });
    showColumns();
    lookAt('columns-title');
  } catch (error) {
    table = null;
    if (error.key === 'table.encoding') {
      byId('encoding-sample').textContent = sentence(error);
      byId('encoding').hidden = false;
      byId('encoding-yes').focus();
    } else if (error.key === 'table.delimiter') {
      byId('separator-text').textContent = sentence(error);
      byId('separator').hidden = false;
      byId('separator').querySelector('button').focus();
    } else {
      refuse(error);
    }
  }
}

function forgetTable() {
  table = null;
  byId('drop-line').textContent = say('many.drop');
  for (const id of ['encoding', 'separator', 'columns']) {
    byId(id).hidden = true;
  }
  forgetCheck();
}

function forgetCheck() {
  checked = null;
  for (const id of ['answer', 'problems', 'preview', 'signing']) {
    byId(id).hidden = true;
  }
}

// 2. The columns

function showColumns() {
  const name = byId('template').value;
  byId('kind-field').hidden = name !== OWN;
  if (table === null) {
    return;
  }
  try {
    template = name === OWN ? ownTemplate() : { ...templateOf(name, say), schemaIn: (say) => templateOf(name, say).schema };
  } catch (error) {
    refuse(error);
    return;
  }
  template.fields = fieldsOf(template.schema);
  const guesses = name === OWN ? guessFields(table.columns, template.fields) : personGuesses();
  byId('mapping').replaceChildren(...table.columns.map((column, index) => columnElement(column, index, guesses[index])));
  byId('key-column').replaceChildren(...table.columns.map((column, index) => element('option', { value: String(index) }, column)), element('option', { value: NONE }, say('many.keyNone')));
  byId('key-column').value = keyGuess();
  byId('columns').hidden = false;
  showSame();
}

/**
 * Returns guesses for a template whose key `name` is the public title of the certificate, such as the name of a course. A column `Name` usually
 * has the names of people, so it becomes the holder instead.
 */
function personGuesses() {
  const guesses = guessFields(table.columns, template.fields);
  const isTitle = (field, column) => field?.path[0] === 'name' && field.title.toLowerCase() !== column.trim().toLowerCase();
  const holder = template.fields.find(({ path }) => path[0] === 'holder');
  const isFree = holder !== undefined && !guesses.includes(holder);
  return guesses.map((field, index) => (isTitle(field, table.columns[index]) ? (isFree ? holder : null) : field));
}

/** Makes a template from the table's own columns. Each field is a string, even if the first row has a number. */
function ownTemplate() {
  const example = Object.fromEntries(table.columns.map((column) => [column, '']));
  const kind = byId('kind').value.trim();
  const schemaIn = (say) => schemaFrom(example, kind || say('template.own.title'));
  return { schema: schemaIn(say), schemaIn, shown: [[table.columns[0]]], ledger: { name: kind, symbol: 'CERT' } };
}

function columnElement(column, index, guess) {
  const options = template.fields.map((field, number) => element('option', { value: String(number) }, labelOf(field)));
  const select = element('select', { 'aria-label': say('many.becomes', { column: visible(column) }) }, element('option', { value: NONE }, say('many.leftOut')), ...options);
  select.value = guess === null ? NONE : String(template.fields.indexOf(guess));
  const box = element('input', { type: 'checkbox' });
  const tick = () => {
    const field = template.fields[Number(select.value)];
    box.disabled = select.value === NONE;
    box.checked = select.value !== NONE && template.shown.some((path) => isBelow(field.path, path));
  };
  tick();
  select.addEventListener('change', () => {
    tick();
    showSame();
  });
  const example = table.rows.map(({ cells }) => cells[index]).find((cell) => cell !== '') ?? '';
  const name = element('span', { class: 'name' }, certified(visible(column)), certified(visible(example.slice(0, 60)), 'hint'));
  return element('li', {}, name, select, element('label', {}, box, ' ', say('form.public')));
}

const labelOf = ({ path }) => path.map((_, index) => nameOf(template.schema, path.slice(0, index + 1))).join(' · ');
const isBelow = (path, above) => above.every((step, index) => path[index] === step);

/** Returns the first column that can identify the rows: its cells are all different, and none is empty. Columns of numbers and e-mail addresses come before columns of names. */
function keyGuess() {
  const fits = table.columns.map((_, index) => keysOf(table.rows, table.columns, index).errors.length === 0);
  const isCode = (index) => table.rows.every(({ cells }) => /^\S*[\d@]\S*$/.test(cells[index].trim()));
  const found = [fits.findIndex((fit, index) => fit && isCode(index)), fits.indexOf(true)].find((index) => index >= 0);
  return found === undefined ? NONE : String(found);
}

/** Returns for each column its field or null, and whether it is public. */
function mappingNow() {
  return [...byId('mapping').children].map((item) => {
    const number = item.querySelector('select').value;
    return { field: number === NONE ? null : template.fields[Number(number)], isPublic: item.querySelector('input').checked };
  });
}

/** Shows a form for the fields without a column. Keeps values that were already filled in. */
function showSame() {
  forgetCheck();
  const used = new Set(mappingNow().flatMap(({ field }) => (field === null ? [] : [field.path[0]])));
  const properties = Object.entries(template.schema.properties).filter(([key]) => !used.has(key));
  const before = form?.read();
  byId('same').hidden = properties.length === 0;
  const schema = { ...template.schema, properties: Object.fromEntries(properties) };
  const document = before?.document ?? (Object.hasOwn(schema.properties, 'issuedAt') ? { issuedAt: today() } : {});
  form = showForm(byId('form'), schema, { document, shown: before === undefined ? template.shown : [...template.shown, ...before.paths], changed: forgetCheck });
}

async function check() {
  forgetCheck();
  try {
    const mapping = mappingNow();
    const same = form.read();
    form.refuse(same.problems);
    if (same.problems.length > 0) {
      throw Refusal.of('issue.incomplete', { count: same.problems.length });
    }
    const twice = mapping.find(({ field }, index) => field !== null && mapping.findIndex((other) => other.field === field) < index);
    if (twice !== undefined) {
      throw Refusal.of('many.twice', { field: labelOf(twice.field) });
    }
    if (mapping.every(({ field }) => field === null)) {
      throw Refusal.of('many.nothing');
    }
    const ofColumns = (isWanted) => mapping.filter(({ field, isPublic }) => field !== null && isPublic === isWanted).map(({ field }) => field.path);
    const [paths, hidden] = [[...ofColumns(true), ...same.paths], [...ofColumns(false), ...same.hidden]];
    if (paths.length === 0) {
      throw Refusal.of('issue.nothingPublic');
    }
    announce(say('many.checking'));
    const { rows, problems } = await checkRows(mapping, same.document, paths);
    byId('answer').hidden = true;
    if (problems.length > 0) {
      showProblems(problems);
      return;
    }
    checked = { schema: withAssetFields(template.schema), mapped: mapping.map(({ field }) => field), paths, hidden, rows, at: 0 };
    showPreview();
    byId('signing').hidden = false;
    byId('ledger-name').value = template.ledger.name;
    byId('issue').textContent = say('many.issue', { count: rows.length });
    findLedgers();
    lookAt('preview-title');
  } catch (error) {
    refuse(error);
  }
}

/** Returns the rows as documents, and all problems in the order of the rows: `{ row, column, text }`. */
async function checkRows(mapping, same, paths) {
  const { columns } = table;
  const mapped = mapping.map(({ field }) => field);
  const keyColumn = byId('key-column').value;
  const { keys, errors } = keysOf(table.rows, columns, keyColumn === NONE ? null : Number(keyColumn));
  const problems = [...table.errors, ...errors].map(({ row, column, key, values }) => ({ row, column, text: say(key, values) }));
  const rows = [];
  for (const [index, one] of table.rows.entries()) {
    const { document, errors } = documentOf(one, columns, mapped);
    const found = errors.map(({ column, key, values }) => ({ row: one.row, column, text: say(key, values) }));
    const whole = { ...same, ...document };
    found.push(...formProblems(one, mapped, document), ...(errors.length > 0 ? [] : missingProblems(one.row, whole, mapped)));
    problems.push(...found);
    if (found.length === 0) {
      rows.push({ row: one.row, cells: one.cells, key: keys[index], document: whole });
    }
  }
  const refused = await ask('check', { schema: withAssetFields(template.schema), paths, rows: rows.map(({ row, document }) => ({ row, document })) });
  problems.push(...refused.map(({ row, path, message }) => ({ row, column: columnOf(mapped, path), text: message })));
  return { rows, problems: problems.toSorted((one, other) => one.row - other.row) };
}

/** Returns the problems of cells whose text does not have the format that the schema requires, such as a date. */
function formProblems({ row, cells }, mapped, document) {
  return mapped.flatMap((field, index) => {
    if (field === null || typeof valueAt(document, field.path) !== 'string') {
      return [];
    }
    try {
      parseField(schemaAt(template.schema, field.path), cells[index]);
      return [];
    } catch (error) {
      return [{ row, column: table.columns[index], text: sentence(error) }];
    }
  });
}

const missingProblems = (row, document, mapped) => problemsOf(template.schema, document).map(({ path, key, values }) => ({ row, column: columnOf(mapped, path), text: say(key, values) }));

/** Returns the column of a path, or the name of its field. */
function columnOf(mapped, path) {
  const index = mapped.findIndex((field) => field !== null && isBelow(path, field.path));
  return index < 0 ? visible(nameOf(template.schema, path) ?? pathText(path)) : table.columns[index];
}

function showProblems(problems) {
  byId('problems-title').textContent = say('many.problemsTitle', { count: problems.length });
  const shown = problems.slice(0, MAX_SHOWN).map(({ row, column, text }) => element('tr', {}, element('th', { scope: 'row' }, String(row)), element('td', {}, certified(visible(column ?? '–'))), element('td', {}, text)));
  byId('problem-rows').replaceChildren(...shown);
  byId('problems').hidden = false;
  lookAt('problems-title');
}

// 3. The preview

function showPreview() {
  const { schema, paths, hidden, rows, at } = checked;
  const fields = plainFields(schema, rows[at].document, 'proven').filter(({ path }) => paths.some((above) => isBelow(path, above)));
  const names = hidden.filter((path) => valueAt(rows[at].document, path) !== undefined).map((path) => hiddenName(schema, path));
  showPaper(byId('paper'), certificateOf({ schema, fields, locale }), { hidden: [...new Set(names)], level: 3 });
  byId('preview-row').textContent = say('many.rowOf', { row: rows[at].row, count: rows.length });
  byId('previous').disabled = at === 0;
  byId('next').disabled = at === rows.length - 1;
  byId('preview').hidden = false;
}

function turn(step) {
  checked.at += step;
  showPreview();
}

// 4. Signing

let search = 0;

/** Finds the account's ledgers for the schema, in whatever language of this page they were deployed. */
async function findLedgers() {
  search += 1;
  const turn = search;
  ledgers = null;
  byId('ledger').hidden = true;
  byId('issue').disabled = true;
  byId('signed').hidden = session === null || checked === null;
  if (session === null || checked === null) {
    return;
  }
  try {
    const schemas = await schemasById((say) => withAssetFields(template.schemaIn(say)), (schema) => ask('identify', { schema }));
    const [found, { files }] = [await ledgersOf(session.client, [...schemas.keys()]), await serviceOf()];
    if (turn === search) {
      checked.schemas = schemas;
      ledgers = found;
      offerLedgers(found, Boolean(files));
      showLedgerCosts();
    }
  } catch (error) {
    if (turn === search) {
      refuse(error);
    }
  } finally {
    if (turn === search) {
      byId('issue').disabled = false;
    }
  }
}

const showLedgerCosts = () => showCosts(session.costs, checked.rows.length);

async function ledgerToUse() {
  const chosen = chosenLedger(ledgers);
  if (chosen !== undefined) {
    return chosen;
  }
  const wanted = await newLedger(session.account);
  return deploy(session.client, { ...wanted, symbol: template.ledger.symbol, schemaId: [...checked.schemas.keys()][0] });
}

async function issue() {
  byId('answer').hidden = true;
  byId('issue').disabled = true;
  try {
    if (ledgers === null) {
      // The search has failed, and its error is already shown.
      await findLedgers();
      return;
    }
    if (session.isUnsaved) {
      throw Refusal.of('issue.keyUnsaved');
    }
    const cost = showLedgerCosts();
    if (session.costs !== null && cost > BigInt(session.costs.balance)) {
      throw Refusal.of('many.poor', { cost: fromUnits(cost), balance: fromUnits(BigInt(session.costs.balance)) });
    }
    confirmDoubts(checked.schema, doubtsOfRows(checked.schema, checked.rows, checked.mapped, Date.now()), checked);
    announce(say(session.isWallet ? 'issue.inWallet' : 'issue.step.ledger'));
    const batch = await begin(await ledgerToUse());
    byId('answer').hidden = true;
    await run(batch);
  } catch (error) {
    refuse(error);
  } finally {
    byId('issue').disabled = false;
  }
}

/** Stores the batch before its first order. If a column identifies the rows, continues an earlier batch of the same kind. */
async function begin({ id, name, schemaId, uriPrefix, uriPostfix, ref }) {
  const { schemas, paths, rows } = checked;
  const keyColumn = byId('key-column').value === NONE ? null : table.columns[Number(byId('key-column').value)];
  const kind = JSON.stringify([location.origin, session.account.toLowerCase(), id, keyColumn, paths]);
  const known = keyColumn === null ? undefined : (await allBatches()).find((batch) => batch.kind === kind);
  const batch = {
    id: known?.id ?? randomHex(16),
    secret: known?.secret ?? crypto.getRandomValues(new Uint8Array(32)),
    kind,
    begun: Date.now(),
    name: given.name,
    account: session.account,
    ledger: { id, ref, name, schemaId, uriPrefix, uriPostfix },
    // A ledger takes certificates with its own schema only, so their titles are in its language.
    schema: schemas.get(schemaId.toLowerCase()),
    paths,
    columns: table.columns,
    delimiter: table.delimiter,
    rows,
  };
  await keepBatch(batch);
  return batch;
}

async function run(batch) {
  running = batch;
  byId('making').hidden = true;
  byId('kept').hidden = true;
  byId('working').hidden = false;
  byId('working-note').textContent = '';
  showProgress({ total: batch.rows.length, certified: 0, issued: 0 });
  lookAt('working-title');
  addEventListener('beforeunload', staysOpen);
  try {
    let results;
    const isFree = await alone(batch.id, async () => {
      results = await issueBatch(batch, session.client, certify, { onProgress: showProgress });
    });
    if (!isFree) {
      throw Refusal.of('many.otherTab');
    }
    done = { batch, results };
    showDone();
  } catch (error) {
    byId('making').hidden = false;
    await showKept();
    throw error;
  } finally {
    removeEventListener('beforeunload', staysOpen);
    byId('working').hidden = true;
  }
}

function showProgress({ total, certified, issued }) {
  byId('bar').max = 2 * total;
  byId('bar').value = certified + issued;
  byId('working-text').textContent = certified < total ? say('many.certified', { number: certified, count: total }) : say('many.recorded', { number: issued, count: total });
}

const staysOpen = (event) => event.preventDefault();

// 5. Done

function showDone() {
  const { batch, results } = done;
  byId('finished-title').textContent = say('many.doneTitle', { count: results.length });
  byId('public-hint').hidden = isHosted(batch.ledger);
  byId('saved').textContent = '';
  byId('links').replaceChildren(...results.slice(0, MAX_SHOWN).map(({ key, link }, index) => element('li', {}, element('a', { href: link, target: '_blank', rel: 'noopener' }, titleOf(batch.rows[index], key)))));
  byId('finished').hidden = false;
  lookAt('finished-title');
}

/** Returns the shown name of a row: its key, or its position and first cell. */
const titleOf = ({ cells }, key) => visible(cells.includes(key) ? key : `${key}. ${cells.find((cell) => cell !== '') ?? ''}`);

const stemOf = ({ name }) => name.replace(/\.[^.]*$/, '') || 'certificates';

async function save() {
  const { batch, results } = done;
  download(`${stemOf(batch)}.certificates.zip`, await archiveOf(batch, results), 'application/zip');
  // The archive has all private values, so only the list of issued rows is kept.
  await keepBatch({ ...batch, rows: [] });
  byId('saved').textContent = say('many.saved');
}

async function printAll() {
  const { batch, results } = done;
  const schema = await readable(batch.schema);
  const sheets = results.map(({ document, link }) => ({ certificate: certificateOf({ schema, fields: plainFields(schema, document, 'proven'), locale }), link, level: 2 }));
  await printSheets(byId('sheets'), sheets);
}

// Lists in this browser

async function showKept() {
  const batches = await allBatches();
  const items = await Promise.all(batches.map(keptElement));
  byId('kept-lists').replaceChildren(...items);
  byId('kept').hidden = items.length === 0;
}

async function keptElement(batch) {
  const progress = progressOf(await storeOf(batch.id).read());
  const { issued, assets } = progress;
  const values = { name: batch.name, date: dayText(new Date(batch.begun)), number: issued.size, count: batch.rows.length === 0 ? assets.size : batch.rows.length };
  const remove = element('button', { type: 'button' }, say('many.remove'));
  remove.addEventListener('click', async () => {
    if (confirm(say('many.removeSure'))) {
      await removeBatch(batch.id);
      await showKept();
    }
  });
  const resume = element('button', { type: 'button', class: 'primary' }, say('many.resume'));
  resume.addEventListener('click', () => offerResume(batch));
  const keep = element('button', { type: 'button' }, say('many.saveList'));
  keep.addEventListener('click', () => saveList(batch));
  const buttons = [...(batch.rows.length > 0 ? [resume] : []), ...(isSavable(batch, progress) ? [keep] : []), remove];
  return element('li', {}, element('span', { class: 'what' }, say('many.keptList', values)), ...buttons);
}

/** Saves a batch to a file, from which another browser can continue the batch. */
async function saveList(batch) {
  try {
    download(`${stemOf(batch)}${LIST_ENDING}`, await saveBatch(batch), 'application/json');
    byId(byId('kept').hidden ? 'working-note' : 'list-note').textContent = say('many.listSaved');
  } catch (error) {
    refuse(error);
  }
}

async function loadList(file) {
  byId('answer').hidden = true;
  byId('list-note').textContent = '';
  try {
    if (file.size > MAX_LIST) {
      throw Refusal.of('many.listWrong');
    }
    await loadBatch(await readText(file, MAX_LIST));
    await showKept();
    lookAt('kept-title');
  } catch (error) {
    refuse(error);
  }
}

/** Continues a batch, after its account has signed in. */
async function offerResume(batch) {
  forgetTable();
  byId('signing').hidden = false;
  byId('answer').hidden = true;
  const isOwn = session !== null && session.account.toLowerCase() === batch.account.toLowerCase();
  if (!isOwn) {
    resuming = batch;
    announce(say('many.signFirst', { account: batch.account }));
    lookAt('signing-title');
    return;
  }
  resuming = null;
  try {
    await run(batch);
  } catch (error) {
    refuse(error);
  }
}

/** The batch that continues after the user has signed in. Null if there is none. */
let resuming = null;

// Answers

const announce = (text) => announceBelow(byId('answer'), text);
const refuse = (error) => refuseBelow(byId('answer'), say('common.notPossible'), sentence(explained(error)));

function lookAt(id) {
  byId(id).focus({ preventScroll: true });
  byId(id).scrollIntoView({ block: 'start' });
}

offerTemplates();
offerSignIn(byId('sign-in'), (now) => {
  session = now;
  if (resuming !== null && session !== null) {
    offerResume(resuming);
  } else {
    findLedgers();
  }
}, { canDraw: true });
showKept();
byId('template').addEventListener('change', showColumns);
byId('kind').addEventListener('change', showColumns);
byId('file').addEventListener('change', ({ target }) => {
  open(target.files[0]);
  // Allows choosing the same file again.
  target.value = '';
});
byId('list-file').addEventListener('change', ({ target }) => {
  loadList(target.files[0]);
  target.value = '';
});
byId('save-list').addEventListener('click', () => saveList(running));
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  byId('drop').classList.add('over');
});
document.addEventListener('dragleave', () => byId('drop').classList.remove('over'));
document.addEventListener('drop', (event) => {
  event.preventDefault();
  byId('drop').classList.remove('over');
  const [file] = event.dataTransfer?.files ?? [];
  if (file !== undefined && byId('working').hidden && byId('finished').hidden) {
    open(file);
  }
});
byId('encoding-yes').addEventListener('click', () => {
  given.encoding = WINDOWS_1252;
  read();
});
byId('encoding-no').addEventListener('click', () => {
  byId('encoding').hidden = true;
  refuse(Refusal.of('many.encodingOther'));
});
for (const button of byId('separator').querySelectorAll('button')) {
  button.addEventListener('click', () => read(button.dataset.separator));
}
byId('mapping').addEventListener('change', forgetCheck);
byId('key-column').addEventListener('change', forgetCheck);
byId('form').addEventListener('submit', (event) => event.preventDefault());
byId('check').addEventListener('click', check);
byId('previous').addEventListener('click', () => turn(-1));
byId('next').addEventListener('click', () => turn(1));
byId('ledger-choice').addEventListener('change', showLedgerCosts);
byId('issue').addEventListener('click', issue);
byId('save').addEventListener('click', save);
byId('save-table').addEventListener('click', () => download(`${stemOf(done.batch)}.links.csv`, resultTable(done.batch, done.results), 'text/csv'));
byId('print').addEventListener('click', printAll);
byId('another').addEventListener('click', () => {
  done = null;
  byId('finished').hidden = true;
  byId('making').hidden = false;
  forgetTable();
  showKept();
  lookAt('table-title');
});
