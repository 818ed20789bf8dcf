// Sends orders of the client's account alone.
import { Priority } from '/client/index.js';

/** The longest time to wait until an order is final, in milliseconds. */
const PATIENCE = 300_000;

/** Has actions performed, whose sender is the client's account. It signs the order and pays for it. Resolves when the order is final. */
export async function perform(client, actions) {
  const account = client.provider.accountId;
  const order = { actions: actions.map((action) => ({ ...action, senderId: account })), signersIds: [account], payerId: account, wildcardSigner: false, automatedPerform: true };
  const sent = await client.createOrder(order, Priority.MEDIUM);
  await client.waitForOrder(sent.data.ref, { timeout: PATIENCE });
}
