// Repeats every recorded call of the original client. Requests, bodies and claims must be the same, or differ for a stated reason.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, Client, PrivateKeyProvider, fromUnits } from "@assay/client";
import { at, recordingServer, vectors } from "./support.mjs";

const record = (name) => vectors.records.find((record) => record.name === name);
const ACCOUNT = { id: "x", status: 200, data: { id: vectors.accounts[1].address, payment: vectors.payment } };
const KIND_1 = "createOrder kind 1";

/** The intended differences, each with its reason and the new behavior. */
const DIFFERENCES = {
  "getAccount before init": { why: "the interface specification's 7000002 instead of a TypeError", thrown: { code: 7000002 } },
  "init NO_PREFIX (type 2)": { why: "a failure of `init` is 7000001 whatever its cause", thrown: { code: 7000001 } },
  "init without provider.gatewayConfig": {
    why: "the account's answer may have the gateways, so 7000007 comes after reading it",
    requests: ["GET /account"],
    thrown: { code: 7000007 },
  },
  "createDeployment with 0x-prefixed schemaId (as in the docs example)": {
    why: "the original's claim does not match its own contract; here the claim is the one for the id without `0x`",
    rawBody: (text) => text.replace(/"claim":"[^"]*"/, `"claim":"${record("createDeployment ETH_SIGN").requests[0].body.claim}"`),
  },
  "createOrder value below one unit 1e-19": { why: "an amount that would be rounded to zero is refused", requests: [], thrown: { status: 422, codes: [422070] } },
  "createOrder sender not a signer": { why: "refused with the service's own code", requests: [], thrown: { status: 422, codes: [422060] } },
  "createOrder unknown kind 9 (silently dropped, payment only)": { why: "an action is refused, not dropped", requests: [], thrown: { status: 422, codes: [422900] } },
  "getLedgerAsset odd id": { why: "ids are escaped, so an id cannot change the path", requests: ["GET /ledgers/5dfa35251991e62dff302c01/assets/a%20b%2Fc%3Fd"] },
  "TOLERANCE 404 with non JSON body": { why: "an Error with the status instead of one about JSON", thrown: { status: 404, codes: [] } },
  "TOLERANCE 200 with empty body": { why: "an Error with the status instead of one about JSON", thrown: { status: 200, codes: [] } },
  "TOLERANCE 204": { why: "an Error with the status instead of one about JSON", thrown: { status: 204, codes: [] } },
  "TOLERANCE 200 with errors key": { why: "an envelope with errors is not a success", thrown: { status: 200, codes: [1] } },
  "TOLERANCE createOrder after init with payment: no assetCreateCost": { why: "refused with the service's own code", thrown: { status: 422, codes: [422012] } },
  "TOLERANCE createOrder after init with payment: no receiverAddress": { why: "refused with the service's own code", thrown: { status: 422, codes: [422012] } },
  "TOLERANCE createOrder after init with payment: no tokenAddress": { why: "refused with the service's own code", thrown: { status: 422, codes: [422012] } },
  "TOLERANCE createDeployment after init without assetDeployCost": { why: "refused with the service's own code", thrown: { status: 422, codes: [422055] } },
  "TOLERANCE createOrder after init with payment: bad checksum receiverAddress": { why: "refused with the service's own code", thrown: { status: 422, codes: [422059] } },
  "TOLERANCE signOrder: no data.order": { why: "7000005 instead of a TypeError", thrown: { code: 7000005 } },
  "TOLERANCE signOrder: signers as plain strings": { why: "7000005: the fetched value is not an order", thrown: { code: 7000005 } },
  "TOLERANCE signOrder: expiration as ISO string": {
    why: "7000005: the original hashes another time than the text states",
    requests: ["GET /orders/x"],
    thrown: { code: 7000005 },
  },
};

/** The original client's default number of items. */
const DEFAULT_LIMIT = "35";

/** Applies the differences that concern all requests: the interface specification's name for an approval in the body, and the default page length. */
function asSpecified({ query, rawBody, ...request }) {
  return {
    ...request,
    query: query.map(([name, value]) => [name, name === "limit" && value === DEFAULT_LIMIT ? "25" : value]),
    rawBody: rawBody?.replace('"approve":{', '"approval":{') ?? null,
  };
}

/** Returns the argument of `createOrder` for the body that the original client sent. */
function orderOf({ order: { signers, actions }, automatedPerform, wildcardSigner }, value = (units) => Number(fromUnits(units))) {
  const payment = actions.at(-1);
  return {
    signersIds: signers.map(({ accountId }) => accountId),
    ...(payment.senderId ? { payerId: payment.senderId } : {}),
    wildcardSigner,
    automatedPerform,
    actions: actions.slice(0, -1).map(({ ledgerId, assetId, assetImprint, ...action }) => ({
      ...action,
      ...(assetId === undefined ? {} : { id: assetId }),
      ...(assetImprint === undefined ? {} : { imprint: assetImprint }),
      ...(action.kind === 3 ? { valueLedgerId: ledgerId, value: value(action.value) } : { assetLedgerId: ledgerId }),
    })),
  };
}

const [body] = record(KIND_1).requests.map(({ body }) => body);
const BASE = orderOf(body);
const OTHER = vectors.accounts[4].address;
/** The arguments of orders whose bodies were not recorded, or do not show the given arguments. */
const ORDERS = {
  "createOrder fractional value 0.1": (body) => orderOf(body, () => 0.1),
  "createOrder value below one unit 1e-19": (body) => orderOf(body, () => 1e-19),
  'createOrder value as string "100" (docs example repo)': (body) => orderOf(body, () => "100"),
  "createOrder no actions": () => ({ ...BASE, actions: [] }),
  "createOrder no payer, no wildcard": () => ({ ...BASE, payerId: undefined }),
  "createOrder payer not a signer": () => ({ ...BASE, payerId: OTHER }),
  "createOrder sender not a signer": () => ({ ...BASE, actions: [{ ...BASE.actions[0], senderId: OTHER }] }),
  "createOrder unknown kind 9 (silently dropped, payment only)": () => ({ ...BASE, actions: [{ ...BASE.actions[0], kind: 9 }] }),
};

/** Returns the call of a record. */
function callOf({ name, call, requests }) {
  const request = requests.at(-1);
  const segments = request?.path.split("/") ?? [];
  if (call.startsWith("client.init") || name.startsWith("TOLERANCE init:")) return null;
  if (name.includes("createOrder") || call === "client.createOrder") {
    const priority = request?.body?.priority ?? 1;
    const given = request?.body?.order ? (ORDERS[name] ?? orderOf)(request.body) : (ORDERS[name] ?? (() => BASE))();
    return (client) => client.createOrder(given, priority);
  }
  if (name.includes("createDeployment")) {
    const { priority, deploy } = request.body ?? record("createDeployment ETH_SIGN").requests[0].body;
    return (client) => client.createDeployment(deploy.assetLedgerData, priority);
  }
  if (name.startsWith("createApproval")) {
    const { priority, approve } = request.body;
    const approval =
      approve.kind === 7 ? { ledgerId: approve.ledgerId, receiverId: approve.operator, approve: approve.isOperator } : { spender: approve.spender, value: Number(fromUnits(approve.value)) };
    return (client) => client.createApproval(approval, priority);
  }
  if (call.includes("signOrder(")) return (client) => client.signOrder(requests.find(({ path }) => path.startsWith("/orders/")).path.split("/")[2]);
  if (name === "updateAccountWebhook") return (client) => client.updateAccountWebhook(request.body.url, request.body.events);
  if (name.startsWith("updateAccountInformation")) return (client) => client.updateAccountInformation(request.body);
  if (name === "getLedgerAsset odd id") return (client) => client.getLedgerAsset(segments[2], "a b/c?d");
  const method = /\.(\w+)\(/.exec(call)[1];
  const references = segments.filter((segment) => segment === "x" || /^[0-9a-f]{24}$/.test(segment));
  if (method === "getLedgerAsset") references.push(segments.at(-1));
  const options = request?.query?.length && !name.endsWith("no options") ? [optionsOf(name, request.query)] : [];
  return (client) => client[method](...references, ...options);
}

/** Returns the options of a list for the query that the original client sent. */
function optionsOf(name, query) {
  if (name.endsWith("zero-ish options")) return { skip: 0, limit: 0, filterIds: [], statuses: [], sort: 0 };
  const lists = ["filterIds", "filterAccountIds", "methods"];
  return Object.fromEntries(
    query
      .filter(([key, value]) => key !== "limit" || value !== DEFAULT_LIMIT)
      .map(([key, value]) => {
        if (lists.includes(key)) return [key, value.split(",")];
        if (key === "statuses") return [key, value.split(",").map(Number)];
        return [key, key.endsWith("Date") ? new Date(value) : Number(value)];
      }),
  );
}

/** Returns the provider of a recorded call, with its account and kind of signature. */
async function providerOf({ rpc, requests, call }) {
  const address = rpc.flatMap(({ params }) => params).find((param) => /^0x[0-9a-fA-F]{40}$/.test(param)) ?? vectors.accounts[1].address;
  const { privateKey } = vectors.accounts.find((account) => account.address === address);
  const type = call.includes("signMethod=2") ? 2 : Number(requests[0]?.headers.authorization?.[0] ?? 0);
  const key = await PrivateKeyProvider.from(privateKey, type);
  return {
    accountId: key.accountId,
    signMethod: type,
    ...(call === "client.init()" && requests.length === 0 ? {} : { gatewayConfig: vectors.gatewayConfig }),
    sign: (message) => key.sign(message),
  };
}

for (const recorded of vectors.records) {
  const difference = DIFFERENCES[recorded.name];
  test(`${recorded.name}${difference ? `: ${difference.why}` : ""}`, async () => {
    const { requests, responses, outcome } = recorded;
    // Most records begin after an `init` that was not recorded.
    const showsInit = recorded.name.includes("init") || (requests.length > 1 && requests[0].path === "/account");
    const implicit = showsInit ? 0 : 1;
    const provider = await providerOf(recorded);
    const answers = [...Array(implicit).fill({ status: 200, body: ACCOUNT }), ...responses.map((response) => ownAccount(response, provider))];
    const server = await recordingServer((_, index) => answers[index] ?? { status: 200, body: ACCOUNT });
    try {
      const client = new Client({
        provider,
        apiUrl: server.url,
        retries: 0,
        authorizationText: "I accept 0xcert terms of use.",
        authorizationEthSign: "sha256",
      });
      const result = await at(vectors.fixedNow, () =>
        run(client, recorded).then(
          (returned) => ({ returned }),
          (thrown) => ({ thrown }),
        ),
      );
      compareOutcome(result, outcome, difference);
      compareRequests(server.requests.slice(implicit), requests, difference);
    } finally {
      server.stop();
    }
  });
}

/** Replaces the account in an answer. The recorded server had one account for all callers, but this client requires its own account. */
function ownAccount({ status, body }, { accountId }) {
  const isAccount = typeof body.data?.id === "string" && body.data.payment;
  return { status, body: isAccount ? { ...body, data: { ...body.data, id: accountId } } : body };
}

async function run(client, recorded) {
  const call = callOf(recorded);
  if (recorded.name === "getAccount before init") return client.getAccount();
  await client.init();
  return call?.(client);
}

/** Returns the parameters of a query, sorted. Their order has no meaning. */
function inOrder(query) {
  return [...new URLSearchParams(query)].sort(([a], [b]) => (a < b ? -1 : 1));
}

function compareRequests(sent, requests, difference) {
  if (difference?.requests) {
    assert.deepEqual(
      sent.map(({ method, path }) => `${method} ${path}`),
      difference.requests,
    );
    return;
  }
  const wanted = difference?.thrown?.code === 7000001 ? requests.slice(0, 1) : requests;
  assert.deepEqual(
    sent.map(({ method, path, query, rawBody, headers }) => ({ method, path, query: inOrder(query), rawBody, authorization: headers.authorization })),
    wanted.map((request) => {
      const { method, path, query, rawBody, headers } = asSpecified(request);
      return { method, path, query: inOrder(query), rawBody: difference?.rawBody?.(rawBody) ?? rawBody, authorization: headers.authorization };
    }),
  );
}

function compareOutcome({ returned, thrown }, outcome, difference) {
  const wanted = difference?.thrown;
  if (wanted) {
    assert.ok(thrown instanceof Error, "nothing was thrown");
    if (wanted.code) assert.equal(thrown.code, wanted.code, String(thrown));
    else assert.deepEqual([thrown.status, thrown.errors?.map(({ code }) => code)], [wanted.status, wanted.codes], String(thrown));
  } else if (outcome.ok) {
    if (thrown) throw thrown;
    assert.deepEqual(returned, outcome.returned === "undefined" ? undefined : outcome.returned);
  } else if (outcome.thrown.name === "ClientError") {
    assert.equal(thrown.code, outcome.thrown.code, String(thrown));
    if (outcome.thrown.original?.result) assert.deepEqual(thrown.original.result, outcome.thrown.original.result);
  } else {
    assert.equal(outcome.thrown.name, "ClientFetchError", "every other error is a difference with a reason");
    assert.ok(thrown instanceof ApiError, String(thrown));
    assert.deepEqual([thrown.status, thrown.result, thrown.id, thrown.errors], [outcome.thrown.status, outcome.thrown.result, outcome.thrown.result.id, outcome.thrown.result.errors]);
  }
}

test("every listed difference belongs to a recorded call", () => {
  for (const name of Object.keys(DIFFERENCES)) assert.ok(record(name), name);
  assert.equal(vectors.records.length, 110);
});
