// Reads what can be wrong, and asks the service to try again. Does not use the DOM.
import type { Client } from '/client/index.js';
import { type Ordered, orderedBySeed } from '/lib/batches.ts';
import type { OwnLedger } from '/lib/issuing.ts';
import { noteFirst, readNoted } from '/lib/noted.ts';
import { personIn } from '/lib/people.ts';
import { readProposed } from '/lib/proposed.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { validityOf } from '/lib/validity.ts';
import {
  DOUBTFUL,
  DOUBTFUL_ORDERS,
  MAX_AGE,
  type Problem,
  type Proposed,
  type Remedy,
  type Source,
  problemOfCertificate,
  problemOfDelivery,
  problemOfDeployment,
  problemOfDomain,
  problemOfOrder,
  problemOfWebhook,
} from './state.ts';

/** The maximum number of records of each list that are read. The lists begin with the newest ones. */
export const MAX_RECORDS = 300;
/** The maximum number of certificates whose files are looked at, the newest of each register first. */
export const MAX_CERTIFICATES = 50;
/** The number of certificates that are looked at at the same time. */
const AT_ONCE = 4;
/** The key of the orders that the person has left out of the list, in the browser's storage. */
const LEFT_OUT = 'assay.left-out';
/** The maximum number of these orders. The oldest ones are shown again. */
const MAX_LEFT_OUT = 300;

/** Returns the problems of a source. */
export async function problemsOf(source: Source, { client, account }: SignedIn, registers: readonly OwnLedger[], now: number): Promise<Problem[]> {
  switch (source) {
    case 'orders': {
      const [proposed, leftOut] = [await proposedOf(account), new Set(readNoted(LEFT_OUT))];
      return found(client.orders({ statuses: DOUBTFUL_ORDERS, limit: 100 }), (order) => (leftOut.has(order.ref) ? null : problemOfOrder(order, account, now, proposed)));
    }
    case 'deployments':
      return found(client.deployments({ statuses: DOUBTFUL, limit: 100 }), (deployment) => problemOfDeployment(deployment, now));
    case 'domain':
      return present([problemOfDomain((await client.getDomain()).data)]);
    case 'webhook':
      return present([
        problemOfWebhook((await client.getAccountWebhook()).data),
        ...(await found(
          client.accountWebhookDeliveries({ limit: 100 }),
          (delivery) => problemOfDelivery(delivery, now),
          ({ createdAt }) => now - Date.parse(createdAt) > MAX_AGE,
        )),
      ]);
    case 'files':
      return filesOf(client, registers);
  }
}

/** Returns the certificates of the orders of this browser that a colleague has to sign too, by the references or the seeds of the orders. */
async function proposedOf(account: string): Promise<Map<string, readonly Proposed[]>> {
  const single = [...readProposed()].map(([ref, one]): [string, Proposed[]] => [ref, [one]]);
  // The problems are shown without the lists of this browser, too.
  const ordered = await orderedBySeed(account).catch(() => new Map<string, Ordered[]>());
  const listed = [...ordered].map(([seed, list]): [string, Proposed[]] => [
    seed,
    list.map(({ ledgerId, id, row, schema }) => (row === null ? { ledgerId, id } : { ...personIn(row.document, schema), ledgerId, id })),
  ]);
  return new Map([...single, ...listed]);
}

const present = (problems: readonly (Problem | null)[]): Problem[] => problems.flatMap((problem) => (problem === null ? [] : [problem]));

/** Returns the problems of the first records of a list, up to a record of which `isEnd` is true. */
async function found<Item>(items: AsyncIterable<Item>, problemOf: (item: Item) => Problem | null, isEnd: (item: Item) => boolean = () => false): Promise<Problem[]> {
  const problems: (Problem | null)[] = [];
  for await (const item of items) {
    if (problems.length === MAX_RECORDS || isEnd(item)) {
      break;
    }
    problems.push(problemOf(item));
  }
  return present(problems);
}

/** Looks at the public files of the newest certificates, a few at a time. */
async function filesOf(client: Client, registers: readonly OwnLedger[]): Promise<Problem[]> {
  const each = Math.ceil(MAX_CERTIFICATES / Math.max(1, registers.length));
  const assets: { ledgerId: string; id: string; register: string }[] = [];
  for (const { ref, name } of registers.slice(0, MAX_CERTIFICATES)) {
    const { data } = await client.getLedgerAssets(ref, { limit: each });
    assets.push(...data.map(({ ledgerId, id }) => ({ ledgerId, id, register: name })));
  }
  const problems: (Problem | null)[] = [];
  for (let at = 0; at < assets.length; at += AT_ONCE) {
    problems.push(...(await Promise.all(assets.slice(at, at + AT_ONCE).map(async (asset) => problemOfCertificate(asset, asset.register, await recordOf(asset))))));
  }
  return present(problems);
}

const recordOf = ({ ledgerId, id }: { ledgerId: string; id: string }) => validityOf({ ledger: ledgerId, asset: id }, 'reload').catch(() => null);

/** Asks the service to try again. */
export async function tryAgain({ client }: SignedIn, remedy: Remedy): Promise<void> {
  switch (remedy.kind) {
    case 'perform':
      await client.performOrder(remedy.ref);
      return;
    case 'leaveOut':
      noteFirst(LEFT_OUT, remedy.ref, MAX_LEFT_OUT);
      return;
    case 'checkDomain':
      // Setting the domain again requests another check.
      await client.setDomain(remedy.domain);
      return;
    case 'redeliver':
      await client.redeliverAccountWebhookEvent(remedy.ref);
      return;
    case 'checkFiles':
      await validityOf({ ledger: remedy.ledgerId, asset: remedy.id }, 'reload');
  }
}
