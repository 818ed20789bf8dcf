// The stories of tests/client on a ledger on a chain. They differ in two points: there are no deposits, because only the token's owner gives
// tokens; and tokens go only to accounts that the token's owner allows.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as assay from "@assay/client";
import { ABI, Node, anvil } from "./contracts.mjs";
import { SETTINGS, orderInSeconds, originalStory } from "../client/original.mjs";
import { RESULT, runStory, withoutDeposits } from "../client/story.mjs";
import { startChain } from "../support/chain.mjs";
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

/** Gives a client's account tokens, and allows it to receive tokens. */
async function credit({ provider: { accountId } }) {
  const { url, owner: from, addresses: { token: to } } = chain.ready;
  const node = Node.at(url);
  await node.send({ from, to, data: ABI.token.encodeFunctionData("deposit", [TOKENS, accountId]) });
  await node.send({ from, to, data: ABI.token.encodeFunctionData("setWhitelistedRecipient", [accountId, true]) });
}

// The stories wait for blocks most of the time, so they run at the same time.
describe("the stories of clients on a chain", { skip, concurrency: true }, () => {
  test("accounts exchange, sign, cancel and approve on a chain", async () => {
    assert.deepEqual(await runStory(assay, server.url, { credit }), withoutDeposits(RESULT));
  });

  test("an order with an expiration in seconds is performed on a chain", () => orderInSeconds(server.url, credit));

  for (const [place, name] of ["ETH_SIGN", "PERSONAL_SIGN"].entries()) {
    test(`clients and receivers of the original service work unchanged on a chain, ${name}`, () => {
      const gateways = { actionsOrderId: vars.GATEWAY_ACTIONS, assetLedgerDeployOrderId: vars.GATEWAY_DEPLOY };
      // Services that share a relayer take nonces from each other.
      const own = { RELAYER_KEY: chain.ready.accounts[place].privateKey };
      return originalStory({ vars: { ...vars, ...SETTINGS, ...own }, signMethod: assay.SignMethod[name], gateways, credit });
    });
  }
});
