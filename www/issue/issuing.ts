// Side effects that need an account: finding its ledgers, and all steps until the certificate is on the ledger.
import { WaitError } from '/client/index.js';
import { ask } from '/lib/beside.ts';
import { refreshBalance } from '/lib/balance.ts';
import { enter } from '/lib/book.ts';
import { doubtsConfirmation } from '/lib/doubts.ts';
import { readFile, toFragment } from '/lib/file.ts';
import { holderFile } from '/lib/holder-file.ts';
import { randomAssetId, randomHex } from '/view/issue.ts';
import { type OwnLedger, certificateAddress, deploy, isHosted, issueOne, ledgersOf, publicFiles, publish } from '/lib/issuing.ts';
import { type JsonObject, Refusal } from '/view/json.ts';
import { givenBy } from '/lib/people.ts';
import { withMarket } from '/view/market.ts';
import { REVIEW_ENDING, writeReview } from '/lib/review.ts';
import { noteRegister } from '/lib/last-register.ts';
import { noteProposed } from '/lib/proposed.ts';
import { explained } from '/lib/signer.ts';
import { doubtsOf } from '/lib/tables.ts';
import { listText, say } from '/lib/texts.ts';
import { wholeText } from '/lib/whole.ts';
import type { FormContent } from '/lib/form.ts';
import { type Answer, busy, refusal as refusalOf } from '/components/answer.ts';
import { newLedger } from '/components/ledger-choice.tsx';
import { searchLedgers } from '/components/ledger-search.ts';
import { registerToUse } from '/components/ledger-lost.ts';
import { type LedgerChoice, newSchemaId, schemaFor } from '/components/ledger-state.ts';
import { publicFields } from '/components/public-part.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import type { Dispatch } from './making.ts';
import type { Draft, Issued, Review, State, Step, Template } from './state.ts';

/** The longest time to wait for a second signature, which an order can get for two days, and the pause between looks, in milliseconds. */
const REVIEW_PATIENCE = 2 * 24 * 3_600_000;
const REVIEW_PAUSE = 3_000;

const confirmDoubts = doubtsConfirmation({ say, listText });

/** Returns the answer that an action is not possible. */
export const refusal = (error: unknown): Answer => refusalOf(explained(error));

/**
 * Finds the account's ledgers for the template, in whatever language of this page they were deployed. Warns about the values of the template
 * that can only be shown as a whole.
 */
export async function findLedgers({ template, session }: State, dispatch: Dispatch): Promise<void> {
  if (template === null) {
    return;
  }
  const search = {};
  dispatch({ type: 'ledgersSearched', search });
  try {
    const { whole } = await ask('identify', { schema: JSON.stringify(template.schema) });
    dispatch({ type: 'wholeFound', template, text: wholeText(whole) });
    if (session === null) {
      dispatch({ type: 'ledgersFailed', search });
      return;
    }
    const idOf = async (schema: JsonObject): Promise<string> => (await ask('identify', { schema: JSON.stringify(schema) })).schemaId;
    dispatch({ type: 'ledgersFound', search, ...(await searchLedgers(session.client, template.schemaIn, idOf)) });
  } catch (error) {
    dispatch({ type: 'ledgersFailed', search });
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/**
 * Issues the certificate of the form. Another attempt with the same content continues after the last successful step. If the search for ledgers has failed, searches
 * again.
 */
export async function issue(state: State, dispatch: Dispatch): Promise<void> {
  const { template, content, session, ledgers } = state;
  if (template === null || content === null || session === null) {
    return;
  }
  if (ledgers.found === null) {
    dispatch({ type: 'answered', answer: null });
    await findLedgers(state, dispatch);
    return;
  }
  const { document, paths, problems } = content;
  dispatch({ type: 'issuing', incomplete: [...problems] });
  try {
    if (problems.length > 0) {
      throw Refusal.of('issue.incomplete', { count: problems.length });
    }
    if (publicFields(template.schema, document, paths).length === 0) {
      throw Refusal.of('issue.nothingPublic');
    }
    if (session.isUnsaved) {
      throw Refusal.of('issue.keyUnsaved');
    }
    confirmDoubts(template.schema, await doubtsOf(template.schema, document), JSON.stringify(document));
    dispatch({ type: 'issued', issued: await make(state, template, content, session, dispatch) });
    refreshBalance(session);
  } catch (error) {
    dispatch({ type: 'stopped', answer: refusal(error) });
  }
}

/** Runs all steps. */
async function make(state: State, template: Template, { document: given, paths: ticked }: FormContent, session: SignedIn, dispatch: Dispatch): Promise<Issued> {
  const { client, account, isWallet } = session;
  const step = (step: Step) => {
    const isSigned = isWallet && (step === 'ledger' || step === 'record');
    dispatch({ type: 'stepped', step, answer: busy(`${say(`issue.step.${step}`)}…${isSigned ? ` ${say('signIn.inWallet')}` : ''}`) });
  };
  step('ledger');
  const ledger = await ledgerToUse(state.ledgers, session, template, dispatch);
  const schema = schemaFor(state.ledgers, ledger);
  const content = JSON.stringify([account, ledger.id, given, ticked]);
  const draft: Draft = state.draft?.content === content ? state.draft : { content, assetId: randomAssetId(), secret: randomHex(32), isSent: false };
  dispatch({ type: 'drafted', draft });
  const { assetId, secret } = draft;
  const asset = { ledgerId: ledger.id, assetId };
  const { document, paths } = withMarket({ schema, document: given, paths: ticked }, certificateAddress(asset));
  step('certify');
  const made = await ask('certify', { profile: 'AIH-2', data: JSON.stringify(document), schema: JSON.stringify(schema), paths, secret, addresses: { evidence: '', schema: '' }, asset });
  const { imprint, document: certified, whole } = made;
  if (certified === undefined || whole === undefined) {
    throw new Error('a certificate of AIH-2 has no evidence for the whole document');
  }
  const file = holderFile({ ...asset, imprint, schema: JSON.parse(made.schema), document: certified, whole: JSON.parse(whole) });
  step('publish');
  const files = isHosted(ledger) ? await publish(client, made, ledger, assetId) : publicFiles(made, ledger, assetId);
  step('record');
  dispatch({ type: 'drafted', draft: { ...draft, isSent: true } });
  const order = await issueOne(client, { ...asset, imprint, isAgain: draft.isSent, reviewer: state.reviewer });
  noteRegister(account, ledger.id);
  if (order !== null) {
    noteProposed(order, { ledgerId: ledger.id, id: assetId });
  }
  await enter(() => [givenBy(file.text)]);
  const review = order === null ? null : await reviewOf(order, file.text);
  return { ledger, assetId, file, files, link: `${location.origin}/c/${ledger.id}/${assetId}`, review };
}

/** Returns what a colleague needs to look at the certificate of a holder's file: a link, and a file if the certificate is too large for the link. */
async function reviewOf(order: string, text: string): Promise<Review> {
  const { ledger, asset, schema, document, evidence } = readFile(text);
  const fragment = await toFragment({ schema, document, evidence });
  const file = fragment !== null || document === null ? null : { name: `${asset.slice(-10)}${REVIEW_ENDING}`, text: writeReview({ ledger, schema, certificates: [{ asset, document, evidence }] }) };
  return { order, link: `${location.origin}/console/#review/${order}/${fragment ?? ''}`, file, outcome: 'waiting' };
}

/** Waits until the colleague has signed or declined, or the order has failed. */
export async function awaitReview({ client }: SignedIn, { order }: Review, signal: AbortSignal, dispatch: Dispatch): Promise<void> {
  try {
    await client.waitForOrder(order, { timeout: REVIEW_PATIENCE, interval: REVIEW_PAUSE, signal });
    dispatch({ type: 'reviewEnded', order, isSigned: true });
  } catch (error) {
    if (error instanceof WaitError && error.reason === 'canceled') {
      dispatch({ type: 'reviewEnded', order, isSigned: false });
    } else if (!signal.aborted) {
      dispatch({ type: 'answered', answer: refusal(error) });
    }
  }
}

/** Returns the chosen ledger. Deploys a new ledger first. */
async function ledgerToUse(ledgers: LedgerChoice, { client, account }: SignedIn, template: Template, dispatch: Dispatch): Promise<OwnLedger> {
  const chosen = await registerToUse(ledgers, client, dispatch);
  if (chosen !== undefined) {
    return chosen;
  }
  const wanted = newLedger(ledgers, account);
  // The answer to an earlier attempt may have been lost.
  const isIt = (ledger: OwnLedger) => !ledger.isForeign && ledger.name === wanted.name && (isHosted(wanted) ? isHosted(ledger) : ledger.uriPrefix === wanted.uriPrefix);
  const found = await ledgersOf(client, [...ledgers.schemas.keys()]);
  const ledger = found.find(isIt) ?? (await deploy(client, { ...wanted, symbol: template.ledger.symbol, schemaId: newSchemaId(ledgers) }));
  dispatch({ type: 'ledgerDeployed', ledger, isHosting: isHosted(wanted) });
  return ledger;
}
