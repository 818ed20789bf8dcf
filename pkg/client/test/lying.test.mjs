// A lying service: the claims that it can get from clients with and without pinned settings.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Client, ClientError, ConnectionError, InvalidRequestError } from "@assay/client";
import { ACCOUNT, DEPLOYMENT, ME, OK, ORDER, PINS, accounts, connected, gatewayConfig, payment, provider } from "./support.mjs";

const EVIL = accounts[5].address;
const FORTUNE = `1${"0".repeat(30)}`;
const CREATION = { kind: 1, assetLedgerId: accounts[3].address, id: "1", imprint: "ab".repeat(32), senderId: ME, receiverId: ME };
const REQUESTS = {
  "an order": (client) => client.createOrder({ ...ORDER, actions: [CREATION, ...ORDER.actions] }, 1),
  "a deployment": (client) => client.createDeployment(DEPLOYMENT, 1),
  "an approval of an operator": (client) => client.createApproval({ ledgerId: accounts[3].address, receiverId: accounts[4].address, approve: true }, 1),
  "an approval of a value": (client) => client.createApproval({ spender: accounts[4].address, value: 1 }, 1),
};

/** Returns a client of a service with this payment data, and the list of messages that the client's provider was asked to sign after `init`. */
async function told(lies, options) {
  const signed = [];
  const watched = { accountId: ME, signMethod: 3, sign: (message) => (signed.push(message), provider.sign(message)) };
  const account = { ...ACCOUNT, data: { ...ACCOUNT.data, payment: { ...payment, ...lies } } };
  const { client, server } = await connected([OK], { provider: watched, account, ...options });
  signed.length = 0;
  return { client, server, signed };
}

const LIES = {
  "a fee of 10^30": Object.fromEntries(Object.keys(PINS.maxCosts).map((name) => [name, FORTUNE])),
  "a fee that is one unit more": Object.fromEntries(Object.entries(PINS.maxCosts).map(([name, cost]) => [name, String(cost + 1n)])),
  "another token": { tokenAddress: EVIL },
  "another receiver": { receiverAddress: EVIL },
};
for (const [lie, lies] of Object.entries(LIES)) {
  test(`${lie}: a client with pinned settings signs and sends nothing`, async () => {
    const { client, server, signed } = await told(lies, PINS);
    for (const [name, request] of Object.entries(REQUESTS)) {
      await assert.rejects(
        request(client),
        (error) => error instanceof ClientError && error.code === 7000009 && /^The service asks for a payment that the options do not allow: its `payment\./.test(error.message),
        name,
      );
    }
    assert.deepEqual([signed, server.requests], [[], []]);
  });
}

test("requests within the options are signed, and an unnamed cost must be zero", async () => {
  const honest = await told({}, PINS);
  for (const request of Object.values(REQUESTS)) await request(honest.client);
  assert.equal(honest.signed.length, 4);
  // The claims equal the claims of a client without limits.
  const bodies = ({ server }) => server.requests.map(({ rawBody }) => JSON.parse(rawBody));
  const [order, deployment, operator, value] = bodies(honest);
  assert.equal(order.order.actions.at(-1).value, String(PINS.maxCosts.assetCreateCost + PINS.maxCosts.valueTransferCost));
  assert.deepEqual(
    [deployment.deploy.tokenTransferData.receiverId, operator.approval.tokenTransferData.value, value.approval.ledgerId],
    [payment.receiverAddress, payment.assetApproveCost, payment.tokenAddress],
  );

  const free = Object.fromEntries(Object.keys(PINS.maxCosts).map((name) => [name, "0"]));
  const nothing = await told(free, { ...PINS, maxCosts: {} });
  for (const request of Object.values(REQUESTS)) await request(nothing.client);
  assert.equal(nothing.signed.length, 4);
  const unnamed = await told({}, { ...PINS, maxCosts: { valueTransferCost: 1 } });
  await unnamed.client.createOrder(ORDER, 1);
  for (const request of Object.values(REQUESTS))
    await assert.rejects(request(unnamed.client), { code: 7000009, message: /`maxCosts` has no `(assetCreate|assetDeploy|assetApprove|dappValueApprove)Cost`$/ });
});

test("changed costs of a service are checked against the options after a second `init`", async () => {
  let lies = {};
  const answer = () => Response.json({ id: "r", status: 200, data: { ...ACCOUNT.data, payment: { ...payment, ...lies } }, meta: {} });
  const client = new Client({ provider, ...PINS, fetch: () => Promise.resolve(answer()) });
  await client.init();
  await client.createOrder(ORDER, 1);
  lies = LIES["a fee of 10^30"];
  await client.init();
  await assert.rejects(client.createOrder(ORDER, 1), { code: 7000009 });
});

test("limits are copied, so changing the options object later has no effect", async () => {
  const pins = structuredClone(PINS);
  const { client } = await told(LIES["a fee of 10^30"], pins);
  pins.paymentConfig.receiverAddress = EVIL;
  for (const name of Object.keys(pins.maxCosts)) pins.maxCosts[name] = 10n ** 30n;
  pins.gatewayConfig.actionsOrderId = EVIL;
  for (const request of Object.values(REQUESTS)) await assert.rejects(request(client), { code: 7000009 });
});

test("pinned gateways require pinned payments", () => {
  const { paymentConfig, maxCosts } = PINS;
  for (const part of [{}, { paymentConfig }, { maxCosts }]) {
    assert.throws(() => new Client({ provider, gatewayConfig, ...part }), { code: 7000008, message: /`options\.paymentConfig` and `options\.maxCosts` are required/ });
  }
  // Each option can be set without gateways.
  for (const part of [{ paymentConfig }, { maxCosts }, { paymentConfig, maxCosts }]) new Client({ provider, ...part });
  const wrong = [
    ...["0x12", EVIL.slice(2), 7, null, undefined].flatMap((address) => [
      { paymentConfig: { ...paymentConfig, tokenAddress: address } },
      { paymentConfig: { ...paymentConfig, receiverAddress: address } },
    ]),
    ...[null, 7, [], "all"].map((config) => ({ paymentConfig: config })),
    ...[7, [], "all", -1].map((costs) => ({ maxCosts: costs })),
    ...[-1, "1e3", NaN, Infinity, null, {}, 0.1 + 0.2].map((amount) => ({ maxCosts: { assetCreateCost: amount } })),
    // Costs as strings in base units, as in the account's answer. Read as tokens, they would be no limit at all.
    { maxCosts: { assetCreateCost: payment.assetCreateCost } },
  ];
  for (const part of wrong) assert.throws(() => new Client({ provider, ...PINS, ...part }), { name: "ClientError", code: 7000008 }, JSON.stringify(part));
});

test("`confirmPayment` gets the payment, and only true allows signing", async () => {
  const bills = [];
  let verdict = true;
  const confirmPayment = (bill) => (bills.push(bill), typeof verdict === "function" ? verdict() : verdict);
  const { client, server, signed } = await told({}, { confirmPayment });
  for (const request of Object.values(REQUESTS)) await request(client);
  const paid = { payerId: ME, tokenAddress: payment.tokenAddress, receiverAddress: payment.receiverAddress };
  assert.deepEqual(bills, [
    { request: "order", ...paid, value: "4000000000000000000" },
    { request: "deployment", ...paid, value: payment.assetDeployCost },
    { request: "approval", ...paid, value: payment.assetApproveCost },
    { request: "approval", ...paid, value: payment.dappValueApproveCost },
  ]);
  assert.equal(signed.length, 4);
  await client.createOrder({ ...ORDER, payerId: undefined, wildcardSigner: true }, 1);
  assert.equal(bills.at(-1).payerId, null);

  signed.length = server.requests.length = 0;
  const reason = new Error("the dialog could not be shown");
  for (const no of [false, undefined, null, 1, "yes", {}, () => Promise.resolve(false), () => Promise.resolve("true"), () => undefined]) {
    verdict = no;
    await assert.rejects(client.createOrder(ORDER, 1), { name: "ClientError", code: 7000010 });
  }
  for (const failing of [
    () => Promise.reject(reason),
    () => {
      throw reason;
    },
  ]) {
    verdict = failing;
    await assert.rejects(client.createDeployment(DEPLOYMENT, 1), reason);
  }
  const abort = new AbortController();
  verdict = () => new Promise(() => setTimeout(() => abort.abort(reason), 20));
  await assert.rejects(client.createDeployment(DEPLOYMENT, 1, { signal: abort.signal }), reason);
  // An order that cannot be signed is not shown for confirmation.
  bills.length = 0;
  await assert.rejects(client.createOrder({ ...ORDER, actions: [{ ...ORDER.actions[0], receiverId: "0x12" }] }, 1), { status: 422 });
  assert.deepEqual([bills, signed, server.requests], [[], [], []]);
  // A promise of true counts as a yes.
  verdict = () => Promise.resolve(true);
  await client.createDeployment(DEPLOYMENT, 1);
  assert.equal(signed.length, 1);
});

test("a payment of zero needs no confirmation", async () => {
  const { client, signed } = await told({ assetDeployCost: "0" }, { confirmPayment: () => assert.fail("it was asked") });
  await client.createDeployment(DEPLOYMENT, 1);
  assert.equal(signed.length, 1);
});

/** Returns an order as a service answers with it. */
const record = (actions, more = {}) => ({ ref: "x", wildcardSigner: false, order: { seed: 1, expiration: 1_700_000_000_000, signers: [{ accountId: ME, claim: "" }], actions }, ...more });
const answered = (data) => ({ status: 200, body: { id: "r", status: 200, data, meta: {} } });
const GIFT = { kind: 3, ledgerId: payment.tokenAddress, senderId: ME, receiverId: accounts[2].address, value: "1" };
const ROBBERY = { ...GIFT, receiverId: EVIL, value: FORTUNE };

test("only a client without pinned options signs an order unreviewed", async () => {
  const open = await connected([answered(record([ROBBERY])), OK]);
  await open.client.signOrder("x");
  assert.equal(open.server.requests.length, 2);
  const { client, server } = await connected([answered(record([ROBBERY])), OK], PINS);
  for (const options of [undefined, {}, { reviewed: undefined }, { review: undefined }]) await assert.rejects(client.signOrder("x", options), { name: "ClientError", code: 7000011 });
  for (const one of [client, open.client]) {
    for (const review of [true, "yes", null, {}]) await assert.rejects(one.signOrder("x", { review }), { code: 7000008 });
    for (const reviewed of [null, "", 7, {}, { data: record([GIFT]) }]) await assert.rejects(one.signOrder("x", { reviewed }), { code: 7000008 });
  }
  assert.deepEqual([open.server.requests.length, server.requests.length], [2, 0]);
  // A provider of the original framework has its own gateways, and its users call `signOrder(ref)`.
  const signer = { accountId: ME, signMethod: 3, gatewayConfig, sign: (text) => provider.sign(text) };
  const { client: original } = await connected([answered(record([GIFT])), OK], { provider: signer });
  await original.signOrder("x");
});

test("actions swapped between reading and signing are not signed", async () => {
  const claims = async (answers, sign) => {
    const { client, server } = await connected(answers, PINS);
    await sign(client);
    return server.requests.filter(({ method }) => method === "PUT").map(({ rawBody }) => JSON.parse(rawBody).claim);
  };
  const read = async (client) => client.signOrder("x", { reviewed: (await client.getOrder("x")).data });
  const honest = await claims([answered(record([GIFT])), OK], read);
  const swapped = await claims([answered(record([GIFT])), answered(record([ROBBERY])), OK], read);
  assert.deepEqual(swapped, honest);
  const shown = await claims([answered(record([GIFT])), answered(record([ROBBERY])), OK], (client) => client.signOrder("x", { review: () => true }));
  assert.deepEqual(shown, honest);
  const robbed = await claims([answered(record([ROBBERY])), OK], (client) => client.signOrder("x", { review: () => true }));
  assert.notDeepEqual(robbed, honest);
});

test("an order that can no longer be signed is refused with the service's code", async () => {
  for (const status of [1, 3, 4, 6, 7]) {
    for (const options of [undefined, { review: () => assert.fail("it was shown") }]) {
      const { client, server } = await connected([answered(record([], { status, hash: `0x${"0".repeat(64)}` })), OK]);
      await assert.rejects(client.signOrder("x", options), (error) => error instanceof InvalidRequestError && error.status === 400 && error.errors[0].code === 400013);
      assert.equal(server.requests.length, 1);
    }
  }
});

test("`review` decides on the order that would be signed", async () => {
  const seen = [];
  const { client, server } = await connected([answered(record([ROBBERY])), OK], PINS);
  // Changing the shown order does not change the signed one.
  const changed = (order) => (seen.push(structuredClone(order)), (order.order.actions[0] = GIFT), order.order.actions[0].value === "2");
  await assert.rejects(client.signOrder("x", { review: changed }), { code: 7000010 });
  assert.deepEqual(seen, [record([ROBBERY])]);
  for (const no of [undefined, 1, "true", Promise.resolve(false)])
    await assert.rejects((await connected([answered(record([GIFT]))], PINS)).client.signOrder("x", { review: () => no }), { code: 7000010 });
  assert.deepEqual(
    server.requests.map(({ method }) => method),
    ["GET"],
  );
  // With both options, the reviewed order is shown again and no order is fetched.
  await client.signOrder("x", { reviewed: record([GIFT]), review: async (order) => order.order.actions[0].value === "1" });
  assert.deepEqual(
    server.requests.map(({ method }) => method),
    ["GET", "PUT"],
  );
});

test("a reviewed order with fields of wrong types is refused", async () => {
  const { client, server } = await connected([OK], PINS);
  const disguised = [
    record([{ ...ROBBERY, kind: "3" }]),
    record([{ ...ROBBERY, value: 1e15 }]),
    record([GIFT], { wildcardSigner: "false" }),
    record([GIFT], { wildcardSigner: undefined }),
    { ...record([GIFT]), order: { ...record([GIFT]).order, seed: "1" } },
    { ...record([GIFT]), order: { ...record([GIFT]).order, expiration: "1700000000000" } },
    record([GIFT], { hash: `0x${"0".repeat(64)}` }),
  ];
  for (const reviewed of disguised) await assert.rejects(client.signOrder("x", { reviewed }), { name: "ClientError", code: 7000005 }, JSON.stringify(reviewed));
  assert.equal(server.requests.length, 0);
});

test("an endless answer is cut off, compressed or not", async () => {
  const blank = Buffer.alloc(2 ** 20, " ");
  const packed = gzipSync(Buffer.alloc(2 ** 27, " "));
  let sent = 0;
  const server = createServer((request, answer) => {
    if (request.url.includes("packed")) return answer.writeHead(200, { "content-encoding": "gzip" }).end(packed);
    answer.writeHead(200);
    const more = () => {
      while (!answer.destroyed && answer.write(blank)) sent += blank.length;
    };
    answer.on("drain", more);
    more();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const client = new Client({ provider, apiUrl: `http://127.0.0.1:${server.address().port}`, retries: 0 });
    for (const ledgerId of ["endless", "packed"]) {
      await assert.rejects(client.getValidity(ledgerId, "1"), (error) => error instanceof ConnectionError && /the answer is longer than 67108864 bytes/.test(error.message), ledgerId);
    }
    assert.ok(sent < 2 ** 28, `${sent} bytes`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("no cancellation on a chain is computed for content that does not have the record's hash", async () => {
  const { client, server } = await told({});
  await client.createOrder(ORDER, 1);
  const { order, wildcardSigner } = JSON.parse(server.requests[0].rawBody);
  const record = { order, wildcardSigner, hash: `0x${"ab".repeat(32)}` };
  const hasNoHash = (error) => error instanceof ClientError && error.code === 7000008 && /content does not have its hash/.test(error.message);
  assert.throws(() => client.cancellationOnChain(record), hasNoHash);
  assert.throws(() => client.cancellationOnChain({ deploy: DEPLOYMENT, hash: record.hash }), { code: 7000008 });
  assert.throws(() => new Client({ provider, apiUrl: server.url }).cancellationOnChain(record), { code: 7000002 });
});
