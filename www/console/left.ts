// Finds registers on which the account has no role any more, but owns certificates. It may always withdraw those, and the service's lists leave them out.
import { ActionKind, ApiError, type Client, ClientError, ErrorCode, RequestStatus } from '/client/index.js';
import { readEntries } from '/lib/book.ts';
import { eachOf } from '/lib/few.ts';
import { type OwnLedger, hasLeft } from '/lib/issuing.ts';
import type { SignedIn } from '/lib/sign-in.ts';

/** The maximum number of registers that are looked at. */
const MAX_LEFT = 20;
/** The maximum number of the account's orders that are looked at, the newest first. */
const MAX_ORDERS = 200;
/** The number of orders that one request reads. An order can have a hundred actions. */
const PAGE = 50;

/**
 * Returns registers that are not among the known ones, and on which the account owns certificates. They have no abilities. This browser's book tells them, and so do the
 * account's orders. Orders are large, so they are read only if the book is empty, such as in another browser, or if no register is known.
 */
export async function leftRegisters({ client, account }: SignedIn, known: readonly OwnLedger[]): Promise<OwnLedger[]> {
  const entries = [...(await readEntries()).values()];
  const areOrdersRead = !known.some(hasLeft) && (known.length === 0 || entries.length === 0);
  const ids = new Set([...(areOrdersRead ? await registersInOrders(client) : []), ...entries.map(({ ledger }) => ledger)]);
  for (const { id } of known) {
    ids.delete(id.toLowerCase());
  }
  const found = await eachOf([...ids].slice(0, MAX_LEFT), (id) => leftRegister(client, id, account));
  return found.flat();
}

/** Returns the ids of the registers on which the account's newest orders have issued, in lower case. */
async function registersInOrders(client: Client): Promise<Set<string>> {
  const ids = new Set<string>();
  let left = MAX_ORDERS;
  for await (const { order } of client.orders({ roles: ['creator'], statuses: [RequestStatus.FINALIZED], sort: 2, limit: PAGE })) {
    for (const { kind, ledgerId } of order.actions) {
      if (kind === ActionKind.CREATE_ASSET) {
        ids.add(ledgerId.toLowerCase());
      }
    }
    left -= 1;
    if (left === 0) {
      break;
    }
  }
  return ids;
}

async function leftRegister(client: Client, id: string, account: string): Promise<OwnLedger[]> {
  try {
    const { data: owned } = await client.getLedgerAssets(id, { ownerId: account, limit: 1 });
    return owned.length === 0 ? [] : [{ ...(await client.getLedger(id)).data, isForeign: true, abilities: [] }];
  } catch (error) {
    // The book can have entries from before the service lost a register.
    const cause = error instanceof ClientError ? error.original : error;
    if (cause instanceof ApiError && cause.errors.some(({ code }) => code === ErrorCode.LedgerNotFound)) {
      return [];
    }
    throw error;
  }
}
