// Sessions and API keys in workerd, used with the client and with another project's wallet.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, Client, ClientError, PrivateKeyProvider, SignMethod } from "@assay/client";
import { Wallet } from "ethers";
import { startServer } from "../support/server.mjs";

const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test" };
/** Milliseconds after which every isolate has read the restrictions again. */
const RESTRICTIONS = 5_200;

let server;
before(async () => {
  server = await startServer({ vars: SETTINGS });
});
after(() => server?.stop());

const newProvider = (signMethod) => PrivateKeyProvider.from(randomBytes(32).toString("hex"), signMethod);
const refused = (code) => (error) => error instanceof ApiError && error.errors[0].code === code;
/** Matches a client error whose cause is this error of the service. */
const because = (code) => (error) => error instanceof ClientError && refused(code)(error.original);

test("an account signs in, creates an API key, turns off the signed header, and revokes everything", async () => {
  const provider = await newProvider();
  const person = new Client({ provider, apiUrl: server.url });
  const signedIn = await person.signIn();
  assert.equal(signedIn.status, 201);
  assert.equal(signedIn.data.accountId, provider.accountId);
  await person.createDeposit(20_00);

  const { data: created } = await person.createApiKey({ name: "shop", scopes: ["read"] });
  const shop = new Client({ token: created.key, apiUrl: server.url });
  await shop.init();
  assert.equal((await shop.getAccount()).data.id, provider.accountId);
  await assert.rejects(shop.createDeposit(20_00), refused(403021));
  await assert.rejects(shop.deleteAccountWebhook(), refused(403020));
  await assert.rejects(shop.createApiKey({ name: "more", scopes: ["orders"] }), refused(403021));
  assert.throws(() => shop.provider, { code: 7000012 });

  const header = new Client({ provider, apiUrl: server.url });
  await header.init();
  await assert.rejects(header.updateAccountAccess(false), refused(403021));
  assert.deepEqual((await person.updateAccountAccess(false)).data, { legacyAuth: false });
  await sleep(RESTRICTIONS);
  await assert.rejects(header.init(), because(401002));
  await header.signIn();
  const sessions = await Array.fromAsync(person.sessions());
  assert.deepEqual(
    sessions.map(({ isCurrent }) => isCurrent),
    [false, true],
  );

  assert.equal((await person.deleteApiKey(created.ref)).data.name, "shop");
  await assert.rejects(shop.getAccount(), refused(401001));
  await person.deleteSession(sessions[0].ref);
  await assert.rejects(header.getAccount(), refused(401001));
  assert.equal((await person.signOut()).data.isCurrent, true);
  await assert.rejects(person.getAccount(), { code: 7000002 });
  const stolen = new Client({ token: signedIn.data.token, apiUrl: server.url });
  await assert.rejects(stolen.init(), because(401001));
  await person.signIn();
  assert.equal((await person.getApiKeys()).meta.total, 0);
});

test("another project's wallet signs in with its own message", async () => {
  const wallet = Wallet.createRandom();
  const { data } = await (await fetch(`${server.url}/sessions/challenge`)).json();
  const lines = [
    `${data.domain} wants you to sign in with your Ethereum account:`,
    wallet.address,
    "",
    "",
    `URI: ${data.uri}`,
    "Version: 1",
    `Chain ID: ${data.chainId}`,
    `Nonce: ${data.nonce}`,
    `Issued At: ${new Date().toISOString()}`,
  ];
  const message = lines.join("\n");
  const post = (signature) => fetch(`${server.url}/sessions`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ message, signature }) });
  const smart = await (await post(`0x${"00".repeat(96)}${"6492".repeat(16)}`)).json();
  assert.equal(smart.errors[0].code, 422941);
  const session = await (await post(await wallet.signMessage(message))).json();
  assert.equal(session.status, 201, JSON.stringify(session));
  const answer = await fetch(`${server.url}/account`, { headers: { authorization: `Bearer ${session.data.token}` } });
  assert.equal((await answer.json()).data.id, wallet.address);
  assert.equal((await post(await wallet.signMessage(message))).status, 401);
});

test("providers of both kinds, and addresses without a checksum, sign in", async () => {
  for (const method of [SignMethod.ETH_SIGN, SignMethod.PERSONAL_SIGN]) {
    const { accountId, signMethod, sign } = await newProvider(method).then((own) => ({ accountId: own.accountId.toLowerCase(), signMethod: own.signMethod, sign: (message) => own.sign(message) }));
    const client = new Client({ provider: { accountId, signMethod, sign }, apiUrl: server.url });
    assert.equal((await client.signIn()).data.accountId.toLowerCase(), accountId);
    // The costs can be read again without another signature.
    await client.init();
    assert.equal((await client.getSessions()).meta.total, 1);
  }
});

test("a service that refuses the signed header accepts sessions", async () => {
  const strict = await startServer({ vars: { ...SETTINGS, LEGACY_AUTH: "off" } });
  try {
    const client = new Client({ provider: await newProvider(), apiUrl: strict.url });
    await assert.rejects(client.init(), because(401002));
    await client.signIn();
    assert.equal((await client.createDeposit(20_00)).status, 201);
    const { data } = await (await fetch(`${strict.url}/health`, { headers: { accept: "application/json" } })).json();
    assert.equal(data.legacyAuth, "off");
  } finally {
    await strict.stop();
  }
});
