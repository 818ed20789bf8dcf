// Sends orders of the client's account. Does not use the DOM.
import { ActionKind, Priority } from '/client/index.js';
import type { Client, ClientAction, ClientOrder, CostName, Payment } from '/client/index.js';
import { PATIENCE, payingFees } from './approvals.ts';

/** Returns an order in which the account is the sender of all actions, pays for them and signs first. It is performed with the last signature. */
const orderOf = (account: string, actions: ClientAction[], others: readonly string[] = []): ClientOrder => ({
  actions: actions.map((action) => ({ ...action, senderId: account })),
  signersIds: [account, ...others],
  payerId: account,
  wildcardSigner: false,
  automatedPerform: true,
});

/** The costs of the actions that pages send. */
const COSTS: Partial<Record<ActionKind, CostName>> = {
  [ActionKind.CREATE_ASSET]: 'assetCreateCost',
  [ActionKind.TRANSFER_VALUE]: 'valueTransferCost',
  [ActionKind.UPDATE_ASSET_IMPRINT]: 'assetUpdateCost',
  [ActionKind.SET_ABILITIES]: 'setAbilitiesCost',
  [ActionKind.DESTROY_ASSET]: 'assetDestroyCost',
  [ActionKind.REVOKE_ASSET]: 'assetRevokeCost',
};

/** Returns the price of an order with these actions, in base units. */
export const priceOf = (actions: readonly Pick<ClientAction, 'kind'>[], payment: Payment): bigint =>
  actions.reduce((sum, { kind }) => {
    const name = COSTS[kind];
    return name === undefined ? sum : sum + BigInt(payment[name]);
  }, 0n);

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
