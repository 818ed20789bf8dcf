// The page that issues one certificate: a template, a form, a signer, and then all steps until the certificate is on the ledger.
import { recordOf, view } from '/certificate/view.js';
import { announceBelow, refuseBelow } from '/lib/answers.js';
import { ask } from '/lib/beside.js';
import { doubtsConfirmation, doubtsOf } from '/lib/doubts.js';
import { showForm } from '/lib/form.js';
import { holderFile } from '/lib/holder-file.js';
import { ASSET_KEYS, isPrivateFile, randomAssetId, randomHex } from '/lib/issue.js';
import { issuerFile } from '/lib/issuer-file.js';
import { deploy, isHosted, issueOne, ledgersOf, publicFiles, publish } from '/lib/issuing.js';
import { Refusal, isObject, own, parseDocument } from '/lib/json.js';
import { chosenLedger, newLedger, offerLedgers, showCosts } from '/lib/ledger-choice.js';
import { certificateOf, plainFields } from '/lib/model.js';
import { byId, copyButton, download, element } from '/lib/page.js';
import { hiddenName } from '/lib/paper.js';
import { qrPicture } from '/lib/qr.js';
import { sentence } from '/lib/sentence.js';
import { showPaper } from '/lib/sheet.js';
import { offerSignIn } from '/lib/sign-in.js';
import { explained, serviceOf } from '/lib/signer.js';
import { TEMPLATES, schemaFrom, schemaOf, templateOf, today } from '/lib/templates.js';
import { listText, locale, offerLanguages, say, translate } from '/lib/texts.js';
import { schemasById } from '/lib/titles.js';
import { wholeText } from '/lib/whole.js';

/** The value of the option for the issuer's own data. */
const OTHER = 'other';
const STEPS = ['ledger', 'certify', 'publish', 'record'];

/**
 * The chosen template, `{ schema, schemaIn, shown, ledger, document }`. `schemaIn(say)` is its schema in a language. `schemas` has these schemas by their ids, once they
 * are known. Null before the choice.
 */
let template = null;
let form = null;
/** The session of the signer, from lib/sign-in.js. Null before signing in. */
let session = null;
/** The account's ledgers with the template's schema. Null until they are known. */
let ledgers = null;
/** The asset id and key of the certificate being issued, so that another attempt makes the same certificate: `{ content, assetId, secret, isSent }`. */
let draft = null;
const confirmDoubts = doubtsConfirmation({ say, listText });
/** The issued certificate: `{ link, file, files, ledger, assetId, isSaved }`. Null before issuing. */
let issued = null;

translate();
offerLanguages(byId('languages'));

// 1. The template

function offerTemplates() {
  const choices = [...TEMPLATES.map((name) => [name, say(`template.${name}.title`), say(`template.${name}.hint`)]), [OTHER, say('issue.otherTitle'), say('issue.otherHint')]];
  const cards = choices.map(([value, title, hint]) => {
    const input = element('input', { type: 'radio', name: 'template', value, 'aria-describedby': `hint-${value}` });
    return element('label', {}, input, title, element('span', { class: 'hint', id: `hint-${value}` }, hint));
  });
  byId('templates').replaceChildren(...cards);
}

function chooseTemplate(name) {
  hideAnswer();
  byId('other').hidden = name !== OTHER;
  byId('filling').hidden = true;
  byId('signing').hidden = true;
  template = null;
  if (name !== OTHER) {
    useTemplate({ ...templateOf(name, say), schemaIn: (say) => templateOf(name, say).schema });
  }
}

/** Makes a form from the pasted JSON: an example document or a schema. */
function useExample() {
  hideAnswer();
  try {
    const text = byId('example').value;
    if (isPrivateFile(text)) {
      throw Refusal.of('issue.examplePrivate');
    }
    const given = parsed(text);
    const isSchema = isObject(own(given, 'properties'));
    const title = byId('kind').value.trim() || (isSchema && typeof given.title === 'string' ? given.title : '');
    if (title === '') {
      byId('kind').focus();
      throw Refusal.of('issue.kindMissing');
    }
    const schema = isSchema ? schemaOf(given, title) : schemaFrom(given, title);
    const keys = Object.keys(schema.properties).filter((key) => !ASSET_KEYS.includes(key));
    const shown = keys.filter((key) => ['name', 'title', 'description'].includes(key));
    useTemplate({ schema, schemaIn: () => schema, shown: (shown.length > 0 ? shown : keys.slice(0, 1)).map((key) => [key]), ledger: { name: title, symbol: 'CERT' }, document: isSchema ? {} : given });
    byId('form-title').focus();
  } catch (error) {
    refuse(error);
  }
}

function parsed(text) {
  try {
    const value = parseDocument(text, 'document', 'Certify');
    if (isObject(value)) {
      return value;
    }
  } catch {
    // For a text that is not JSON, the message below has advice.
  }
  throw Refusal.of('issue.exampleBroken');
}

function useTemplate(chosen) {
  template = chosen;
  draft = null;
  const { schema, shown } = chosen;
  const document = chosen.document ?? (Object.hasOwn(schema.properties, 'issuedAt') ? { issuedAt: today() } : {});
  form = showForm(byId('form'), schema, { document, shown, changed: preview });
  byId('ledger-name').value = chosen.ledger.name;
  byId('filling').hidden = false;
  byId('signing').hidden = false;
  preview();
  findLedgers();
}

// 2. The form and the preview

const isBelow = (path, above) => above.every((step, index) => path[index] === step);

function preview() {
  hideAnswer();
  draw(byId('paper'), 3);
}

/** Draws the public part of the form as a certificate. `level` is the level of its heading. */
function draw(place, level) {
  const { schema } = template;
  const { document, paths, hidden } = form.read();
  const fields = plainFields(schema, document, 'proven').filter(({ path }) => paths.some((above) => isBelow(path, above)));
  const names = hidden.map((path) => hiddenName(schema, path));
  showPaper(place, certificateOf({ schema, fields, locale }), { hidden: [...new Set(names)], level });
}

// 3. The signer

function useSession(signedIn) {
  session = signedIn;
  byId('signed').hidden = session === null;
  byId('domain-ways').hidden = true;
  byId('domain-answer').textContent = '';
  hideAnswer();
  if (session !== null) {
    showDomain();
  }
  findLedgers();
}

// The domain

async function showDomain() {
  const { client } = session;
  byId('domain-state').textContent = say('issue.domainNone');
  try {
    const { domain, displayDomain, state } = (await client.getDomain()).data;
    if (domain !== null && client === session?.client) {
      byId('domain-name').value = domain;
      byId('domain-state').textContent = say(state === 'confirmed' ? 'issue.domainConfirmed' : 'issue.domainUnconfirmed', { domain: displayDomain });
    }
  } catch (error) {
    refuse(error);
  }
}

async function checkDomain() {
  const { client, account } = session;
  const domain = byId('domain-name').value.trim().toLowerCase().replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  byId('domain-answer').textContent = say('issue.domainChecking');
  try {
    if (domain === '') {
      throw Refusal.of('signer.domain');
    }
    const { result, file, record, displayDomain } = (await client.checkIssuer(domain, account)).data;
    byId('domain-ways').hidden = result === 'confirmed';
    if (result === 'confirmed') {
      await client.setDomain(domain);
      byId('domain-answer').textContent = say('issue.domainConfirmed', { domain: displayDomain });
      byId('domain-state').textContent = say('issue.domainConfirmed', { domain: displayDomain });
      return;
    }
    byId('domain-answer').textContent = say('issue.domainUnconfirmed', { domain: displayDomain });
    const save = element('button', { type: 'button' }, say('issue.domainSave'));
    save.addEventListener('click', () => download('did.json', byId('domain-file').querySelector('pre').textContent));
    byId('domain-file').replaceChildren(...wayElements('issue.domainFile', file, [save]));
    byId('domain-record').replaceChildren(...wayElements('issue.domainRecord', record));
    offered = { ...file, account };
    showFile();
  } catch (error) {
    byId('domain-answer').textContent = sentence(explained(error));
  }
}

/** Returns the elements for one way to confirm: the place to publish a text, the text, and the reason why the check failed. The service's sentences are English. */
function wayElements(key, { at, publish: text, problem }, buttons = []) {
  const shown = element('pre', { tabindex: '0', 'aria-label': at }, text);
  const copied = element('span', { class: 'note', role: 'status' });
  const copy = element('button', { type: 'button' }, say('common.copy'));
  copyButton(copy, shown, () => shown.textContent, (words) => (copied.textContent = words), { copied: say('common.copied'), selected: say('common.selected') });
  return [
    element('h3', {}, say(key)), element('p', {}, element('code', { class: 'long' }, at)), shown,
    element('p', { class: 'actions' }, copy, ...buttons, copied),
    ...(problem === null ? [] : [element('p', { class: 'hint', lang: 'en' }, problem.message)]),
  ];
}

/** The file that the service offers for the domain, `{ at, publish, account }`. Null before a check. */
let offered = null;

/** Shows the file with the issuer's name and logo. The file is shown only with a name, because it is published as it is. */
function showFile() {
  const [shown, actions] = byId('domain-file').querySelectorAll('pre, .actions');
  let problem = '';
  try {
    shown.textContent = issuerFile(offered.publish, { ...offered, name: byId('organisation').value, logo: byId('logo').value });
  } catch (error) {
    problem = sentence(error);
  }
  shown.hidden = problem !== '';
  actions.hidden = problem !== '';
  // Screen readers read each change, so the same sentence is not set again.
  if (byId('organisation-problem').textContent !== problem) {
    byId('organisation-problem').textContent = problem;
  }
}

// The ledger

let search = 0;

/**
 * Finds the account's ledgers for the chosen template, in whatever language of this page they were deployed. Warns about the values of the template
 * that can only be shown as a whole.
 */
async function findLedgers() {
  search += 1;
  const turn = search;
  ledgers = null;
  byId('ledger').hidden = true;
  byId('shown-whole').textContent = '';
  if (template === null) {
    return;
  }
  try {
    const { whole } = await ask('identify', { schema: JSON.stringify(template.schema) });
    if (turn !== search) {
      return;
    }
    byId('shown-whole').textContent = wholeText(whole);
    if (session === null) {
      return;
    }
    const schemas = await schemasById(template.schemaIn, async (schema) => (await ask('identify', { schema: JSON.stringify(schema) })).schemaId);
    const found = await ledgersOf(session.client, [...schemas.keys()]);
    const { files } = await serviceOf();
    if (turn === search) {
      template.schemas = schemas;
      ledgers = found;
      showLedgers(Boolean(files));
    }
  } catch (error) {
    if (turn === search) {
      refuse(error);
    }
  }
}

function showLedgers(isHosting) {
  offerLedgers(ledgers, isHosting);
  showLedgerCosts();
}

const showLedgerCosts = () => showCosts(session.costs, 1);

/** Returns the chosen ledger. Deploys a new ledger first. */
async function ledgerToUse() {
  const chosen = chosenLedger(ledgers);
  if (chosen !== undefined) {
    return chosen;
  }
  const wanted = await newLedger(session.account);
  // The answer to an earlier attempt may have been lost.
  const isHosting = isHosted(wanted);
  const isIt = (ledger) => !ledger.isForeign && ledger.name === wanted.name && (isHosting ? isHosted(ledger) : ledger.uriPrefix === wanted.uriPrefix);
  const schemaIds = [...template.schemas.keys()];
  const existing = (await ledgersOf(session.client, schemaIds)).find(isIt);
  const used = existing ?? (await deploy(session.client, { ...wanted, symbol: template.ledger.symbol, schemaId: schemaIds[0] }));
  ledgers = [used, ...ledgers];
  showLedgers(isHosting);
  return used;
}

// 4. Issuing

async function issue() {
  hideAnswer();
  const { document, paths, problems } = form.read();
  try {
    form.refuse(problems);
    if (problems.length > 0) {
      throw Refusal.of('issue.incomplete', { count: problems.length });
    }
    if (plainFields(template.schema, document, 'proven').every(({ path }) => !paths.some((above) => isBelow(path, above)))) {
      throw Refusal.of('issue.nothingPublic');
    }
    if (session.isUnsaved) {
      throw Refusal.of('issue.keyUnsaved');
    }
    if (ledgers === null) {
      throw Refusal.of('issue.stillLooking');
    }
    confirmDoubts(template.schema, doubtsOf(template.schema, document, Date.now()), JSON.stringify(document));
  } catch (error) {
    refuse(error);
    return;
  }
  setBusy(true);
  try {
    show(await make(document, paths));
  } catch (error) {
    refuse(error);
  } finally {
    setBusy(false);
  }
}

/** Runs all steps. Another attempt with the same content continues after the last successful step. */
async function make(document, paths) {
  const { client, account } = session;
  step('ledger');
  const ledger = await ledgerToUse();
  // A ledger takes certificates with its own schema only, so their titles are in its language.
  const schema = template.schemas.get(ledger.schemaId.toLowerCase());
  const content = JSON.stringify([account, ledger.id, document, paths]);
  if (draft?.content !== content) {
    draft = { content, assetId: randomAssetId(), secret: randomHex(32), isSent: false };
  }
  const { assetId, secret } = draft;
  const asset = { ledgerId: ledger.id, assetId };
  step('certify');
  const made = await ask('certify', { profile: 'AIH-2', data: JSON.stringify(document), schema: JSON.stringify(schema), paths, secret, addresses: { evidence: '', schema: '' }, asset });
  const file = holderFile({ ...asset, imprint: made.imprint, schema: JSON.parse(made.schema), document: made.document, whole: JSON.parse(made.whole) });
  step('publish');
  const files = isHosted(ledger) ? await publish(client, made, ledger, assetId) : publicFiles(made, ledger, assetId);
  step('record');
  const { isSent } = draft;
  draft.isSent = true;
  await issueOne(client, { ...asset, imprint: made.imprint, isAgain: isSent });
  return { ledger, assetId, file, files, link: `${location.origin}/c/${ledger.id}/${assetId}`, isSaved: false };
}

function step(current) {
  const at = STEPS.indexOf(current);
  const items = STEPS.map((name, index) => element('li', { 'data-state': index < at ? 'done' : index === at ? 'busy' : 'waiting', 'aria-current': index === at ? 'step' : undefined }, say(`issue.step.${name}`)));
  byId('progress').replaceChildren(...items);
  byId('progress').hidden = false;
  announce(session.isWallet && (current === 'ledger' || current === 'record') ? `${say(`issue.step.${current}`)}… ${say('issue.inWallet')}` : `${say(`issue.step.${current}`)}…`);
}

function setBusy(isBusy) {
  for (const part of ['issue', 'ledger-choice', 'ledger-name', 'folder']) {
    byId(part).disabled = isBusy;
  }
  for (const part of ['templates', 'filling', 'sign-in']) {
    byId(part).inert = isBusy;
  }
  byId('progress').hidden = !isBusy;
}

// 5. Done

function show(certificate) {
  issued = certificate;
  draft = null;
  const { link, files } = certificate;
  hideAnswer();
  byId('making').hidden = true;
  byId('done').hidden = false;
  byId('link').textContent = link;
  byId('open').href = link;
  byId('qr').replaceChildren(qrPicture(link, say('certificate.qr')));
  byId('copied').textContent = '';
  byId('file-saved').textContent = '';
  byId('publish').hidden = files.length === 0;
  byId('files').replaceChildren(...files.map(fileElement));
  byId('done-title').focus({ preventScroll: true });
  scrollTo(0, 0);
  if (files.length === 0) {
    showResult();
  } else {
    // The page does not call the service before the files are published, because the service would cache the missing files as missing for a minute.
    const paper = element('article', { class: 'paper' });
    draw(paper, 1);
    byId('view').replaceChildren(paper);
  }
}

function fileElement({ name, address, text }) {
  const save = element('button', { type: 'button' }, say('issue.download', { name }));
  save.addEventListener('click', () => download(name, text));
  return element('li', {}, save, element('span', { class: 'hint' }, address));
}

/** Shows the certificate as its page does, with its verdict. */
function showResult() {
  const { ledger, assetId, link } = issued;
  // The browser may have cached an answer from before the files were published.
  view(byId('view'), { ledger: ledger.id, asset: assetId, address: link, record: (asset) => recordOf(asset, 'reload') });
}

function saveFile() {
  const { name, text, type } = issued.file;
  download(name, text, type);
  issued.isSaved = true;
  byId('file-saved').textContent = say('issue.fileSaved');
}

function again() {
  if (!issued.isSaved) {
    byId('file-saved').textContent = say('issue.fileFirst');
    byId('save-file').focus();
    return;
  }
  issued = null;
  byId('done').hidden = true;
  byId('making').hidden = false;
  byId('view').replaceChildren();
  useTemplate(template);
  byId('form-title').focus();
}

// Answers

const announce = (text) => announceBelow(byId('answer'), text);
const refuse = (error) => refuseBelow(byId('answer'), say('common.notPossible'), sentence(explained(error)));

function hideAnswer() {
  byId('answer').hidden = true;
}

offerTemplates();
offerSignIn(byId('sign-in'), useSession, { canDraw: true });
byId('templates').addEventListener('change', ({ target }) => chooseTemplate(target.value));
byId('make-form').addEventListener('click', useExample);
byId('form').addEventListener('submit', (event) => event.preventDefault());
byId('check-domain').addEventListener('click', checkDomain);
for (const id of ['organisation', 'logo']) {
  byId(id).addEventListener('input', showFile);
}
byId('ledger-choice').addEventListener('change', showLedgerCosts);
byId('issue').addEventListener('click', issue);
byId('save-file').addEventListener('click', saveFile);
byId('check-files').addEventListener('click', showResult);
byId('again').addEventListener('click', again);
copyButton(byId('copy'), byId('link'), () => byId('link').textContent, (text) => (byId('copied').textContent = text), { copied: say('common.copied'), selected: say('common.selected') });
// Until the holder's file and a new key are saved, they exist only on this page.
addEventListener('beforeunload', (event) => {
  if (issued?.isSaved === false || session?.isUnsaved) {
    event.preventDefault();
  }
});
