// The service accepts orders and signatures of the original client that this client cannot make. tests/chain/client.test.mjs does the same on a
// chain.
import { after, before, test } from "node:test";
import { SignMethod } from "@assay/client";
import { startServer } from "../support/server.mjs";
import { SETTINGS, orderInSeconds, originalStory } from "./original.mjs";

/** The original service's gateways on Ethereum. */
const GATEWAYS = { actionsOrderId: "0x800ecA21614dA02Df076981Bca9c664dBE19089A", assetLedgerDeployOrderId: "0x984e781a6C09b433493767755f7b072183Ce7BfF" };
const VARS = { ...SETTINGS, DEPOSITS: "test", GATEWAY_ACTIONS: GATEWAYS.actionsOrderId, GATEWAY_DEPLOY: GATEWAYS.assetLedgerDeployOrderId };

let server;
before(async () => {
  server = await startServer({ vars: { ENVIRONMENT: "development", DEPOSITS: "test" } });
});
after(() => server?.stop());

test("an order with an expiration in seconds accepts the original client's signature", () => orderInSeconds(server.url, (client) => client.createDeposit(2_000)));

for (const [name, signMethod] of Object.entries({ ETH_SIGN: SignMethod.ETH_SIGN, PERSONAL_SIGN: SignMethod.PERSONAL_SIGN })) {
  test(`clients and receivers of the original service work unchanged, ${name}`, () => originalStory({ vars: VARS, signMethod, gateways: GATEWAYS, credit: (client) => client.createDeposit(20_000) }));
}
