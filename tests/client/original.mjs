// Stories that use the service as the original client does, on any ledger.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { Client, PrivateKeyProvider } from "@assay/client";
import { newClient, until } from "../support/client.mjs";
import { startServer } from "../support/server.mjs";

const AUTH_TEXT = "I accept 0xcert terms of use.";
/** The settings that the original client and its webhook receivers need. */
export const SETTINGS = { ENVIRONMENT: "development", ALLOW_PRIVATE_FETCH: "true", AUTH_TEXT, AUTH_ETH_SIGN: "sha256", WEBHOOK_CONFIRMATION: "off" };

/** Two accounts sign an order whose expiration is in seconds instead of milliseconds. `credit` gives a client's account tokens. */
export async function orderInSeconds(url, credit) {
  const [alice, bob] = await Promise.all([newClient(url), newClient(url)]);
  for (const client of [alice, bob]) await credit(client);
  const [a, b] = [alice.provider.accountId, bob.provider.accountId];
  const { tokenAddress, receiverAddress, valueTransferCost } = (await alice.getAccount()).data.payment;
  const seconds = Math.floor(Date.now() / 1000) + 3_600;
  const transfer = (receiverId, value) => ({ kind: 3, ledgerId: tokenAddress, senderId: b, receiverId, value });
  const body = {
    priority: 1,
    wildcardSigner: false,
    automatedPerform: true,
    order: {
      seed: 7,
      expiration: seconds,
      signers: [
        { accountId: a, claim: "" },
        { accountId: b, claim: "" },
      ],
      actions: [transfer(a, "1"), transfer(receiverAddress, valueTransferCost)],
    },
  };
  const authorization = `3:${await alice.provider.sign("assay api")}`;
  const response = await fetch(`${url}/orders`, { method: "POST", headers: { authorization, "content-type": "application/json" }, body: JSON.stringify(body) });
  const created = await response.json();
  assert.equal(response.status, 201, JSON.stringify(created));

  const { data } = await bob.getOrder(created.data.ref);
  // The original client divides every expiration by 1,000 and hashes the result.
  const divided = data.order.expiration / 1000;
  assert.equal(divided, seconds);
  const read = { ...data, order: { ...data.order, expiration: divided } };
  await bob.signOrder(data.ref, { reviewed: read });
  await alice.signOrder(data.ref, { reviewed: data });
  assert.equal((await alice.waitForOrder(data.ref)).data.status, 7);
}

/**
 * Starts a service with the settings `vars`. An account whose provider has `gateways` deploys a ledger, creates an asset and approves tokens. A
 * webhook receiver that answers no challenge gets all events of these requests.
 */
export async function originalStory({ vars, signMethod, gateways, credit }) {
  const events = [];
  const receiver = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    events.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.end("ok");
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const service = await startServer({ vars, sweepEvery: 1 });
  try {
    const provider = await PrivateKeyProvider.from(randomBytes(32).toString("hex"), signMethod);
    provider.gatewayConfig = gateways;
    const client = new Client({ provider, apiUrl: service.url, authorizationText: AUTH_TEXT, authorizationEthSign: "sha256" });
    await client.init();
    const me = provider.accountId;
    await credit(client);
    await client.updateAccountWebhook(`http://127.0.0.1:${receiver.address().port}/`, [0, 1, 2, 3]);
    assert.equal((await client.getAccountWebhook()).data.state, "active");
    const hash = (text) => createHash("sha256").update(text).digest("hex");
    const ledger = { name: "Courses", symbol: "C", uriPrefix: "https://example.org/", uriPostfix: ".json", schemaId: hash("schema"), capabilities: [], ownerId: me };
    const deployment = await client.createDeployment(ledger, 1);
    const { ledgerId } = (await client.waitForDeployment(deployment.data.ref)).data;
    const actions = [{ kind: 1, assetLedgerId: ledgerId, id: "1", imprint: hash("1"), senderId: me, receiverId: me }];
    const order = await client.createOrder({ actions, signersIds: [me], payerId: me, wildcardSigner: false, automatedPerform: true }, 1);
    assert.equal((await client.waitForOrder(order.data.ref)).data.status, 7);
    const approval = await client.createApproval({ spender: ledgerId, value: 5 }, 1);
    assert.equal((await client.waitForApproval(approval.data.ref)).data.status, 7);

    const final = (ref) => events.some(({ requestRef, status }) => requestRef === ref && status === 7);
    const refs = [deployment.data.ref, order.data.ref, approval.data.ref];
    assert.ok(await until(() => refs.every(final), Boolean), JSON.stringify(events));
    assert.ok(events.every(({ challenge }) => challenge === undefined));
  } finally {
    await service.stop();
    receiver.close();
  }
}
