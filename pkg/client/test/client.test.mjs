// The client itself: errors, repetitions, aborting, waiting, providers.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { ApiError, Client, ClientError, ConnectionError, Eip1193Provider, InvalidRequestError, PrivateKeyProvider, WaitError } from "@assay/client";
import { recordingServer } from "./recording.mjs";

const { accounts, payment, gatewayConfig, records } = JSON.parse(await readFile(new URL("../../../tests/vectors/claims/client-requests.json", import.meta.url), "utf8"));
const KEY = accounts[1].privateKey;
const provider = await PrivateKeyProvider.from(KEY);
const ME = provider.accountId;
const ACCOUNT = { id: "r", status: 200, data: { id: ME, payment, gateway: gatewayConfig }, meta: {} };
const OK = { status: 200, body: { id: "r", status: 200, data: [], meta: {} } };
const failure = (status, code, headers) => ({ status, headers, body: { id: "r", status, errors: [{ code, message: "no", path: "" }] } });

const servers = [];
after(() => servers.forEach((server) => server.stop()));

/** A client after `init`, and the server that answers its further calls with `answers`, the last one again and again. */
async function connected(answers, options = {}) {
  let count = 0;
  const server = await recordingServer(() => {
    count += 1;
    return count === 1 ? { status: 200, body: ACCOUNT } : answers[Math.min(count - 2, answers.length - 1)];
  });
  servers.push(server);
  const client = new Client({ provider, apiUrl: `${server.url}/`, ...options });
  await client.init();
  server.requests.length = 0;
  return { client, server };
}

const ORDER = {
  signersIds: [ME], payerId: ME, wildcardSigner: false, automatedPerform: true,
  actions: [{ kind: 3, valueLedgerId: payment.tokenAddress, value: 1, senderId: ME, receiverId: accounts[2].address }],
};
const DEPLOYMENT = records.find(({ name }) => name === "createDeployment ETH_SIGN").requests[0].body.deploy.assetLedgerData;

test("no function works before `init`, and none is forgotten here", async () => {
  const client = new Client({ provider, apiUrl: "http://127.0.0.1:9" });
  const before = ["init", "getValidity", "badgeUrl", "constructor"];
  const names = Object.getOwnPropertyNames(Client.prototype).filter((name) => !before.includes(name));
  assert.ok(names.length > 45);
  for (const name of names) {
    // With arguments of every function; an iterator fails at its first item, waiting at its first look.
    const result = client[name]("x", {}, 1);
    const failed = typeof result.next === "function" ? result.next() : result;
    await assert.rejects(failed, (error) => error instanceof ClientError && error.code === 7000002 && error.original === null, name);
  }
});

test("the functions of the interface specification are there", () => {
  const listed = "getAccount getAccountAbilities getAccountWebhook updateAccountWebhook updateAccountInformation createDeployment getDeployment getDeployments createOrder getOrder getOrders signOrder performOrder cancelOrder createApproval getApproval getApprovals getLedger getLedgers getLedgerAbilities getLedgerAccounts getLedgerAsset getLedgerAssets getTrafficStats getCostsStats getTickerStats getRequest getRequests";
  for (const name of listed.split(" ")) assert.equal(typeof Client.prototype[name], "function", name);
});

const NOT_INITIALIZED = {
  "a refused signature": [failure(401, 400001), (error) => error.original instanceof ApiError && error.original.status === 401],
  "no service": [null, (error) => error.original instanceof ConnectionError],
  "a page instead of an API": [{ status: 200, body: "<html>" }, (error) => error.original instanceof ApiError],
  "a cost that is none": [{ status: 200, body: { ...ACCOUNT, data: { ...ACCOUNT.data, payment: { ...payment, assetCreateCost: "-1" } } } }, (error) => /assetCreateCost/.test(error.original.message)],
  "another account, because the service reads another text": [{ status: 200, body: { ...ACCOUNT, data: { ...ACCOUNT.data, id: accounts[2].address } } }, (error) => /serviceName/.test(error.original.message)],
  "no data": [{ status: 200, body: { ...ACCOUNT, data: null } }, (error) => error.original instanceof Error],
};
for (const [name, [answer, check]] of Object.entries(NOT_INITIALIZED)) {
  test(`7000001: ${name}`, async () => {
    const server = await recordingServer(() => answer);
    servers.push(server);
    const client = new Client({ provider, apiUrl: server.url, retries: 0 });
    await assert.rejects(client.init(), (error) => error.code === 7000001 && error instanceof ClientError && check(error));
    await assert.rejects(client.getAccount(), { code: 7000002 });
  });
}

test("7000001: a provider that does not sign", async () => {
  const wrong = [
    { sign: () => Promise.reject(new Error("refused by its owner")) },
    { sign: () => Promise.resolve("0x12") },
    { sign: () => Promise.resolve(undefined) },
    { signMethod: 1 },
  ];
  for (const part of wrong) {
    const client = new Client({ provider: { accountId: ME, signMethod: 3, sign: (text) => provider.sign(text), ...part } });
    await assert.rejects(client.init(), (error) => error.code === 7000001 && error.original instanceof Error);
  }
});

test("gateways are the options', else the provider's, else the account's; a pinned one that is not whole is no reason to take another", async () => {
  const other = { actionsOrderId: accounts[3].address, assetLedgerDeployOrderId: accounts[4].address };
  const claimWith = async (pinned, ofProvider) => {
    const server = await recordingServer((_, index) => (index === 0 ? { status: 200, body: ACCOUNT } : OK));
    servers.push(server);
    const signer = { accountId: ME, signMethod: 3, sign: (text) => provider.sign(text), ...(ofProvider ? { gatewayConfig: ofProvider } : {}) };
    const client = new Client({ provider: signer, apiUrl: server.url, ...(pinned ? { gatewayConfig: pinned } : {}) });
    await client.init();
    const now = Date.now;
    Date.now = () => 1_700_000_000_000;
    try {
      await client.createDeployment(DEPLOYMENT, 1);
    } finally {
      Date.now = now;
    }
    return JSON.parse(server.requests[1].rawBody).claim;
  };
  const [account, pinned] = [await claimWith(), await claimWith(other)];
  assert.notEqual(account, pinned);
  assert.equal(await claimWith(undefined, other), pinned);
  assert.equal(await claimWith(gatewayConfig, other), account);
  await assert.rejects(claimWith({ actionsOrderId: accounts[3].address }), { code: 7000007 });
});

const REFUSED_ORDERS = [
  [7000003, { payerId: undefined }],
  [7000003, { payerId: "" }],
  [7000004, { payerId: accounts[2].address }],
  [7000004, { payerId: accounts[2].address, wildcardSigner: true }],
  [7000006, { actions: [] }],
  [7000006, { actions: undefined }],
];
test("createOrder says what is wrong, and sends nothing", async () => {
  const { client, server } = await connected([OK]);
  for (const [code, part] of REFUSED_ORDERS) await assert.rejects(client.createOrder({ ...ORDER, ...part }, 1), { name: "ClientError", code });
  const wrong = [
    [{ actions: [{ ...ORDER.actions[0], value: 0.1 + 0.2 }] }, 422070, "order.actions[0].value"],
    [{ actions: [{ ...ORDER.actions[0], value: "1e3" }] }, 422070, "order.actions[0].value"],
    [{ actions: [{ ...ORDER.actions[0], receiverId: "0x12" }] }, 422059, "order.actions[0].receiverId"],
    [{ actions: [{ ...ORDER.actions[0], valueLedgerId: undefined }] }, 422004, "order.actions[0].ledgerId"],
    [{ signersIds: [ME, ME.toLowerCase()] }, 422900, "order.signers[1].accountId"],
  ];
  for (const [part, code, path] of wrong) {
    await assert.rejects(client.createOrder({ ...ORDER, ...part }, 1), (error) => {
      assert.ok(error instanceof InvalidRequestError && error instanceof ApiError, String(error));
      assert.deepEqual([error.status, error.errors[0].code, error.errors[0].path, error.result.errors], [422, code, path, error.errors]);
      return true;
    });
  }
  await assert.rejects(client.createOrder(ORDER, 5), (error) => error.errors[0].code === 422010);
  await assert.rejects(client.createDeployment({ ...DEPLOYMENT, symbol: "" }, 1), (error) => error.errors[0].code === 422041);
  await assert.rejects(client.createApproval({ spender: ME, value: -1 }, 1), (error) => error.errors[0].code === 422151);
  await assert.rejects(client.createApproval({ ledgerId: ME, receiverId: ME }, 1), (error) => error.errors[0].code === 422132);
  assert.equal(server.requests.length, 0);
});

test("no two requests of a client have one seed", async () => {
  const { client, server } = await connected([OK]);
  const now = Date.now;
  Date.now = () => 1_700_000_000_000;
  try {
    for (let count = 0; count < 3; count += 1) await client.createOrder(ORDER, 1);
  } finally {
    Date.now = now;
  }
  const seeds = server.requests.map(({ rawBody }) => JSON.parse(rawBody).order.seed);
  assert.deepEqual(seeds, [1_700_000_000_000, 1_700_000_000_001, 1_700_000_000_002]);
});

test("signOrder refuses an order whose hash is another than the service says, and signs what was reviewed without asking", async () => {
  const record = { ref: "x", hash: `0x${"0".repeat(64)}`, wildcardSigner: false, order: { seed: 1, expiration: 1_700_000_000_000, signers: [{ accountId: ME, claim: "" }], actions: [{ ...ORDER.actions[0], ledgerId: payment.tokenAddress, value: "1" }] } };
  const { client, server } = await connected([{ status: 200, body: { id: "r", status: 200, data: record } }, OK]);
  await assert.rejects(client.signOrder("x"), (error) => error.code === 7000005 && /hash/.test(error.original.message));
  assert.equal(server.requests.length, 1);
  delete record.hash;
  await client.signOrder("x", { reviewed: record });
  assert.deepEqual(server.requests.slice(1).map(({ method, path }) => [method, path]), [["PUT", "/orders/x/sign"]]);
});

const REPETITIONS = {
  "429 is waited out, whatever is called": [(client) => client.cancelOrder("x"), [failure(429, 429000, { "retry-after": "0" }), OK], 2],
  "a lost connection is repeated where nothing changes": [(client) => client.getOrders(), [null, null, OK], 3],
  "a lost connection is repeated under the idempotency key": [(client) => client.createDeposit(1000), [null, OK], 2],
  "a gateway's 503 is repeated": [(client) => client.getOrders(), [{ status: 503, body: "busy" }, OK], 2],
  "what may be put twice is repeated": [(client) => client.updateAccountWebhook("https://example.org/", []), [null, OK], 2],
  "a key that is still in progress is waited for": [(client) => client.createDeposit(1000), [null, failure(409, 409000), OK], 3],
};
for (const [name, [call, answers, count]] of Object.entries(REPETITIONS)) {
  test(name, async () => {
    const { client, server } = await connected(answers);
    await call(client);
    assert.equal(server.requests.length, count);
    const keys = new Set(server.requests.map(({ headers }) => headers["idempotency-key"]));
    assert.equal(keys.size, 1);
    assert.equal([...keys][0] === undefined, server.requests[0].method !== "POST");
  });
}

const NOT_REPEATED = {
  "a cancellation that may have happened": [(client) => client.cancelOrder("x"), null, ConnectionError],
  "a signature that may have arrived": [(client) => client.signOrder("x", { reviewed: { wildcardSigner: false, order: { seed: 1, expiration: 1_700_000_000_000, signers: [{ accountId: ME }], actions: [{ kind: 3, senderId: ME, receiverId: ME, ledgerId: payment.tokenAddress, value: "1" }] } } }), null, ConnectionError],
  "a performance that may have begun": [(client) => client.performOrder("x"), { status: 503, body: "busy" }, ApiError],
  "a refusal": [(client) => client.getOrder("x"), failure(400, 400011), ApiError],
  "a system error": [(client) => client.getOrder("x"), failure(500, 500000), ApiError],
  "a key that was used for something else": [(client) => client.createDeposit(1000), failure(409, 409000), ApiError],
  "a redirect, which would carry the signature elsewhere": [(client) => client.getOrder("x"), { status: 307, headers: { location: "/account" }, body: "" }, ApiError],
};
for (const [name, [call, answer, kind]] of Object.entries(NOT_REPEATED)) {
  test(`not repeated: ${name}`, async () => {
    const { client, server } = await connected([answer]);
    await assert.rejects(call(client), (error) => error instanceof kind);
    assert.equal(server.requests.length, 1);
  });
}

test("repetitions end, with the last failure", async () => {
  const { client, server } = await connected([failure(429, 429000, { "retry-after": "0" })], { retries: 2 });
  await assert.rejects(client.getOrders(), (error) => error.status === 429 && error.errors[0].code === 429000);
  assert.equal(server.requests.length, 3);
});

test("an attempt that takes too long is a lost connection", async () => {
  const server = await recordingServer((_, index) => (index === 0 ? { status: 200, body: ACCOUNT } : new Promise(() => {})));
  servers.push(server);
  const client = new Client({ provider, apiUrl: server.url, timeout: 200, retries: 1 });
  await client.init();
  await assert.rejects(client.getOrders(), (error) => error instanceof ConnectionError && /200 ms/.test(error.message));
  assert.equal(server.requests.length, 3);
});

test("a signal ends a call at every stage, with its own reason", async () => {
  const reason = new Error("enough");
  const server = await recordingServer((_, index) => (index === 0 ? { status: 200, body: ACCOUNT } : new Promise(() => {})));
  servers.push(server);
  const client = new Client({ provider, apiUrl: server.url });
  await assert.rejects(client.init({ signal: AbortSignal.abort(reason) }), reason);
  assert.equal(server.requests.length, 0);
  await client.init();
  const stages = [
    () => ({ signal: AbortSignal.abort(reason) }),
    () => {
      const abort = new AbortController();
      setTimeout(() => abort.abort(reason), 50);
      return { signal: abort.signal };
    },
  ];
  for (const stage of stages) {
    for (const call of [(call) => client.getOrders({}, call), (call) => client.createOrder(ORDER, 1, call), (call) => client.signOrder("x", call), (call) => client.waitForOrder("x", call), (call) => client.orders({}, call).next()]) {
      await assert.rejects(call(stage()), reason);
    }
  }
  // While it waits for a repetition.
  const { client: limited } = await connected([failure(429, 429000, { "retry-after": "30" })]);
  await assert.rejects(limited.getOrders({}, stages[1]()), reason);
});

test("waiting ends with the record, its failure, its cancellation, or time", async () => {
  const at = (status, error = null) => ({ status: 200, body: { id: "r", status: 200, data: { ref: "x", status, error }, meta: {} } });
  const wait = async (answers, options) => (await connected(answers)).client.waitForDeployment("x", { interval: 1, ...options });
  assert.equal((await wait([at(1), at(2), at(3), at(7)])).data.status, 7);
  assert.equal((await wait([at(1), at(3)], { until: 3 })).data.status, 3);
  assert.equal((await wait([at(5), at(7)])).data.status, 7);
  for (const [answers, reason, options] of [
    [[at(2), at(4, { code: 422075, message: "poor" })], "failed"],
    [[at(6)], "canceled"],
    [[at(3)], "timeout", { timeout: 20 }],
    [[at(0)], "timeout", { timeout: 0 }],
  ]) {
    await assert.rejects(wait(answers, options), (error) => error instanceof WaitError && error.reason === reason && error.result.data.ref === "x", reason);
  }
});

test("references cannot be other paths", async () => {
  const { client, server } = await connected([OK]);
  for (const reference of ["", ".", "..", undefined, null]) await assert.rejects(client.getOrder(reference), TypeError);
  assert.equal(server.requests.length, 0);
  await client.getLedgerAsset("../account?", "#1");
  assert.equal(server.requests[0].path, "/ledgers/..%2Faccount%3F/assets/%231");
});

test("every page of a list is asked for, behind the cursor of the one before", async () => {
  const page = (data, next) => ({ status: 200, body: { id: "r", status: 200, data, meta: { skip: 0, limit: 2, total: 5, ...(next ? { next } : {}) } } });
  const { client, server } = await connected([page([1, 2], "b"), page([3], "c"), page([4])]);
  const seen = [];
  for await (const item of client.requests({ skip: 1, limit: 2, methods: ["GET"], toDate: new Date(0) })) seen.push(item);
  assert.deepEqual(seen, [1, 2, 3, 4]);
  assert.deepEqual(
    server.requests.map(({ query }) => new URLSearchParams(query).toString()),
    ["skip=1", "skip=0", "skip=0"].map((skip, index) => `toDate=1970-01-01T00%3A00%3A00.000Z&methods=GET&${skip}&limit=2${["", "&after=b", "&after=c"][index]}`),
  );
  await assert.rejects(client.getRequests({ fromDate: new Date(NaN) }), RangeError);
});

test("a wallet is asked for its accounts, and signs texts and hashes as bytes", async () => {
  const wallet = (accounts, signature) => ({ asked: [], request(call) { this.asked.push(call); return Promise.resolve(call.method === "eth_requestAccounts" ? accounts : signature); } });
  const given = wallet([ME, accounts[2].address], "0x12");
  const second = await Eip1193Provider.connect(given, accounts[2].address.toLowerCase());
  assert.equal(second.accountId, accounts[2].address);
  assert.equal(await second.sign("assay api"), "0x12");
  assert.deepEqual(given.asked[1], { method: "personal_sign", params: [`0x${Buffer.from("assay api").toString("hex")}`, accounts[2].address] });
  for (const [list, wanted] of [[[]], [undefined], [[1]], [[ME], accounts[2].address]]) await assert.rejects(Eip1193Provider.connect(wallet(list), wanted), Error);
  await assert.rejects((await Eip1193Provider.connect(wallet([ME], null))).sign("x"), Error);
});

test("a private key signs texts as a wallet does, is not shown, and has to be one", async () => {
  assert.equal(await provider.sign("assay api"), await provider.sign(`0x${Buffer.from("assay api").toString("hex")}`));
  assert.ok(!JSON.stringify(provider).includes(KEY.slice(2)) && !Object.values(provider).includes(KEY));
  for (const key of ["", "0x", KEY.slice(0, -1), `${KEY}0`, "0".repeat(64), "f".repeat(64), "g".repeat(64)]) await assert.rejects(PrivateKeyProvider.from(key), Error);
  await assert.rejects(provider.sign("0xff"), TypeError);
});

test("options that cannot work are said at once", () => {
  for (const options of [{}, { provider, apiUrl: "" }, { provider, apiUrl: "nowhere" }, { provider, apiUrl: "file:///etc/passwd" }]) assert.throws(() => new Client(options), TypeError);
});
