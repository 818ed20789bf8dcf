// Sends orders that only the client's account signs.
import { Priority } from '/client/index.js';
import type { Client, ClientAction } from '/client/index.js';
import { PATIENCE, payingFees } from './approvals.ts';

/** Performs actions in an order. The client's account is the sender, signs the order and pays for it. Resolves when the order is final. */
export async function perform(client: Client, actions: ClientAction[]) {
  const account = client.provider.accountId;
  const order = { actions: actions.map((action) => ({ ...action, senderId: account })), signersIds: [account], payerId: account, wildcardSigner: false, automatedPerform: true };
  const sent = await payingFees(client, () => client.createOrder(order, Priority.MEDIUM));
  await client.waitForOrder(sent.data.ref, { timeout: PATIENCE });
}
