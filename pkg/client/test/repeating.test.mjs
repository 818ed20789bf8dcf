// Requests that are retried, and requests that are not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, Client, ConnectionError } from "@assay/client";
import { ACCOUNT, DEPLOYMENT, ME, OK, ORDER, connected, failure, payment, provider, recordingServer } from "./support.mjs";

const REPETITIONS = {
  "429 is retried for every function": [(client) => client.cancelOrder("x"), [failure(429, 429000, { "retry-after": "0" }), OK], 2],
  "a call that only reads is retried after a lost connection": [(client) => client.getOrders(), [null, null, OK], 3],
  "a POST is retried under its idempotency key after a lost connection": [(client) => client.createDeposit(1000), [null, OK], 2],
  "an incomplete answer counts as a lost connection": [(client) => client.createOrder(ORDER, 1), [{ ...OK, half: true }, OK], 2],
  "a call waits until the date in Retry-After": [(client) => client.performOrder("x"), [failure(429, 429000, { "retry-after": new Date(Date.now() - 1000).toUTCString() }), OK], 2],
  "a malformed Retry-After is ignored": [(client) => client.getOrders(), [failure(429, 429000, { "retry-after": "soon" }), OK], 2],
  "a gateway's 503 is retried": [(client) => client.getOrders(), [{ status: 503, body: "busy" }, OK], 2],
  "a PUT that can be repeated is retried": [(client) => client.updateAccountWebhook("https://example.org/", []), [null, OK], 2],
  "a request under a key that is still in use is retried": [(client) => client.createDeposit(1000), [null, failure(409, 409000), OK], 3],
};
for (const [name, [call, answers, count]] of Object.entries(REPETITIONS)) {
  test(name, async () => {
    const { client, server } = await connected(answers);
    await call(client);
    assert.equal(server.requests.length, count);
    const keys = new Set(server.requests.map(({ headers }) => headers["idempotency-key"]));
    assert.equal(keys.size, 1);
    assert.equal([...keys][0] === undefined, server.requests[0].method !== "POST");
    assert.equal(new Set(server.requests.map(({ rawBody }) => rawBody)).size, 1);
  });
}

test("an idempotency key of a created request needs the time of the request", async () => {
  const { client, server } = await connected([OK, OK]);
  await assert.rejects(client.createOrder(ORDER, 1, { idempotencyKey: "k" }), /with `idempotencyKey`, `at` is required/);
  assert.equal(server.requests.length, 0);
  const at = new Date();
  for (let time = 0; time < 2; time += 1) await client.createOrder(ORDER, 1, { idempotencyKey: "k", at });
  const [one, other] = server.requests;
  assert.equal(one.rawBody, other.rawBody);
  assert.equal(other.headers["idempotency-key"], "k");
});

const NOT_REPEATED = {
  "a cancellation that may have taken effect": [(client) => client.cancelOrder("x"), null, ConnectionError],
  "a signature that may have taken effect": [
    (client) =>
      client.signOrder("x", {
        reviewed: {
          wildcardSigner: false,
          order: { seed: 1, expiration: 1_700_000_000_000, signers: [{ accountId: ME }], actions: [{ kind: 3, senderId: ME, receiverId: ME, ledgerId: payment.tokenAddress, value: "1" }] },
        },
      }),
    null,
    ConnectionError,
  ],
  "a call to perform that may have taken effect": [(client) => client.performOrder("x"), { status: 503, body: "busy" }, ApiError],
  "a refusal": [(client) => client.getOrder("x"), failure(400, 400011), ApiError],
  "a system error": [(client) => client.getOrder("x"), failure(500, 500000), ApiError],
  "a key of another request": [(client) => client.createDeposit(1000), failure(409, 409000), ApiError],
  "a rate limit of an hour": [(client) => client.getOrders(), failure(429, 429000, { "retry-after": "3600" }), ApiError],
  "a rate limit until a date in an hour": [(client) => client.createOrder(ORDER, 1), failure(429, 429000, { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() }), ApiError],
  "a pause of changes by the operator": [(client) => client.createDeposit(1000), failure(503, 503000, { "retry-after": "60" }), ApiError],
  "a redirect, which would send the signature elsewhere": [(client) => client.getOrder("x"), { status: 307, headers: { location: "/account" }, body: "" }, ApiError],
};
for (const [name, [call, answer, kind]] of Object.entries(NOT_REPEATED)) {
  test(`not retried: ${name}`, async () => {
    const { client, server } = await connected([answer]);
    await assert.rejects(call(client), (error) => error instanceof kind);
    assert.equal(server.requests.length, 1);
  });
}

test("retries end with the last failure", async () => {
  const { client, server } = await connected([failure(429, 429000, { "retry-after": "0" })], { retries: 2 });
  await assert.rejects(client.getOrders(), (error) => error.status === 429 && error.errors[0].code === 429000);
  assert.equal(server.requests.length, 3);
});

test("an attempt that times out counts as a lost connection", async () => {
  const server = await recordingServer((_, index) => (index === 0 ? { status: 200, body: ACCOUNT } : new Promise(() => {})));
  const client = new Client({ provider, apiUrl: server.url, timeout: 200, retries: 1 });
  await client.init();
  await assert.rejects(client.getOrders(), (error) => error instanceof ConnectionError && /200 ms/.test(error.message));
  assert.equal(server.requests.length, 3);
});

test("each call has its own idempotency key, unless one is given", async () => {
  const { client, server } = await connected([OK]);
  for (const key of [undefined, undefined, "mine"]) await client.createDeployment(DEPLOYMENT, 1, key && { idempotencyKey: key, at: new Date() });
  const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
  assert.match(keys[0], /^[0-9a-f]{32}$/);
  assert.deepEqual([new Set(keys).size, keys[2]], [3, "mine"]);
});

test("reads carry the newest bookmark, and a retry carries none", async () => {
  const [older, newer] = ["00000001-", "00000002-"].map((start) => `${start}00000000-00000000-${"0".repeat(32)}`);
  const at = (bookmark) => ({ ...OK, headers: { "x-bookmark": bookmark } });
  const { client, server } = await connected([at(newer), at(older), OK, failure(503, 503001, { "retry-after": "0" }), at(older), OK]);
  await client.createDeposit(1000);
  for (let call = 0; call < 4; call += 1) await client.getOrders();
  const sent = server.requests.map(({ headers }) => headers["x-bookmark"]);
  assert.deepEqual(sent, [undefined, newer, newer, newer, undefined, older]);
});
