// Side effects that need an account: finding its ledgers, issuing a batch, and its files.
import { fromUnits } from '/client/index.js';
import { type Batch, type BatchLedger, allBatches, alone, keepBatch } from '/lib/batches.ts';
import { enter } from '/lib/book.ts';
import { type Pdfs, archiveOf, issueBatch, resultTable } from '/lib/bulk.ts';
import { designOf } from '/lib/design.ts';
import { hasComma } from '/lib/form.ts';
import { doubtsConfirmation } from '/lib/doubts.ts';
import { randomHex, withAssetFields } from '/view/issue.ts';
import { type OwnLedger, deploy } from '/lib/issuing.ts';
import { Refusal } from '/view/json.ts';
import { byId, download } from '/lib/page.ts';
import { part } from '/lib/part.ts';
import { givenBy } from '/lib/people.ts';
import { type Sheet, sheetOfHolder } from '/lib/sheets.ts';
import { explained } from '/lib/signer.ts';
import { doubtsOfRows } from '/lib/tables.ts';
import { listText, say } from '/lib/texts.ts';
import { readable } from '/lib/titles.ts';
import { validityOf } from '/lib/validity.ts';
import { busy, refusal as refusalOf } from '/components/answer.ts';
import { checkName, newLedger } from '/components/ledger-choice.tsx';
import { searchLedgers } from '/components/ledger-search.ts';
import { type LedgerChoice, chosenLedger, costOf, newSchemaId, schemaFor } from '/components/ledger-state.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import type { MadePdf } from '../../workers/documents/pdf.ts';
import type { JsonObject } from '/view/json.ts';
import { ask } from './checking.ts';
import { type Dispatch, findLists, stemOf } from './reading.ts';
import type { Checked, State, Template } from './state.ts';

const confirmDoubts = doubtsConfirmation({ say, listText });
const refusal = (error: unknown) => refusalOf(explained(error));

/** Finds the account's ledgers for the schema, in whatever language of this page they were deployed. */
export async function findLedgers({ session, checked }: State, dispatch: Dispatch): Promise<void> {
  const search = {};
  dispatch({ type: 'ledgersSearched', search });
  if (session === null || checked === null) {
    dispatch({ type: 'ledgersFailed', search });
    return;
  }
  try {
    const schemaIn: typeof checked.template.schemaIn = (say) => withAssetFields(checked.template.schemaIn(say));
    dispatch({ type: 'ledgersFound', search, ...(await searchLedgers(session.client, schemaIn, (schema) => ask('identify', { schema }))) });
  } catch (error) {
    dispatch({ type: 'ledgersFailed', search });
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** The number of rows that a person issues first, to look at them. */
export const TRIAL = 2;

/** Issues the checked rows with the chosen ledger, or only the first ones as a trial. If the search for ledgers has failed, searches again. */
export async function issue(state: State, dispatch: Dispatch, isTrial = false): Promise<void> {
  const { session, checked, ledgers } = state;
  if (session === null || checked === null) {
    return;
  }
  const rows = isTrial ? checked.rows.slice(0, TRIAL) : checked.rows;
  dispatch({ type: 'answered', answer: null });
  if (ledgers.found === null) {
    await findLedgers(state, dispatch);
    return;
  }
  dispatch({ type: 'issuing', isIssuing: true });
  try {
    if (session.isUnsaved) {
      throw Refusal.of('issue.keyUnsaved');
    }
    const cost = costOf(session.costs, ledgers, rows.length);
    if (session.costs !== null && cost > BigInt(session.costs.balance)) {
      throw Refusal.of('many.poor', { cost: fromUnits(cost), balance: fromUnits(BigInt(session.costs.balance)) });
    }
    confirmDoubts(checked.schema, await doubtsOfRows(checked.schema, checked.rows, checked.mapped), checked);
    dispatch({ type: 'answered', answer: busy(say(session.isWallet ? 'signIn.inWallet' : 'issue.step.ledger')) });
    const ledger = await ledgerToUse(ledgers, session, checked.template, dispatch);
    await run(await begin({ ...checked, rows }, session, ledger, schemaFor(ledgers, ledger)), session, dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  } finally {
    dispatch({ type: 'issuing', isIssuing: false });
  }
}

/** Issues the checked rows that a trial has left out, with the trial's ledger. */
export async function issueRest({ session, checked, done }: State, dispatch: Dispatch): Promise<void> {
  if (session === null || checked === null || done === null) {
    return;
  }
  dispatch({ type: 'answered', answer: null });
  try {
    await run(await begin(checked, session, done.batch.ledger, done.batch.schema), session, dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Returns the chosen ledger. Deploys a new ledger first. */
async function ledgerToUse(ledgers: LedgerChoice, { client, account }: SignedIn, { ledger: { symbol } }: Template, dispatch: Dispatch): Promise<OwnLedger> {
  const chosen = chosenLedger(ledgers);
  if (chosen !== undefined) {
    return chosen;
  }
  if (ledgers.name.trim() === '') {
    dispatch({ type: 'focused', focus: { id: 'ledger-name' } });
  }
  checkName(ledgers);
  return deploy(client, { ...newLedger(ledgers, account), symbol, schemaId: newSchemaId(ledgers) });
}

/** Stores the batch before its first order. If a column identifies the rows, continues an earlier batch of the same kind. */
async function begin({ name, table, keyColumn, paths, rows }: Checked, { account }: SignedIn, ledger: BatchLedger, schema: JsonObject): Promise<Batch> {
  const { id, schemaId, uriPrefix, uriPostfix, ref } = ledger;
  const kind = JSON.stringify([location.origin, account.toLowerCase(), id, keyColumn, paths]);
  const known = keyColumn === null ? undefined : (await allBatches()).find((batch) => batch.kind === kind);
  const batch: Batch = {
    id: known?.id ?? randomHex(16),
    secret: known?.secret ?? crypto.getRandomValues(new Uint8Array(32)),
    kind,
    begun: Date.now(),
    name,
    account,
    ledger: { id, ref, name: ledger.name, schemaId, uriPrefix, uriPostfix },
    schema,
    paths,
    columns: table.columns,
    // A workbook has no delimiter. Where the comma is the decimal sign, spreadsheet programs split CSV at semicolons.
    delimiter: table.sheet !== null && hasComma ? ';' : table.delimiter,
    rows,
  };
  await keepBatch(batch);
  return batch;
}

/** Continues a batch with its own account. Another account is asked to sign in first. */
export async function resume({ resuming: batch, session }: State, dispatch: Dispatch): Promise<void> {
  if (batch === null) {
    return;
  }
  if (session === null || session.account.toLowerCase() !== batch.account.toLowerCase()) {
    dispatch({ type: 'answered', answer: busy(say('many.signFirst', { account: batch.account })) });
    dispatch({ type: 'focused', focus: { id: 'signing-title', scroll: 'element' } });
    return;
  }
  try {
    await run(batch, session, dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Issues the rows of a batch that are not issued yet, unless another tab does. */
async function run(batch: Batch, { client }: SignedIn, dispatch: Dispatch): Promise<void> {
  dispatch({ type: 'started', batch });
  try {
    const isFree = await alone(batch.id, async () => {
      const results = await issueBatch(batch, client, (input) => ask('certify', input), { onProgress: (progress) => dispatch({ type: 'progressed', progress }) });
      const cells = new Map(batch.rows.map((row) => [row.key, row.cells]));
      await enter(() => results.map(({ key, holder }) => givenBy(holder, cells.get(key))));
      dispatch({ type: 'issued', batch, results });
    });
    if (!isFree) {
      throw Refusal.of('many.otherTab');
    }
  } catch (error) {
    dispatch({ type: 'failed' });
    await findLists(dispatch);
    throw error;
  }
}

type Done = NonNullable<State['done']>;

/** Saves all files of a batch. They have all private values, so only the list of issued rows is kept. */
export async function save(done: Done, dispatch: Dispatch): Promise<void> {
  const { batch, results } = done;
  dispatch({ type: 'saving', isSaving: true });
  try {
    const { pdfs, note } = await pdfsOf(done, dispatch);
    download(`${stemOf(batch)}.certificates.zip`, await archiveOf(batch, results, pdfs), 'application/zip');
    await keepBatch({ ...batch, rows: [] });
    dispatch({ type: 'noted', text: [note, say('many.saved')].filter((sentence) => sentence !== '').join(' ') });
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  } finally {
    dispatch({ type: 'saving', isSaving: false });
  }
}

/** The maximum number of rows without a PDF that are named. */
const MAX_NAMED = 10;

/**
 * Returns the PDFs of a batch in the design that this browser keeps for the template, and sentences about what they show differently. A row whose PDF
 * cannot be made has null. The other files are saved all the same, because they exist only on this page.
 */
async function pdfsOf(done: Done, dispatch: Dispatch): Promise<{ pdfs: Pdfs; note: string }> {
  const { ledger, rows } = done.batch;
  const { findingsOf, pdfOfSheet } = await part(import('/lib/pdf-sheets.ts'));
  const [design, sheets] = [designOf(ledger.schemaId), await sheetsOf(done)];
  const made: (MadePdf | null)[] = [];
  let isPossible = true;
  for (const [index, sheet] of sheets.entries()) {
    dispatch({ type: 'noted', text: say('many.savingPdf', { number: index + 1, count: sheets.length }) });
    try {
      made.push(isPossible ? await pdfOfSheet(await sheet(), design) : null);
    } catch (error) {
      made.push(null);
      // A sentence about one certificate has no key. Other errors, such as a font that does not load, concern all rows.
      isPossible = error instanceof Refusal && error.key === undefined;
    }
  }
  const without = made.flatMap((pdf, index) => (pdf === null ? [String(rows[index]?.row ?? index + 1)] : []));
  const more = without.length > MAX_NAMED ? [say('certificate.more', { count: without.length - MAX_NAMED })] : [];
  const missing = without.length === 0 ? '' : say('many.noPdf', { rows: listText([...without.slice(0, MAX_NAMED), ...more]) });
  const found = await findingsOf(made.flatMap((pdf) => pdf?.findings ?? []));
  return { pdfs: made.map((pdf) => pdf?.bytes ?? null), note: [found, missing].filter((sentence) => sentence !== '').join(' ') };
}

export async function saveTable({ batch, results }: Done): Promise<void> {
  download(`${stemOf(batch)}.links.csv`, await resultTable(batch, results), 'text/csv');
}

/** Prints the certificates, or saves them as PDF. */
export async function print(done: Done, dispatch: Dispatch): Promise<void> {
  const { printDesigned } = await part(import('/components/sheet-dialog.tsx'));
  dispatch({ type: 'noted', text: await printDesigned(byId('printed'), done.batch.ledger.schemaId, await sheetsOf(done)) });
}

/** A number that no certificate has: numbers of certificates are random. */
const UNUSED = '0';

/** Returns functions that make the sheets of a batch. Each sheet names the issuer as the service knows it. */
async function sheetsOf({ batch, results }: Done): Promise<(() => Promise<Sheet>)[]> {
  // A ledger has one issuer. About an issued number, the service would read its public files. They may not be published yet, and the service keeps their absence for a while.
  const record = await validityOf({ ledger: batch.ledger.id, asset: UNUSED }).catch(() => null);
  const issuer = record?.issuer ?? null;
  return results.map(({ holder, link, evidence }) => async () => ({ ...(await sheetOfHolder({ holder, link, open: JSON.parse(evidence) }, readable)), issuer }));
}
