// Runs the stories of tests/client with a ledger on a chain. Two points differ. There are no deposits, because only the token's owner gives
// tokens. Tokens can go only to accounts that the token's owner allows.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as assay from "@assay/client";
import { ABI, Node, anvil } from "./contracts.mjs";
import { SETTINGS, orderInSeconds, originalStory } from "../client/original.mjs";
import { RESULT, runStory, withoutDeposits } from "../client/story.mjs";
import { startChain } from "../support/chain.mjs";
import { newClient, until } from "../support/client.mjs";
import { startServer } from "../support/server.mjs";

const skip = !anvil() && "npm has no anvil for this machine";
const TOKENS = 1_000n * 10n ** 18n;

let chain, vars, server;
before(async () => {
  if (skip) return;
  chain = await startChain("--block-time", "1");
  // One confirmation keeps the stories short: they wait for each request.
  vars = { ...chain.ready.vars, ENVIRONMENT: "development", CONFIRMATIONS: "1", BLOCK_SECONDS: "1" };
  server = await startServer({ vars, sweepEvery: 1 });
});
after(async () => {
  await server?.stop();
  await chain?.stop();
});

/** Gives a client's account tokens, and allows the account to receive tokens. Waits for earlier calls, because the node processes requests concurrently. */
const credit = (client) => (credits = credits.then(() => give(client)));
let credits = Promise.resolve();

async function give({ provider: { accountId } }) {
  const {
    url,
    owner: from,
    addresses: { token: to },
  } = chain.ready;
  const node = Node.at(url);
  await node.send({ from, to, data: ABI.token.encodeFunctionData("deposit", [TOKENS, accountId]) });
  await node.send({ from, to, data: ABI.token.encodeFunctionData("setWhitelistedRecipient", [accountId, true]) });
}

// The stories wait for blocks most of the time, so they run at the same time.
describe("the stories of clients on a chain", { skip, concurrency: true }, () => {
  test("the client's story has the same result on a chain", async () => {
    assert.deepEqual(await runStory(assay, server.url, { credit }), withoutDeposits(RESULT));
  });

  test("a signer cancels an order and a deployment on the chain", async () => {
    const client = await newClient(server.url);
    const { accountId: from } = client.provider;
    await credit(client);
    const node = Node.at(chain.ready.url);
    await node.call("anvil_impersonateAccount", from);
    await node.call("anvil_setBalance", from, "0xde0b6b3a7640000");
    const { payment } = (await client.getAccount()).data;
    const offer = await client.createOrder(
      {
        wildcardSigner: true,
        automatedPerform: true,
        payerId: from,
        signersIds: [from],
        actions: [{ kind: assay.ActionKind.TRANSFER_VALUE, valueLedgerId: payment.tokenAddress, value: 1, senderId: from }],
      },
      assay.Priority.MEDIUM,
    );
    const { data: order } = await client.getOrder(offer.data.ref);
    const call = client.cancellationOnChain(order);
    // Sends the wallet's transaction as the README and docs/chain.md show it.
    const ethereum = { request: ({ method, params }) => node.call(method, ...params) };
    const hash = await ethereum.request({ method: "eth_sendTransaction", params: [{ from: client.provider.accountId, ...call }] });
    assert.equal((await node.receipt(hash)).status, "0x1");
    const canceled = await until(
      () => client.getOrder(order.ref),
      ({ data }) => data.status === assay.RequestStatus.CANCELED,
    );
    assert.throws(
      () => client.cancellationOnChain(canceled.data),
      (error) => error.code === 7000008 && /was canceled before/.test(error.message),
    );

    // A deployment is performed at once. The gateway refuses its cancellation with the reason 009006, so it recognises the deployment's content.
    const deployed = await client.createDeployment(
      { name: "A", symbol: "A", uriPrefix: "https://a.example/", uriPostfix: "", schemaId: "0x" + "3f".repeat(32), capabilities: [], ownerId: from },
      assay.Priority.MEDIUM,
    );
    const deployment = (await client.waitForDeployment(deployed.data.ref, { interval: 200 })).data;
    await assert.rejects(node.call("eth_call", { from, ...client.cancellationOnChain(deployment) }, "latest"), /009006/);
  });

  test("an order whose expiration is in seconds is performed on a chain", () => orderInSeconds(server.url, credit));

  for (const [place, name] of ["ETH_SIGN", "PERSONAL_SIGN"].entries()) {
    test(`clients and receivers of the original service work unchanged on a chain, ${name}`, () => {
      const gateways = { actionsOrderId: vars.GATEWAY_ACTIONS, assetLedgerDeployOrderId: vars.GATEWAY_DEPLOY };
      // Each service has its own relayer. Services with the same relayer would take nonces from each other.
      const own = { RELAYER_KEY: chain.ready.accounts[place].privateKey };
      return originalStory({ vars: { ...vars, ...SETTINGS, ...own }, signMethod: assay.SignMethod[name], gateways, credit });
    });
  }
});
