// Creates an account with records of every kind, so generated requests concern existing records.
import { Client, PrivateKeyProvider } from "@assay/client";
import { publish } from "../pages/certificate.mjs";
import { SECRET } from "../support/webhooks.mjs";

/** Private keys of the calling account and of an account whose signature is pending. */
const KEYS = ["11", "22"].map((byte) => byte.repeat(32));
const HIGH = 3;
const QUICKLY = { interval: 100 };

/** Creates the records. Returns the caller's Authorization header, and lists of existing values by the name of their parameter. */
export async function seed(apiUrl, host) {
  const [provider, other] = await Promise.all(KEYS.map((key) => PrivateKeyProvider.from(key)));
  const client = new Client({ provider, apiUrl });
  await client.init();
  const { data: deposit } = await client.createDeposit(50_000);
  const { ledger, imprint } = await publish(host);

  await client.updateAccountWebhook(host.url("hook"), [], { secret: SECRET });
  const { data: deployment } = await client.createDeployment({ ...ledger, ownerId: provider.accountId }, HIGH);
  const { ledgerId, ledgerRef } = (await client.waitForDeployment(deployment.ref, QUICKLY)).data;
  const order = async (signersIds, id) => {
    const actions = [{ kind: 1, assetLedgerId: ledgerId, id, imprint, senderId: provider.accountId, receiverId: provider.accountId }];
    const created = await client.createOrder({ wildcardSigner: false, automatedPerform: true, payerId: provider.accountId, signersIds, actions }, HIGH);
    return created.data.ref;
  };
  const performed = await order([provider.accountId], "1");
  await client.waitForOrder(performed, QUICKLY);
  const waiting = [];
  for (const id of ["2", "3", "4"]) waiting.push(await order([provider.accountId, other.accountId], id));
  const { data: approval } = await client.createApproval({ spender: ledgerId, value: 2 }, HIGH);
  await client.waitForApproval(approval.ref, QUICKLY);
  const { data: deliveries } = await client.getAccountWebhookDeliveries();
  const { data: requests } = await client.getRequests();

  const { data: health } = await (await fetch(`${apiUrl}/health`)).json();
  const signature = await provider.sign(health.authorizationText);
  return {
    authorization: `${provider.signMethod}:${signature}`,
    known: {
      orderRef: [performed, ...waiting],
      deploymentRef: [deployment.ref],
      approvalRef: [approval.ref],
      depositRef: [deposit.ref],
      ledgerRef: [ledgerRef, ledgerId],
      assetId: ["1", "0x1"],
      requestRef: requests.slice(0, 3).map(({ id, ref }) => ref ?? id),
      ref: deliveries.slice(0, 3).map((delivery) => delivery.ref),
      ledgerId: [ledgerId],
    },
  };
}
