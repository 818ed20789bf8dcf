// The service accepts orders and signatures of the original client that this client cannot make.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newClient } from "../support/client.mjs";
import { startServer } from "../support/server.mjs";

let server;
before(async () => {
  server = await startServer({ vars: { ENVIRONMENT: "development", DEPOSITS: "test" } });
});
after(() => server?.stop());

test("an order that was made with seconds is signed by the original client's arithmetic", async () => {
  const [alice, bob] = await Promise.all([newClient(server.url), newClient(server.url)]);
  for (const client of [alice, bob]) await client.createDeposit(2_000);
  const [a, b] = [alice.provider.accountId, bob.provider.accountId];
  const { tokenAddress, receiverAddress, valueTransferCost } = (await alice.getAccount()).data.payment;
  const seconds = Math.floor(Date.now() / 1000) + 3_600;
  const transfer = (receiverId, value) => ({ kind: 3, ledgerId: tokenAddress, senderId: b, receiverId, value });
  const body = { priority: 1, wildcardSigner: false, automatedPerform: true, order: { seed: 7, expiration: seconds, signers: [{ accountId: a, claim: "" }, { accountId: b, claim: "" }], actions: [transfer(a, "1"), transfer(receiverAddress, valueTransferCost)] } };
  const authorization = `3:${await alice.provider.sign("assay api")}`;
  const response = await fetch(`${server.url}/orders`, { method: "POST", headers: { authorization, "content-type": "application/json" }, body: JSON.stringify(body) });
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
});
