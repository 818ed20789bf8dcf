// An operator's settings: invalid settings are reported at the start, and accounts without tokens can use an instance without payments.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Cert } from "@assay/cert";
import { ActionKind } from "@assay/client";
import { badge, newClient } from "./support/client.mjs";
import { startServer } from "./support/server.mjs";

const DEFAULT_BUILD = fileURLToPath(new URL("../edge-api/dist", import.meta.url));

const WRONG = {
  "a misspelt name": [{ DEPOSIT: "test" }, /there is no setting `DEPOSIT`: did you mean `DEPOSITS`\?/],
  "a wrong value": [{ DEPOSITS: "yes" }, /`DEPOSITS` is `yes`; it must be `off` or `test` or `stripe`/],
  "test deposits in production": [{ DEPOSITS: "test" }, /`DEPOSITS` is `test`, .*`ENVIRONMENT=development`/],
  "the default name": [{ SERVICE_NAME: "assay" }, /`SERVICE_NAME` is `assay`, .* set `SERVICE_NAME` to a name of your own/],
  "fees without a receiver": [{ PAYMENT_RECEIVER: "" }, /`PAYMENT_RECEIVER` must be set .* set `PAYMENTS` to `off`/],
  "a ledger on a chain in the build without one": [{ LEDGER: "evm" }, /`LEDGER` is `evm`, and needs another build .* `cargo xtask build worker --evm`/, DEFAULT_BUILD],
  "a setting of a chain in the build without one": [{ CHAIN_ID: "1" }, /`CHAIN_ID` is a setting of a chain, and needs `LEDGER=evm` and another build/],
};
for (const [name, [vars, message, dist]] of Object.entries(WRONG)) {
  test(`the server does not start with ${name}, and logs the reason`, async () => {
    const started = startServer({ vars, dist }).then((server) => server.stop());
    await assert.rejects(started, (error) => message.test(error.message));
  });
}

test("with the deployed settings, nothing costs tokens", async () => {
  const server = await startServer({ vars: { PAYMENTS: "off" } });
  try {
    const { data } = await (await fetch(`${server.url}/health`)).json();
    assert.deepEqual([data.payments, data.weakening.includes("ENVIRONMENT=development")], ["off", false]);
  } finally {
    await server.stop();
  }
});

const SCHEMA = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { $evidence: { type: "string" }, $schema: { type: "string" }, name: { type: "string" } },
};

let server, files, origin;
const documents = new Map();
before(async () => {
  files = createServer((request, response) => {
    const document = documents.get(request.url);
    response.writeHead(document ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(document ?? {}));
  }).listen(0, "127.0.0.1");
  await once(files, "listening");
  origin = `http://127.0.0.1:${files.address().port}`;
  const vars = { ENVIRONMENT: "development", DEPOSITS: "off", PAYMENTS: "off", ALLOW_PRIVATE_FETCH: "true" };
  server = await startServer({ vars, sweepEvery: 1 });
});
after(async () => {
  await server?.stop();
  files?.close();
});

test("an account without tokens can deploy a ledger and create an asset", async () => {
  const client = await newClient(server.url);
  const me = client.provider.accountId;
  const { data: account } = await client.getAccount();
  assert.deepEqual([account.isPaymentRequired, account.balance, account.payment.assetDeployCost], [false, "0", "0"]);

  const metadata = { $evidence: `${origin}/1/evidence`, $schema: `${origin}/schema`, name: "Ada" };
  const cert = new Cert({ schema: SCHEMA });
  const schemaId = cert.identify();
  const imprint = await cert.imprint(metadata);
  const evidence = { data: await cert.disclose(metadata, [["$evidence"], ["$schema"], ["name"]]) };
  for (const [path, document] of [
    ["/1", metadata],
    ["/1/evidence", evidence],
    ["/schema", SCHEMA],
  ])
    documents.set(path, document);

  const deployed = await client.createDeployment({ name: "Own", symbol: "OWN", uriPrefix: `${origin}/`, uriPostfix: "", schemaId, capabilities: [], ownerId: me }, 2);
  const { ledgerId } = (await client.waitForDeployment(deployed.data.ref, { interval: 100 })).data;
  const order = await client.createOrder(
    {
      wildcardSigner: false,
      automatedPerform: true,
      payerId: me,
      signersIds: [me],
      actions: [{ kind: ActionKind.CREATE_ASSET, assetLedgerId: ledgerId, id: "1", imprint, senderId: me, receiverId: me }],
    },
    2,
  );
  assert.equal((await client.waitForOrder(order.data.ref, { interval: 100 })).data.status, 7);
  assert.equal(await badge(client, ledgerId, "1", "valid"), "valid");
});
