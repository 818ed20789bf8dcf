// The client itself: errors, seeds, aborting, waiting, lists.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, Client, ClientError, ConnectionError, Eip1193Provider, InvalidRequestError, WaitError, priceOf, receiveWebhook, verifyWebhook } from "@assay/client";
import { ACCOUNT, DEPLOYMENT, ME, OK, ORDER, PINS, accounts, at, connected, failure, gatewayConfig, payment, provider, recordingServer, vectors } from "./support.mjs";

/** The functions that need an account. */
const functionsThatSign = () =>
  Object.getOwnPropertyNames(Client.prototype).filter(
    (name) =>
      ![
        "init",
        "signIn",
        "getValidity",
        "checkIssuer",
        "createLink",
        "getLink",
        "endLink",
        "getOperator",
        "badgeUrl",
        "certificateUrl",
        "cancellationOnChain",
        "constructor",
        "knownAccount",
        "provider",
      ].includes(name),
  );

test("functions that need `init` fail before it", async () => {
  const client = new Client({ provider, apiUrl: "http://127.0.0.1:9" });
  assert.throws(() => client.knownAccount, { code: 7000002 });
  const names = functionsThatSign();
  assert.ok(names.length > 45);
  for (const name of names) {
    // The arguments fit every function. An iterator fails at its first item, and a wait function at its first request.
    const result = client[name]("x", {}, 1);
    const failed = typeof result.next === "function" ? result.next() : result;
    await assert.rejects(failed, (error) => error instanceof ClientError && error.code === 7000002 && error.original === null, name);
  }
});

test("a client without a provider can read public data", async () => {
  const server = await recordingServer(() => OK);
  const client = new Client({ apiUrl: server.url });
  assert.equal(client.badgeUrl("0x1", "2"), `${server.url}/badge?ledgerId=0x1&assetId=2`);
  await client.getValidity("0x1", "2");
  await client.checkIssuer("uni.example", ME);
  await client.createLink("ciphertext", 7);
  await client.getLink("id");
  await client.endLink("id", "key");
  await client.getOperator();
  await client.getTickerStats({ limit: 1 });
  for await (const ticker of client.tickerStats()) assert.fail(ticker);
  assert.deepEqual(
    server.requests.map(({ path }) => path),
    ["/badge.json", "/issuers/uni.example/check", "/links", "/s/id", "/links/id/end", "/operator", "/stats/tickers", "/stats/tickers"],
  );
  assert.ok(server.requests.every(({ headers }) => headers.authorization === undefined));
  for (const nothing of [undefined, null, {}, { provider: undefined }]) assert.equal(typeof new Client(nothing).badgeUrl("0x1", "2"), "string");
});

test("7000012: a client without a provider signs nothing", async () => {
  const server = await recordingServer(() => OK);
  const client = new Client({ apiUrl: server.url });
  const refused = (error) => error instanceof ClientError && error.code === 7000012 && /options\.provider/.test(error.message);
  const open = ["getTickerStats", "tickerStats"];
  await assert.rejects(client.init(), refused);
  for (const name of functionsThatSign().filter((name) => !open.includes(name))) {
    const result = client[name]("x", {}, 1);
    await assert.rejects(typeof result.next === "function" ? result.next() : result, refused, name);
  }
  assert.throws(() => client.provider, refused);
  assert.throws(() => client.knownAccount, refused);
  assert.equal(server.requests.length, 0);
});

test("the client has all functions of the interface specification", () => {
  const listed =
    "getAccount getAccountAbilities getAccountWebhook updateAccountWebhook updateAccountInformation createDeployment getDeployment getDeployments createOrder getOrder getOrders signOrder performOrder cancelOrder createApproval getApproval getApprovals getLedger getLedgers getLedgerAbilities getLedgerAccounts getLedgerAsset getLedgerAssets getTrafficStats getCostsStats getTickerStats getRequest getRequests";
  for (const name of listed.split(" ")) assert.equal(typeof Client.prototype[name], "function", name);
});

const NOT_INITIALIZED = {
  "a refused signature": [failure(401, 400001), (error) => error.original instanceof ApiError && error.original.status === 401],
  "no service": [null, (error) => error.original instanceof ConnectionError],
  "a page instead of an API": [{ status: 200, body: "<html>" }, (error) => error.original instanceof ApiError],
  "another account, because the service reads another text": [
    { status: 200, body: { ...ACCOUNT, data: { ...ACCOUNT.data, id: accounts[2].address } } },
    (error) => /serviceName/.test(error.original.message),
  ],
  "no data": [{ status: 200, body: { ...ACCOUNT, data: null } }, (error) => error.original instanceof Error],
};
for (const [name, [answer, check]] of Object.entries(NOT_INITIALIZED)) {
  test(`7000001: ${name}`, async () => {
    const server = await recordingServer(() => answer);
    const client = new Client({ provider, apiUrl: server.url, retries: 0 });
    await assert.rejects(client.init(), (error) => error.code === 7000001 && error instanceof ClientError && check(error));
    await assert.rejects(client.getAccount(), { code: 7000002 });
  });
}

test("an imprint of AIH-2 is sent as its digits alone", async () => {
  const digits = "ab".repeat(32);
  for (const imprint of [digits, `aih2:${digits}`]) {
    const { client, server } = await connected([OK]);
    const asset = { assetLedgerId: accounts[3].address, id: "1", imprint, senderId: ME };
    await client.createOrder(
      {
        ...ORDER,
        actions: [
          { ...asset, kind: 1, receiverId: ME },
          { ...asset, kind: 4 },
        ],
      },
      1,
    );
    const { actions } = JSON.parse(server.requests.at(-1).rawBody).order;
    assert.deepEqual(
      actions.slice(0, 2).map(({ assetImprint }) => assetImprint),
      [digits, digits],
    );
  }
});

test("a connection error names the address and the cause", async () => {
  const server = await recordingServer(() => OK);
  server.stop();
  const client = new Client({ provider, apiUrl: server.url, retries: 0 });
  await assert.rejects(client.init(), ({ original }) => original instanceof ConnectionError && original.message.includes(`${server.url}/account`) && original.message.includes("ECONNREFUSED"));
});

test("7000001 states the cause in its message", async () => {
  const server = await recordingServer(() => failure(401, 400001));
  const why = async (options) => {
    const error = await new Client({ provider, apiUrl: server.url, retries: 0, ...options }).init().then(
      () => assert.fail(),
      (error) => error,
    );
    assert.equal(error.code, 7000001);
    return error.message;
  };
  const start = "There was an error while initializing the client: ";
  assert.equal(await why({}), `${start}The service answered 401: 400001: no`);
  assert.match(await why({ apiUrl: "http://127.0.0.1:1" }), /^There was an error while initializing the client: The service at http:\/\/127\.0\.0\.1:1\/account could not be reached: .+/);
  // Wallets may throw values that are not Errors.
  for (const [thrown, said] of [
    [{ code: 4001, message: "User rejected the request." }, "User rejected the request."],
    ["no", "no"],
    [undefined, "undefined"],
    [null, "null"],
  ]) {
    assert.equal(await why({ provider: { accountId: ME, signMethod: 3, sign: () => Promise.reject(thrown) } }), start + said);
  }
});

test("7000001: a failed second `init` discards the results of the first", async () => {
  const { client } = await connected([failure(401, 400001)]);
  await assert.rejects(client.init(), { code: 7000001 });
  await assert.rejects(client.getAccount(), { code: 7000002 });
});

test("7000001 if a provider does not sign", async () => {
  const wrong = [{ sign: () => Promise.reject(new Error("refused by its owner")) }, { sign: () => Promise.resolve("0x12") }, { sign: () => Promise.resolve(undefined) }, { signMethod: 1 }];
  for (const part of wrong) {
    const client = new Client({ provider: { accountId: ME, signMethod: 3, sign: (text) => provider.sign(text), ...part } });
    await assert.rejects(client.init(), (error) => error.code === 7000001 && error.original instanceof Error);
  }
});

test("gateways come from options, provider or account, and incomplete pinned gateways are refused", async () => {
  const other = { actionsOrderId: accounts[3].address, assetLedgerDeployOrderId: accounts[4].address };
  const claimWith = async (pinned, ofProvider) => {
    const server = await recordingServer((_, index) => (index === 0 ? { status: 200, body: ACCOUNT } : OK));
    const signer = { accountId: ME, signMethod: 3, sign: (text) => provider.sign(text), ...(ofProvider ? { gatewayConfig: ofProvider } : {}) };
    const client = new Client({ provider: signer, apiUrl: server.url, ...(pinned ? { ...PINS, gatewayConfig: pinned } : {}) });
    await client.init();
    await client.createDeployment(DEPLOYMENT, 1, { at: new Date(1_700_000_000_000) });
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
test("createOrder refuses invalid orders without sending them", async () => {
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
  // Input that callers without types may pass.
  for (const part of [
    { actions: [null] },
    { actions: [7] },
    { actions: [{ ...ORDER.actions[0], kind: "constructor" }] },
    { signersIds: [null, ME] },
    { signersIds: ["__proto__", ME] },
    { signersIds: [{}, ME] },
    { wildcardSigner: "no" },
  ]) {
    await assert.rejects(client.createOrder({ ...ORDER, ...part }, 1), InvalidRequestError, JSON.stringify(part));
  }
  for (const nothing of [null, undefined, 7]) {
    await assert.rejects(client.createOrder(nothing, 1), { code: 7000006 });
    await assert.rejects(client.createDeployment(nothing, 1), (error) => error instanceof InvalidRequestError && error.errors[0].code === 422040);
    await assert.rejects(client.createApproval(nothing, 1), (error) => error instanceof InvalidRequestError && error.errors[0].code === 422126);
  }
  // Without these fields the service's defaults would apply, and an order without its signers would be a different order.
  for (const [name, path] of [
    ["wildcardSigner", "wildcardSigner"],
    ["automatedPerform", "automatedPerform"],
    ["signersIds", "order.signers"],
  ]) {
    for (const value of name === "signersIds" ? [ME, {}, null] : [undefined, null, "yes"]) {
      await assert.rejects(
        client.createOrder({ ...ORDER, [name]: value }, 1),
        (error) => error instanceof InvalidRequestError && error.errors[0].code === 422900 && error.errors[0].path === path,
        `${name}: ${value}`,
      );
    }
  }
  // Half of a surrogate pair is not valid Unicode, so the service cannot parse it.
  await assert.rejects(client.createDeployment({ ...DEPLOYMENT, name: "\ud83d" }, 1), (error) => error instanceof InvalidRequestError && error.status === 400 && error.errors[0].code === 400100);
  await assert.rejects(client.createOrder(ORDER, 5), (error) => error.errors[0].code === 422010);
  await assert.rejects(client.createDeployment({ ...DEPLOYMENT, symbol: "" }, 1), (error) => error.errors[0].code === 422041);
  await assert.rejects(client.createApproval({ spender: ME, value: -1 }, 1), (error) => error.errors[0].code === 422151);
  await assert.rejects(client.createApproval({ ledgerId: ME, receiverId: ME }, 1), (error) => error.errors[0].code === 422132);
  assert.equal(server.requests.length, 0);
});

test("an invalid cost fails only the functions that pay it", async () => {
  for (const [part, codes] of [
    [{ assetCreateCost: "-1" }, [undefined, undefined, undefined, undefined]],
    [{ valueTransferCost: undefined }, [422012, undefined, undefined, undefined]],
    [{ tokenAddress: "", assetDeployCost: {} }, [422012, 422055, 422134, 422154]],
    [{ receiverAddress: 1 }, [422012, 422055, 422134, 422154]],
    [{ assetApproveCost: "1.5", dappValueApproveCost: null }, [undefined, undefined, 422134, 422154]],
  ]) {
    const account = { ...ACCOUNT, data: { ...ACCOUNT.data, payment: { ...payment, ...part } } };
    const { client } = await connected([OK], { account });
    await client.getOrders();
    const calls = [
      client.createOrder(ORDER, 1),
      client.createDeployment(DEPLOYMENT, 1),
      client.createApproval({ ledgerId: ME, receiverId: ME, approve: true }, 1),
      client.createApproval({ spender: ME, value: 1 }, 1),
    ];
    const results = await Promise.allSettled(calls);
    assert.deepEqual(
      results.map(({ reason }) => reason?.errors[0].code),
      codes,
      JSON.stringify(part),
    );
    for (const { reason } of results.filter(({ reason }) => reason)) assert.match(reason.message, /the account's answer lacks `payment\./);
  }
});

test("requests of a provider have distinct seeds, unless they are made for the same time", async () => {
  const [one, other] = [await connected([OK]), await connected([OK])];
  const seeds = await at(4_000_000_000_000, async () => {
    for (const { client } of [one, other, one]) await client.createOrder(ORDER, 1);
    return [one, other].flatMap(({ server }) => server.requests.map(({ rawBody }) => JSON.parse(rawBody).order.seed)).sort();
  });
  assert.deepEqual(seeds, [4_000_000_000_000, 4_000_000_000_001, 4_000_000_000_002]);
  one.server.requests.length = 0;
  for (const time of [1, 1, 2]) await one.client.createOrder(ORDER, 1, { at: new Date(time) });
  const [first, again, later] = one.server.requests.map(({ rawBody }) => rawBody);
  assert.equal(first, again);
  assert.notEqual(first, later);
  assert.deepEqual([JSON.parse(first).order.seed, JSON.parse(first).order.expiration], [1, 172_800_001]);
  await assert.rejects(one.client.createOrder(ORDER, 1, { at: new Date(NaN) }), (error) => error.errors[0].code === 422002);
});

test("signOrder refuses a wrong hash, and signs a reviewed order without fetching it", async () => {
  const record = {
    ref: "x",
    hash: `0x${"0".repeat(64)}`,
    wildcardSigner: false,
    order: { seed: 1, expiration: 1_700_000_000_000, signers: [{ accountId: ME, claim: "" }], actions: [{ ...ORDER.actions[0], ledgerId: payment.tokenAddress, value: "1" }] },
  };
  const { client, server } = await connected([{ status: 200, body: { id: "r", status: 200, data: record } }, OK]);
  await assert.rejects(client.signOrder("x"), (error) => error.code === 7000005 && /hash/.test(error.original.message));
  assert.equal(server.requests.length, 1);
  delete record.hash;
  await client.signOrder("x", { reviewed: record });
  assert.deepEqual(
    server.requests.slice(1).map(({ method, path }) => [method, path]),
    [["PUT", "/orders/x/sign"]],
  );
});

test("a signal ends a call at every stage, with the signal's reason", async () => {
  const reason = new Error("enough");
  const server = await recordingServer((_, index) => (index === 0 ? { status: 200, body: ACCOUNT } : new Promise(() => {})));
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
    for (const call of [
      (call) => client.getOrders({}, call),
      (call) => client.createOrder(ORDER, 1, call),
      (call) => client.signOrder("x", call),
      (call) => client.waitForOrder("x", call),
      (call) => client.orders({}, call).next(),
    ]) {
      await assert.rejects(call(stage()), reason);
    }
  }
  // While the wallet's owner decides whether to sign.
  const thinking = { accountId: ME, signMethod: 3, sign: (text) => (text === "assay api" ? provider.sign(text) : new Promise(() => {})) };
  const { client: slow } = await connected([OK], { provider: thinking });
  await assert.rejects(slow.createOrder(ORDER, 1, stages[1]()), reason);
  await assert.rejects(new Client({ provider: { ...thinking, sign: () => new Promise(() => {}) } }).init(stages[1]()), reason);
  // During the pause before a retry.
  const { client: limited } = await connected([failure(429, 429000, { "retry-after": "30" })]);
  await assert.rejects(limited.getOrders({}, stages[1]()), reason);
});

const record = (status, error = null) => ({ status: 200, body: { id: "r", status: 200, data: { ref: "x", status, error }, meta: {} } });
const wait = async (answers, options) => (await connected(answers)).client.waitForDeployment("x", { interval: 1, ...options });

test("waiting ends when the record is done, fails or is canceled, or at the timeout", async () => {
  assert.equal((await wait([record(1), record(2), record(3), record(7)])).data.status, 7);
  assert.equal((await wait([record(1), record(3)], { until: 3 })).data.status, 3);
  assert.equal((await wait([record(5), record(7)])).data.status, 7);
  assert.equal((await wait([record(1), record(7)], { timeout: Infinity })).data.status, 7);
  for (const [answers, reason, options] of [
    [[record(2), record(4, { code: 422075, message: "poor" })], "failed"],
    [[record(6)], "canceled"],
    [[record(3)], "timeout", { timeout: 300 }],
    [[record(3)], "timeout", { timeout: 300, interval: Infinity }],
  ]) {
    await assert.rejects(wait(answers, options), (error) => error instanceof WaitError && error.reason === reason && error.result.data.ref === "x", reason);
  }
});

test("waiting survives temporary failures and stops at other failures", async () => {
  const outage = [null, record(1), failure(503, 500000), failure(429, 429000, { "retry-after": "0" }), { status: 502, body: "bad gateway" }, { ...OK, half: true }, record(7)];
  const { client } = await connected(outage, { retries: 0 });
  assert.equal((await client.waitForOrder("x", { interval: 1 })).data.status, 7);
  for (const answer of [failure(400, 400011), failure(401, 400001), failure(500, 500000)]) {
    const { client, server } = await connected([record(1), answer, record(7)]);
    await assert.rejects(client.waitForOrder("x", { interval: 1 }), (error) => error instanceof ApiError && error.status === answer.status);
    assert.equal(server.requests.length, 2);
  }
});

test("waiting ends at its timeout without an answer", async () => {
  for (const answers of [[new Promise(() => {})], [null], [failure(429, 429000, { "retry-after": "30" })]]) {
    await assert.rejects(wait(answers, { timeout: 100 }), (error) => error instanceof WaitError && error.reason === "timeout" && error.result === null && /not known after 100 ms/.test(error.message));
  }
  await assert.rejects(wait([record(1)], { timeout: 0 }), { reason: "timeout" });
});

test("an answer without an envelope is an ApiError", async () => {
  const texts = [
    "",
    "null",
    "[]",
    "7",
    '"text"',
    "{}",
    '{"id":"r","status":200}',
    '{"data":',
    "<!doctype html><title>Sign in</title>",
    "\u0000",
    '{"errors":null}',
    '{"data":1,"errors":"no"}',
    '{"errors":[null]}',
    '{"errors":{"0":1}}',
    '{"__proto__":{"data":1}}',
  ];
  for (const status of [200, 404, 502]) {
    for (const body of texts) {
      const { client } = await connected([{ status, body }], { retries: 0 });
      await assert.rejects(
        client.getOrder("x"),
        (error) => error instanceof ApiError && error.status === status && error.id === null && error.errors.length === 0 && /does not come from the service/.test(error.message),
        body,
      );
    }
  }
  // Incomplete envelopes.
  const { client } = await connected([{ status: 400, body: { errors: [{}] } }]);
  await assert.rejects(client.getOrder("x"), (error) => error instanceof ApiError && error.id === null && error.errors.length === 1);
});

test("references cannot change the path", async () => {
  const { client, server } = await connected([OK]);
  for (const reference of ["", ".", "..", undefined, null]) await assert.rejects(client.getOrder(reference), TypeError);
  assert.equal(server.requests.length, 0);
  await client.getLedgerAsset("../account?", "#1");
  assert.equal(server.requests[0].path, "/ledgers/..%2Faccount%3F/assets/%231");
});

async function collect(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

test("each page of a list is fetched with the cursor of the previous one", async () => {
  const page = (data, next) => ({ status: 200, body: { id: "r", status: 200, data, meta: { skip: 0, limit: 2, total: 5, ...(next ? { next } : {}) } } });
  const { client, server } = await connected([page([1, 2], "b"), page([3], "c"), page([4])]);
  assert.deepEqual(await collect(client.requests({ skip: 1, limit: 2, methods: ["GET"], toDate: new Date(0) })), [1, 2, 3, 4]);
  assert.deepEqual(
    server.requests.map(({ query }) => new URLSearchParams(query).toString()),
    ["skip=1", "skip=0", "skip=0"].map((skip, index) => `methods=GET&toDate=1970-01-01T00%3A00%3A00.000Z&${skip}&limit=2${["", "&after=b", "&after=c"][index]}`),
  );
  // Cursors that do not advance, and answers without a cursor.
  for (const [answers, items] of [
    [
      [page([1], "b"), page([2], "b"), page([3], "b")],
      [1, 2],
    ],
    [[{ status: 200, body: { id: "r", status: 200, data: [1] } }], [1]],
  ]) {
    const { client } = await connected(answers);
    assert.deepEqual(await collect(client.orders()), items);
  }
});

test("7000008: unknown and invalid options are refused before any request", async () => {
  const { client, server } = await connected([OK]);
  const lists = Object.getOwnPropertyNames(Client.prototype).filter(
    (name) => name.startsWith("get") && typeof Client.prototype[name.replace(/^get(.)/, (_, first) => first.toLowerCase())] === "function",
  );
  assert.equal(lists.length, 20);
  const wrong = [
    ["there is no option `filterIDs` here: there are `", { filterIDs: ["x"] }, ...lists],
    ["there is no option `page` here", { page: undefined }, ...lists],
    ["there is no option `filterAccountIds` here", { filterAccountIds: [ME] }, "getOrders", "getLedgers", "getLedgerAssets"],
    ["there is no option `statuses` here", { statuses: [0] }, "getDeposits", "getRequests"],
    ["there is no option `fromDate` here", { fromDate: new Date() }, "getOrders"],
    ["options are an object with any of `skip`", "limit=1", "getLedgers"],
    ["`fromDate` must be a valid date", { fromDate: new Date(NaN) }, "getRequests", "getTickerStats", "getCostsStats", "getTrafficStats"],
    ["`toDate` must be a valid date", { toDate: "tomorrow" }, "getRequests", "getTickerStats"],
    ["`toDate` must be a valid date", { toDate: Symbol("now") }, "getRequests"],
    ...[0, -1, NaN, "1000", null].map((interval) => ["`interval` must be a number of milliseconds above 0", { interval }, "waitForOrder"]),
    ...[-1, NaN, "1000", null].map((timeout) => ["`timeout` must be a number of milliseconds, 0 or more", { timeout }, "waitForDeployment"]),
    ...[0, 4, 8, "7", null].map((until) => ["`until` must be 3 (SUCCESS) or 7 (FINALIZED)", { until }, "waitForApproval"]),
    ["there is no option `timeOut` here: there are `timeout`, `interval`, `until`, `signal`", { timeOut: 1 }, "waitForOrder", "waitForDeployment", "waitForApproval"],
  ];
  for (const [message, options, ...names] of wrong) {
    for (const name of names) {
      const refused = (error) => error instanceof ClientError && error.code === 7000008 && error.message.startsWith(message);
      // A ledger's lists, the wait functions and the lists of `/admin` take a reference or a name first.
      const args = /^(getLedger.|waitFor|getAdmin)/.test(name) && name !== "getLedgers" ? ["x", options] : [options];
      await assert.rejects(client[name](...args), refused, `${name}: ${message}`);
      if (!name.startsWith("get")) continue;
      const iterator = name.replace(/^get(.)/, (_, first) => first.toLowerCase());
      if (typeof options === "object") await assert.rejects(client[iterator](...args).next(), refused, `${iterator}: ${message}`);
    }
  }
  assert.equal(server.requests.length, 0);
});

test("the price of an order is the payment of the original client's orders", () => {
  const records = vectors.records.filter(({ name }) => name.startsWith("createOrder"));
  const orders = records.flatMap(({ requests }) => requests).flatMap(({ body }) => body?.order ?? []);
  assert.ok(orders.length > 5);
  for (const { actions } of orders) assert.equal(priceOf(actions.slice(0, -1), payment), BigInt(actions.at(-1).value));
  assert.equal(priceOf([], payment), 0n);
  assert.throws(() => priceOf([{ kind: 1 }, { kind: 9 }], payment), { errors: [{ code: 422900, path: "actions[1].kind", message: "an action needs a `kind` of `ActionKind`" }] });
  assert.throws(
    () => priceOf([{ kind: 1 }], { ...payment, assetCreateCost: undefined }),
    (error) => error instanceof InvalidRequestError && error.errors[0].code === 422012,
  );
});

test("invalid options are refused without repeating secrets", () => {
  const wrong = [
    ...[
      "",
      "nowhere",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "//host",
      "http://",
      "https://me:secret@host",
      "https://secret@host",
      "https://:secret@host",
      "https://host/?key=secret",
      "https://host/#secret",
      null,
      7,
    ].map((apiUrl) => ({ apiUrl })),
    ...[-1, 0.5, NaN, Infinity, "3", null].map((retries) => ({ retries })),
    ...[0, -1, NaN, null, "1"].map((timeout) => ({ timeout })),
    ...[null, 7, "SHA256"].map((authorizationEthSign) => ({ authorizationEthSign })),
    ...[null, 7].flatMap((text) => [{ serviceName: text }, { authorizationText: text }]),
    ...[7, "fetch"].map((fetch) => ({ fetch })),
    { confirmPayment: true },
    { provider: null },
  ];
  const refused = (error) => error instanceof ClientError && error.code === 7000008 && /options\./.test(error.message) && !error.message.includes("secret");
  for (const options of wrong) assert.throws(() => new Client({ provider, ...options }), refused, JSON.stringify(options));
});

test("a misspelt option is an error everywhere", async () => {
  for (const name of ["apiURL", "gateway", "gatewayconfig", "maxCost", "confirmPayments", "authorizationETHSign", "headers"]) {
    assert.throws(() => new Client({ provider, [name]: undefined }), { code: 7000008, message: new RegExp(`^there is no option \`${name}\` here: there are \`provider\``) });
  }
  assert.throws(() => new Client({ ...PINS, provider, paymentConfig: { ...PINS.paymentConfig, receiver: ME } }), { code: 7000008, message: /no option `receiver` in `paymentConfig`/ });
  assert.throws(() => new Client({ ...PINS, provider, maxCosts: { assetCreateCosts: 1 } }), { code: 7000008, message: /no option `assetCreateCosts` in `maxCosts`/ });
  const { client, server } = await connected([OK]);
  const names = Object.getOwnPropertyNames(Client.prototype).filter((name) => !["constructor", "badgeUrl", "certificateUrl", "cancellationOnChain", "knownAccount", "provider"].includes(name));
  const iteratorOf = (name) => name.replace(/^get(.)/, (_, first) => first.toLowerCase());
  const lists = names.filter((name) => name.startsWith("get") && names.includes(iteratorOf(name)));
  const creates = { createOrder: [ORDER, 1], createDeployment: [DEPLOYMENT, 1], createApproval: [{ spender: ME, value: 1 }, 1] };
  for (const name of names) {
    // The options of a call come last, after the options of a list.
    const given = creates[name] ?? Array(Client.prototype[name].length - 1).fill("x");
    if (lists.some((list) => [list, iteratorOf(list)].includes(name))) given[given.length - 1] = {};
    const result = client[name](...given, { singal: AbortSignal.timeout(1) });
    await assert.rejects(typeof result.next === "function" ? result.next() : result, { code: 7000008, message: /^there is no option `singal` here: there are `/ }, name);
  }
  assert.throws(() => client.badgeUrl(ME, "1", { validImage: "https://a.example/" }), { code: 7000008 });
  await assert.rejects(client.getOrders({}, { at: new Date() }), { code: 7000008 });
  await assert.rejects(client.createOrder(ORDER, 1, { reviewed: {} }), { code: 7000008 });
  for (const at of [1_700_000_000_000, "2023-11-14", null]) await assert.rejects(client.createOrder(ORDER, 1, { at }), { code: 7000008, message: "`at` must be a date" });
  await assert.rejects(verifyWebhook("", {}, "whsec_", { tolerence: 1 }), { code: 7000008 });
  await assert.rejects(
    receiveWebhook("", {}, "whsec_", () => assert.fail("it was handled"), { time: 1 }),
    { code: 7000008 },
  );
  await assert.rejects(Eip1193Provider.connect({ request: () => assert.fail("the wallet was asked") }, ME, { abort: AbortSignal.timeout(1) }), { code: 7000008 });
  assert.equal(server.requests.length, 0);
});

test("a misspelt field is an error, so the wildcard signer does not take its place", async () => {
  const { client, server } = await connected([OK]);
  const [transfer] = ORDER.actions;
  const { receiverId, ...open } = transfer;
  const wrong = [
    ["order.actions[0].recieverId", () => client.createOrder({ ...ORDER, wildcardSigner: true, actions: [{ ...open, recieverId: receiverId }] }, 1)],
    ["order.actions[1].assetLedgerId", () => client.createOrder({ ...ORDER, actions: [transfer, { ...transfer, assetLedgerId: ME }] }, 1)],
    ["payerID", () => client.createOrder({ ...ORDER, payerId: undefined, payerID: ME, wildcardSigner: true }, 1)],
    ["deploy.assetLedgerData.postfix", () => client.createDeployment({ ...DEPLOYMENT, postfix: "" }, 1)],
    ["approval.approved", () => client.createApproval({ ledgerId: ME, receiverId: ME, approve: true, approved: false }, 1)],
    ["approval.ledgerId", () => client.createApproval({ spender: ME, value: 1, ledgerId: ME }, 1)],
  ];
  for (const [path, call] of wrong) {
    await assert.rejects(call(), (error) => error instanceof InvalidRequestError && error.errors[0].code === 422900 && error.errors[0].path === path, path);
  }
  assert.equal(server.requests.length, 0);
});

test("the Authorization header goes by http only to this machine, unless allowed", () => {
  const hosts = { http: ["localhost", "a.localhost", "127.0.0.1", "127.1", "0x7f.1", "[::1]", "LOCALHOST:8787"], https: ["api.example.com", "10.0.0.1"] };
  for (const [scheme, names] of Object.entries(hosts)) for (const name of names) new Client({ provider, apiUrl: `${scheme}://${name}/` });
  for (const name of ["api.example.com", "10.0.0.1", "127.0.0.1.example.com", "127.example.com", "localhost.example.com", "notlocalhost", "[::2]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]"]) {
    assert.throws(() => new Client({ provider, apiUrl: `http://${name}/` }), { code: 7000008, message: /allowHttp/ }, name);
    new Client({ provider, apiUrl: `http://${name}/`, allowHttp: true });
  }
  assert.throws(() => new Client({ provider, apiUrl: "http://api.example.com", allowHttp: "false" }), { code: 7000008 });
});

test("the address of a badge contains the given images", () => {
  const client = new Client({ provider, apiUrl: "https://api.example.com/v1/" });
  assert.equal(client.badgeUrl(ME, "1"), `https://api.example.com/v1/badge?ledgerId=${ME}&assetId=1`);
  assert.equal(
    client.badgeUrl(ME, "a&b", { validImg: "https://a.example/?b", invalidImg: undefined }),
    `https://api.example.com/v1/badge?ledgerId=${ME}&assetId=a%26b&validImg=https%3A%2F%2Fa.example%2F%3Fb`,
  );
});

test("a certificate's address is a page below the service's address", () => {
  const client = new Client({ provider, apiUrl: "https://api.example.com/v1/" });
  assert.equal(client.certificateUrl(ME, "1"), `https://api.example.com/v1/c/${ME}/1`);
  assert.equal(client.certificateUrl(ME, "../a?b#c"), `https://api.example.com/v1/c/${ME}/..%2Fa%3Fb%23c`);
});

test("an address may have a path, and slashes after it", async () => {
  const server = await recordingServer(() => ({ status: 200, body: ACCOUNT }));
  for (const [end, path] of [
    ["", "/account"],
    ["/", "/account"],
    ["///", "/account"],
    ["/api/v1", "/api/v1/account"],
    ["/api/v1/", "/api/v1/account"],
    ["/a/../b c", "/b%20c/account"],
  ]) {
    await new Client({ provider, apiUrl: server.url + end }).init();
    assert.equal(server.requests.at(-1).path, path);
  }
});

test("administrators' functions name their routes, and escape what they are given", async () => {
  const server = await recordingServer(({ path }) => ({ status: 200, body: path === "/account" ? ACCOUNT : OK.body }));
  const client = new Client({ provider, apiUrl: server.url, retries: 0 });
  await client.init();
  await client.getAdminPause();
  await client.getAdminItems("dead-letters", { limit: 5 });
  await client.getAdminItems("admissions", { status: "waiting" });
  await client.adminChange("pause", { message: "Back at noon", reason: "Work" });
  await client.adminDecide("admissions", "../blocks", "approve", "Asked them");
  const calls = server.requests.slice(-5);
  assert.deepEqual(
    calls.map(({ method, path }) => `${method} ${path.split("?")[0]}`),
    ["GET /admin/pause", "GET /admin/dead-letters", "GET /admin/admissions", "POST /admin/pause", "POST /admin/admissions/..%2Fblocks/approve"],
  );
  assert.deepEqual(
    calls.slice(3).map(({ rawBody }) => JSON.parse(rawBody)),
    [{ message: "Back at noon", reason: "Work" }, { reason: "Asked them" }],
  );
});
