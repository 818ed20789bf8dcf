// Side effects that need an account: finding its ledgers, issuing a batch, and its files.
import { type Batch, type BatchLedger, allBatches, alone, keepBatch, progressId } from '/lib/batches.ts';
import { enter } from '/lib/book.ts';
import { standingOf } from '/lib/earlier.ts';
import { amountsOf } from '/lib/amounts.ts';
import { readBalance, refreshBalance } from '/lib/balance.ts';
import { type Pdfs, archiveOf, issueBatch, resultTable } from '/lib/bulk.ts';
import { designOf } from '/lib/design.ts';
import { hasComma } from '/lib/form.ts';
import { randomHex, withAssetFields } from '/view/issue.ts';
import { type OwnLedger, deploy, isHosted } from '/lib/issuing.ts';
import { Refusal } from '/view/json.ts';
import { byId, download } from '/lib/page.ts';
import { part } from '/lib/part.ts';
import { givenBy } from '/lib/people.ts';
import { type Sheet, sheetOfHolder } from '/lib/sheets.ts';
import { REVIEW_ENDING, type Review, writeReview } from '/lib/review.ts';
import { noteRegister } from '/lib/last-register.ts';
import { explained, unlock } from '/lib/signer.ts';
import { listText, say } from '/lib/texts.ts';
import { readable } from '/lib/titles.ts';
import { validityOf } from '/lib/validity.ts';
import { busy, refusal as refusalOf } from '/components/answer.ts';
import { newLedger } from '/components/ledger-choice.tsx';
import { searchLedgers } from '/components/ledger-search.ts';
import { refuseLost, registerToUse } from '/components/ledger-lost.ts';
import { type LedgerChoice, chosenLedger, costOf, newSchemaId, schemaFor } from '/components/ledger-state.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import type { MadePdf } from '../../workers/documents/pdf.ts';
import type { JsonObject } from '/view/json.ts';
import { ask } from './checking.ts';
import { type Dispatch, findLists, stemOf } from './reading.ts';
import { type Checked, type State, type Template, restOf } from './state.ts';

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

/** Finds which of the checked rows are issued already on the chosen ledger, and what became of them. */
export async function findStanding({ session, checked, ledgers, stage }: State, dispatch: Dispatch): Promise<void> {
  if (session === null || checked === null || ledgers.found === null || stage !== 'making') {
    return;
  }
  const [ledger, { rows }] = [ledgers.chosen, checked];
  dispatch({ type: 'standingSought' });
  try {
    const chosen = chosenLedger(ledgers);
    const known = chosen === undefined ? undefined : await earlierBatch(checked, session, chosen);
    const standing = chosen === undefined || known === undefined ? { fresh: rows, issued: [], withdrawn: [], replaced: [] } : await standingOf(session.client, known, chosen, rows);
    dispatch({ type: 'standingFound', checked, ledger, standing });
  } catch (error) {
    // Issuing looks again.
    dispatch({ type: 'standingFound', checked, ledger, standing: { fresh: rows, issued: [], withdrawn: [], replaced: [] } });
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
  const fresh = restOf({ ...state, done: null });
  const rows = isTrial ? fresh.slice(0, TRIAL) : checked.rows;
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
    const cost = costOf(session.costs, ledgers, isTrial ? rows.length : fresh.length);
    if (session.costs !== null && cost > BigInt(session.costs.balance)) {
      // The account may have got tokens since the balance was read.
      await readBalance(session);
      const balance = BigInt(session.costs.balance);
      if (cost > balance) {
        throw Refusal.of('many.poor', amountsOf({ cost, balance }).shown);
      }
    }
    // A list takes minutes to prepare, so the key is asked for first.
    await unlock(session.client);
    dispatch({ type: 'answered', answer: busy(say(session.isWallet ? 'signIn.inWallet' : 'issue.step.ledger')) });
    // The files of certificates that are issued already can be made without a role.
    const issued = fresh.length === 0 ? chosenLedger(ledgers) : undefined;
    const ledger = issued ?? (await ledgerToUse(ledgers, session, checked.template, dispatch));
    noteRegister(session.account, ledger.id);
    await run(await begin({ ...checked, rows }, session, ledger, schemaFor(ledgers, ledger), state.reviewer), session, dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  } finally {
    dispatch({ type: 'issuing', isIssuing: false });
  }
}

/** Issues the checked rows that a trial has left out, with the trial's ledger. */
export async function issueRest({ session, checked, done, reviewer }: State, dispatch: Dispatch): Promise<void> {
  if (session === null || checked === null || done === null) {
    return;
  }
  dispatch({ type: 'answered', answer: null });
  try {
    await unlock(session.client);
    await run(await begin(checked, session, done.batch.ledger, done.batch.schema, reviewer), session, dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Returns the chosen ledger. Deploys a new ledger first. */
async function ledgerToUse(ledgers: LedgerChoice, { client, account }: SignedIn, { ledger: { symbol } }: Template, dispatch: Dispatch): Promise<OwnLedger> {
  const chosen = await registerToUse(ledgers, client, dispatch);
  if (chosen !== undefined) {
    return chosen;
  }
  const wanted = newLedger(ledgers, account);
  const ledger = await deploy(client, { ...wanted, symbol, schemaId: newSchemaId(ledgers) });
  // Another attempt, and the next list, use the same one.
  dispatch({ type: 'ledgerDeployed', ledger, isHosting: isHosted(wanted) });
  return ledger;
}

const kindOf = ({ keyColumn, paths }: Checked, { account }: SignedIn, { id }: Pick<BatchLedger, 'id'>) => JSON.stringify([location.origin, account.toLowerCase(), id, keyColumn, paths]);

/** Returns the batch that a list continues. A list without a column that identifies its rows is always a new batch. */
async function earlierBatch(checked: Checked, session: SignedIn, ledger: Pick<BatchLedger, 'id'>): Promise<Batch | undefined> {
  const kind = kindOf(checked, session, ledger);
  return checked.keyColumn === null
    ? undefined
    : (await allBatches()).toSorted((one, other) => Number(other.name === checked.name) - Number(one.name === checked.name)).find((batch) => batch.kind === kind);
}

/** Stores the batch before its first order. */
async function begin(checked: Checked, session: SignedIn, ledger: BatchLedger, schema: JsonObject, reviewer: string): Promise<Batch> {
  const { name, table, paths, rows } = checked;
  const { account } = session;
  const { id, schemaId, uriPrefix, uriPostfix, ref } = ledger;
  const known = await earlierBatch(checked, session, ledger);
  const batch: Batch = {
    // Another list of this kind may still have rows to issue, so it keeps its own line.
    ...(known === undefined || known.name === name || known.rows.length === 0
      ? { id: known?.id ?? randomHex(16), ...(known?.shares && { shares: known.shares }) }
      : { id: randomHex(16), shares: progressId(known) }),
    secret: known?.secret ?? crypto.getRandomValues(new Uint8Array(32)),
    kind: kindOf(checked, session, ledger),
    begun: Date.now(),
    name,
    account,
    ledger: { id, ref, name: ledger.name, schemaId, uriPrefix, uriPostfix },
    schema,
    reviewer,
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
    await unlock(session.client);
    await run(batch, session, dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Issues the rows of a batch that are not issued yet, unless another tab does. Leaves out rows whose certificates were withdrawn or replaced since. */
async function run(given: Batch, session: SignedIn, dispatch: Dispatch): Promise<void> {
  const { client } = session;
  dispatch({ type: 'started', batch: given });
  const stopping = new AbortController();
  const waiting = (review: Review) => {
    const file = { name: `${stemOf(given)}${REVIEW_ENDING}`, text: writeReview(review), count: review.certificates.length };
    dispatch({ type: 'waiting', review: { ...file, stop: () => stopping.abort() } });
  };
  try {
    const isFree = await alone(progressId(given), async () => {
      const { fresh, withdrawn, replaced } = await standingOf(client, given, given.ledger, given.rows);
      if (fresh.length > 0) {
        await refuseLost(client, (await client.getLedger(given.ledger.id)).data);
      }
      const out = new Set([...withdrawn, ...replaced]);
      const batch = { ...given, rows: given.rows.filter((row) => !out.has(row)) };
      if (batch.rows.length === 0) {
        throw Refusal.of('many.noneLeft');
      }
      const results = await issueBatch(batch, client, (input) => ask('certify', input), {
        onProgress: (progress) => dispatch({ type: 'progressed', progress }),
        onWaiting: waiting,
        signal: stopping.signal,
      });
      const cells = new Map(batch.rows.map((row) => [row.key, row.cells]));
      await enter(() => results.map(({ key, holder }) => givenBy(holder, cells.get(key))));
      dispatch({ type: 'issued', batch, results, leftOut: { withdrawn, replaced } });
      refreshBalance(session);
    });
    if (!isFree) {
      throw Refusal.of('many.otherTab');
    }
  } catch (error) {
    dispatch({ type: 'failed' });
    await findLists(dispatch);
    // The list stays among the lists of this browser, and continues there.
    if (!stopping.signal.aborted) {
      throw error;
    }
    dispatch({ type: 'focused', focus: { id: 'kept-title', scroll: 'element' } });
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
    await keepBatch({ ...batch, rows: [], count: batch.rows.length });
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
