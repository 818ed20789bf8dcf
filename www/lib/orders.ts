// Sends orders of the client's account. Does not use the DOM.
import { Priority, priceOf } from '/client/index.js';
import type { Client, ClientAction, ClientOrder } from '/client/index.js';
import { PATIENCE, payingFees } from './approvals.ts';

/** Returns an order in which the account is the sender of all actions, pays for them and signs first. It is performed with the last signature. */
const orderOf = (account: string, actions: ClientAction[], others: readonly string[] = []): ClientOrder => ({
  actions: actions.map((action) => ({ ...action, senderId: account })),
  signersIds: [account, ...others],
  payerId: account,
  wildcardSigner: false,
  automatedPerform: true,
});

/** Sends an order of the client's account. Resolves to the order's reference. */
async function sendOrder(client: Client, actions: ClientAction[], others: readonly string[] = []): Promise<string> {
  const order = orderOf(client.provider.accountId, actions, others);
  const sent = await payingFees(
    client,
    (payment) => priceOf(actions, payment),
    () => client.createOrder(order, Priority.MEDIUM),
  );
  return sent.data.ref;
}

/** Performs actions in an order that only the client's account signs. Resolves when the order is final. */
export async function perform(client: Client, actions: ClientAction[]) {
  await client.waitForOrder(await sendOrder(client, actions), { timeout: PATIENCE });
}

/** Sends actions in an order that a colleague has to sign too. Resolves to the order's reference. */
export const propose = (client: Client, actions: ClientAction[], colleague: string): Promise<string> => sendOrder(client, actions, [colleague]);
