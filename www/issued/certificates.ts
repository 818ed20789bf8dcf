// Side effects of the list: reading certificates and their records, and withdrawing certificates with a reason. Printing and replacing are parts of their own.
import { ActionKind, RequestStatus, type Asset, type Validity } from '/client/index.js';
import { validityOf } from '/lib/validity.ts';
import { allBatches, progressOf, storeOf } from '/lib/batches.ts';
import { MAX_WITHDRAWN, destroy, isReplaceable, reasonOf } from '/lib/changes.ts';
import { headingOf } from '/view/display.ts';
import { ownLedgers } from '/lib/issuing.ts';
import { Refusal, own, shorten, visible } from '/view/json.ts';
import { part } from '/lib/part.ts';
import { sentence } from '/lib/sentence.ts';
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { readable } from '/lib/titles.ts';
import { type Answer, busy, refusal as refusalOf } from '/components/answer.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { type Action, type Item, type State, type Unexplained, tickedOf } from './state.ts';

export type Dispatch = (action: Action) => void;

/** The number of certificates that one request reads. */
const PAGE = 25;
/** The maximum number of the account's orders that are searched for withdrawals. */
const MAX_ORDERS = 400;
/** The maximum number of withdrawn certificates that are listed. */
const MAX_LISTED = 100;
/** The maximum length of a shown name, in characters. */
const MAX_NAME = 120;

/** Returns the answer that an action is not possible. */
export const refusal = (error: unknown): Answer => refusalOf(explained(error));

export const linkOf = ({ ledgerId, id }: { readonly ledgerId: string; readonly id: string }): string => `${location.origin}/c/${ledgerId}/${id}`;
export const shortId = (id: string): string => (id.length > 12 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id);
/** Returns an untrusted name as it is shown. */
export const shownName = (name: string): string => visible(shorten(name, MAX_NAME));

/** Runs a side effect. If it is refused, shows the reason. */
export async function orRefuse(act: Promise<void>, dispatch: Dispatch): Promise<void> {
  try {
    await act;
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Finds the ledgers of the account, and the keys of the rows of this browser's batches. */
export async function findLedgers({ session }: State, dispatch: Dispatch): Promise<void> {
  if (session === null) {
    return;
  }
  const keys = await knownKeys();
  const ledgers = await ownLedgers(session.client);
  if (ledgers.length === 0) {
    throw Refusal.of('issued.noLedger');
  }
  dispatch({ type: 'ledgersFound', session, ledgers, keys });
}

/** Returns the keys of the rows of all batches in this browser, by ledger and asset. Only the issuer sees these keys. */
async function knownKeys(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { id, ledger } of await allBatches()) {
    for (const [key, asset] of progressOf(await storeOf(id).read()).assets) {
      found.set(`${ledger.id.toLowerCase()}/${asset}`, key);
    }
  }
  return found;
}

/** Reads the next page of the list, and then the names of its certificates. */
export async function readPage({ session, list, next }: State, dispatch: Dispatch): Promise<void> {
  if (session === null || list === null || next === null) {
    return;
  }
  const { data, meta } = await session.client.getLedgerAssets(list.ledger.ref, { limit: PAGE, ...(next === undefined ? {} : { after: next }) });
  dispatch({ type: 'pageFound', list, after: next, assets: data, next: meta.next ?? null });
  for (const { ledgerId, id } of data) {
    try {
      const record: Validity = await validityOf({ ledger: ledgerId, asset: id });
      dispatch({ type: 'named', list, id, record, name: await nameIn(record) });
    } catch {
      // The list is useful even without names. Printing fetches the record again.
    }
  }
}

/** Returns the public name of a certificate, or null. */
async function nameIn({ metadata, schema }: Validity): Promise<string | null> {
  const name: unknown = own(metadata, 'name') ?? (schema === null ? undefined : headingOf(await readable(schema)));
  return typeof name === 'string' ? shownName(name) : null;
}

/** Lists the ledger's certificates that the account has withdrawn, newest first, with date and reason. */
export async function findWithdrawn({ session, list }: State, dispatch: Dispatch): Promise<void> {
  if (session === null || list === null) {
    return;
  }
  dispatch({ type: 'goneNoted', list, text: say('issued.goneLooking') });
  const { id: ledgerId } = list.ledger;
  let isNone = true;
  for (const id of await withdrawnIds(session, ledgerId)) {
    const { status }: Validity = await validityOf({ ledger: ledgerId, asset: id }, 'reload');
    if (status.kind === 'withdrawn') {
      isNone = false;
      dispatch({ type: 'goneFound', list, gone: { ledgerId, id, since: status.since, reason: status.reason } });
    }
  }
  dispatch({ type: 'goneNoted', list, text: isNone ? say('issued.goneNone') : '' });
}

/** Returns the ids of the ledger's assets that the account's orders have withdrawn. */
async function withdrawnIds({ client }: SignedIn, ledgerId: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  let left = MAX_ORDERS;
  for await (const { order } of client.orders({ statuses: [RequestStatus.FINALIZED], sort: 2, limit: 100 })) {
    for (const action of order.actions) {
      const isWithdrawal = action.kind === ActionKind.DESTROY_ASSET || action.kind === ActionKind.REVOKE_ASSET;
      const isMeant = isWithdrawal && action.ledgerId.toLowerCase() === ledgerId.toLowerCase();
      if (isMeant && action.assetId !== undefined && ids.size < MAX_LISTED) {
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

/** Returns the ticked certificates, or null if there is none. Then asks for one. */
export function tickedOrAsk(state: State, dispatch: Dispatch): readonly Item[] | null {
  const items = tickedOf(state);
  if (items.length > 0) {
    dispatch({ type: 'answered', answer: null });
    return items;
  }
  dispatch({ type: 'noneTicked', text: say('issued.tickFirst') });
  return null;
}

/** Prints the ticked certificates, or saves them as PDF. */
export async function print(state: State, dispatch: Dispatch): Promise<void> {
  const items = tickedOrAsk(state, dispatch);
  if (items !== null && state.list !== null) {
    const { printItems } = await part(import('./printing.ts'));
    const note = await printItems(items, state.list.ledger.schemaId);
    if (note !== '') {
      dispatch({ type: 'answered', answer: { kind: 'unchecked', text: note } });
    }
  }
}

/** Begins to replace the ticked certificate, if it is the only one. */
export function offer(state: State, dispatch: Dispatch): void {
  const items = tickedOrAsk(state, dispatch);
  if (items === null || state.list === null) {
    return;
  }
  const { ledger } = state.list;
  const [item, ...others] = items;
  if (item === undefined || others.length > 0 || !isReplaceable(ledger)) {
    dispatch({ type: 'answered', answer: refusal(Refusal.of(others.length > 0 ? 'issued.tickOne' : 'issued.noReplace')) });
    return;
  }
  dispatch({ type: 'replacing', item, ledger });
}

/** Opens the dialog that asks for the reason. */
export function askForReason(state: State, dispatch: Dispatch): void {
  const items = tickedOrAsk(state, dispatch);
  if (items !== null && items.length > MAX_WITHDRAWN) {
    dispatch({ type: 'answered', answer: refusal(Refusal.of('issued.tooMany', { most: MAX_WITHDRAWN })) });
  } else if (items !== null) {
    dispatch({ type: 'reasonAsked', items });
  }
}

/** Withdraws the certificates of the dialog, and sends their reason. */
export async function withdraw({ session, list, withdrawing, reason: given, unexplained }: State, dispatch: Dispatch): Promise<void> {
  if (session === null || list === null || withdrawing === null) {
    return;
  }
  let reason: string;
  try {
    reason = reasonOf(given);
  } catch (error) {
    dispatch({ type: 'reasonRefused', text: sentence(error) });
    return;
  }
  dispatch({ type: 'dialogClosed' });
  dispatch({ type: 'busy', isBusy: true });
  dispatch({ type: 'answered', answer: busy(say(session.isWallet ? 'signIn.inWallet' : 'issued.withdrawing')) });
  try {
    const assets = withdrawing.map(({ asset }) => asset);
    await destroy(
      session.client,
      list.ledger.id,
      assets.map(({ id }) => id),
    );
    dispatch({ type: 'withdrawn', items: withdrawing, reason });
    await explain(session, [...unexplained, ...assets.map((asset) => ({ asset, reason }))], dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  } finally {
    dispatch({ type: 'busy', isBusy: false });
  }
}

/** Sends the reasons that the service does not have yet. */
export async function explain({ client }: SignedIn, unexplained: readonly Unexplained[], dispatch: Dispatch): Promise<void> {
  dispatch({ type: 'answered', answer: busy(say('issued.explaining')) });
  try {
    for (const { asset, reason } of unexplained) {
      await client.updateAssetWithdrawal(asset.ledgerId, asset.id, reason);
      dispatch({ type: 'explained', id: asset.id });
      await refreshRecord(asset);
    }
    dispatch({ type: 'answered', answer: { kind: 'withdrawn', text: say('issued.done') } });
  } catch (error) {
    dispatch({ type: 'answered', answer: { ...refusal(error), retry: say('issued.noReason') } });
  }
}

/** Refreshes the browser's cached record, so that the certificate's page shows a change. */
export async function refreshRecord({ ledgerId, id }: Pick<Asset, 'ledgerId' | 'id'>): Promise<void> {
  await validityOf({ ledger: ledgerId, asset: id }, 'reload').catch(() => undefined);
}
