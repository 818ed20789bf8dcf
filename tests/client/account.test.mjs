// An account's information, webhook and request log, and the calls of an administrator.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ApiError, Client, ClientError, PrivateKeyProvider, WebhookVerificationError, receiveWebhook, verifyWebhook } from "@assay/client";
import { newClient, until } from "../support/client.mjs";
import { startServer } from "../support/server.mjs";
import { SECRET } from "../support/webhooks.mjs";

const OPERATE = fileURLToPath(new URL("../../operate/src/cli.ts", import.meta.url));
const ADMIN_KEY = "11".repeat(32);

let server;
let client;
before(async () => {
  const { accountId } = await PrivateKeyProvider.from(ADMIN_KEY);
  server = await startServer({ vars: { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", ADMIN_ACCOUNTS: accountId }, sweepEvery: 1 });
  client = await newClient(server.url);
});
after(() => server?.stop());

test("information is stored, read and refused", async () => {
  const person = { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", streetAddress: "12 St James's Square", postalCode: "SW1Y 4JH", city: "London", country: "United Kingdom" };
  assert.equal((await client.getAccount()).data.information, null);
  await client.updateAccountInformation(person);
  const { data } = await client.getAccount();
  assert.equal(data.isIdentified, true);
  assert.deepEqual(data.information, { ...person, isCompany: false, companyInformation: null });
  const codes = (error) => error instanceof ApiError && error.errors.map(({ code }) => code).join();
  await assert.rejects(client.updateAccountInformation({ ...person, email: "ada" }), (error) => codes(error) === "422101");
  await assert.rejects(client.updateAccountInformation({ ...person, isCompany: true }), (error) => codes(error) === "422106");
});

test("erasing information ends the identification of the account", async () => {
  const strict = await startServer({ vars: { ENVIRONMENT: "development", DEPOSITS: "test", REQUIRE_IDENTIFICATION: "true" } });
  try {
    const own = await newClient(strict.url);
    const refused = (error) => error instanceof ApiError && error.status === 403 && error.errors[0].code === 400014;
    await assert.rejects(own.getOrders(), refused);
    await own.updateAccountInformation({ firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", streetAddress: "1", postalCode: "1", city: "London", country: "GB" });
    assert.equal((await own.createDeposit(1_000)).status, 201);
    const { data } = await own.deleteAccountInformation();
    assert.deepEqual([data.information, data.isIdentified, data.balance], [null, false, (await own.getAccount()).data.balance]);
    assert.notEqual(data.balance, "0");
    await assert.rejects(own.getOrders(), refused);
    assert.deepEqual((await own.deleteAccountInformation()).data, data);
  } finally {
    await strict.stop();
  }
});

test("7000013: a smart account is detected when it connects", async () => {
  const other = await PrivateKeyProvider.from("08".repeat(32));
  const wallets = [
    // ERC-6492 wraps a signature of any length.
    () => `0x${"ab".repeat(400)}`,
    // A smart account's contract may accept a signature of another key.
    (text) => other.sign(text),
  ];
  for (const sign of wallets) {
    const provider = { accountId: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", signMethod: 3, sign: async (text) => sign(text) };
    const client = new Client({ provider, apiUrl: server.url });
    await assert.rejects(client.init(), (error) => error instanceof ClientError && error.code === 7000013);
  }
});

test("an event is verified only with the secret of its webhook", async () => {
  const got = [];
  const secret = SECRET;
  const receiver = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { status, body } = await receiveWebhook(text, request.headers, secret, () => got.push({ headers: request.headers, body: text }));
    response.writeHead(status).end(body);
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  try {
    assert.deepEqual((await client.getAccountWebhook()).data, { url: null, events: [], secret: null, state: null, stateReason: null });
    const url = `http://127.0.0.1:${receiver.address().port}/events`;
    assert.equal((await client.updateAccountWebhook(url, [0, 1, 2, 3], { secret })).data.secret, secret);
    const read = async () => (await client.getAccountWebhook()).data;
    const webhook = await until(read, ({ state }) => state === "active");
    assert.deepEqual(webhook, { url, events: [0, 1, 2, 3], secret, state: "active", stateReason: null });

    const sent = (await client.testAccountWebhook()).data;
    await until(
      () => got.length,
      (count) => count > 0,
    );
    const event = await verifyWebhook(got[0].body, got[0].headers, secret);
    assert.deepEqual([event.id, event.test], [sent.event.id, true]);

    const before = secret;
    const rotated = await client.rotateAccountWebhookSecret();
    assert.notEqual(rotated.data.secret, secret);
    assert.ok(Date.parse(rotated.meta.previousSecretValidUntil) > Date.now());
    await assert.rejects(verifyWebhook(got[0].body, got[0].headers, rotated.data.secret), WebhookVerificationError);

    // While the secret is being replaced, both secrets verify.
    await client.redeliverAccountWebhookEvent(sent.ref);
    await until(
      () => got.length,
      (count) => count > 1,
    );
    for (const valid of [before, rotated.data.secret]) assert.equal((await verifyWebhook(got[1].body, got[1].headers, valid)).id, event.id);
    const deliveries = await until(
      async () => {
        const all = [];
        for await (const delivery of client.accountWebhookDeliveries({ limit: 1 })) all.push(delivery.state);
        return all;
      },
      (states) => states.every((state) => state === "delivered"),
    );
    assert.deepEqual(deliveries, ["delivered", "delivered"]);
    assert.equal((await client.deleteAccountWebhook()).data.url, null);
    await assert.rejects(client.testAccountWebhook(), (error) => error.errors[0].code === 422067);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});

test("requests are found by method, status and time", async () => {
  const made = await client.createDeposit(1_000);
  const { data } = await until(
    () => client.getRequests({ methods: ["POST"], status: 201, fromDate: new Date(Date.now() - 60_000), toDate: new Date(Date.now() + 60_000), sort: 2 }),
    ({ data }) => data.some(({ ref }) => ref === made.id),
  );
  assert.deepEqual([...new Set(data.map(({ method, status }) => `${method} ${status}`))], ["POST 201"]);
  const found = (await client.getRequest(made.id)).data;
  assert.deepEqual([found.ref, found.path, found.status, found.errors], [made.id, "/deposits", 201, []]);
  await assert.rejects(client.getRequest("x"), (error) => error.errors[0].code === 400002);
  const { data: traffic } = await until(
    () => client.getTrafficStats(),
    ({ data }) => data.length > 0 && data[0].mutations > 0,
  );
  assert.equal(traffic.length, 1);
  const other = await newClient(server.url);
  await assert.rejects(other.getRequest(made.id), (error) => error.errors[0].code === 400002);
});

test("a client that signs for another service is refused", async () => {
  await assert.rejects(newClient(server.url, { serviceName: "other" }), (error) => error.code === 7000001 && /serviceName/.test(error.original.message));
  const named = await newClient(server.url, { authorizationText: "assay api" });
  assert.equal((await named.getAccount()).data.id, named.provider.accountId);
});

test("an administrator calls routes from a shell", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "assay-admin-"));
  try {
    const key = path.join(folder, "admin.key");
    const run = (...words) => promisify(execFile)(process.execPath, [OPERATE, "admin", "--key", key, ...words]);
    const admin = (...words) => run("--url", server.url, ...words);
    await writeFile(key, `0x${ADMIN_KEY}\n`);
    const { accountId } = await PrivateKeyProvider.from(ADMIN_KEY);
    assert.equal((await run()).stdout, `${accountId}\n`);
    const raised = await admin("POST", "/admin/quotas", `address=${client.provider.accountId}`, "factor=2", "reason=Imports an archive");
    assert.equal(JSON.parse(raised.stdout).data.bytesPerDay, 2 ** 29);
    assert.match(raised.stderr, /^0x\w{40} signs `.+` for http/);
    const { data } = JSON.parse((await admin("GET", "/admin/audit?limit=1")).stdout);
    assert.deepEqual([data[0].action, data[0].subject, data[0].reason], ["POST /admin/quotas", client.provider.accountId, "Imports an archive"]);
    await assert.rejects(admin("POST", "/admin/quotas", "factor=2"), ({ code, stdout }) => code === 1 && JSON.parse(stdout).status === 422);
    await writeFile(key, "no key");
    await assert.rejects(admin("GET", "/admin/audit"), ({ stderr }) => /admin\.key has no private key/.test(stderr) && !/ {4}at /.test(stderr));
  } finally {
    await rm(folder, { recursive: true });
  }
});
