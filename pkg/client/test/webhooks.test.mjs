// Verifies webhooks that were signed with the library of the Standard Webhooks project.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { WebhookVerificationError, receiveWebhook, verifyWebhook } from "@assay/client";

const NOW = 1_700_000_000_000;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const EVENT = { id: "e", kind: 0, event: 0, requestRef: "r", requestKind: 0, status: 7, createdAt: "2023-11-14T22:13:20.000Z", note: "č" };
const BODY = JSON.stringify(EVENT);

const sign = (secret, { id = "msg_1", at = NOW, body = BODY } = {}) => new Webhook(secret).sign(id, new Date(at), body);
const headers = (more = {}) => ({ "webhook-id": "msg_1", "webhook-timestamp": String(NOW / 1000), "webhook-signature": sign(SECRET), ...more });

const ACCEPTED = {
  "a record of headers": [BODY, headers()],
  "headers of fetch": [BODY, new Headers(headers())],
  "header names in any case": [BODY, Object.fromEntries(Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), value]))],
  "a body of bytes": [new TextEncoder().encode(BODY), headers()],
  "the second of two signatures, while the secret is replaced": [BODY, headers({ "webhook-signature": `${sign(OTHER)} ${sign(SECRET)}` })],
  "signatures in a list": [BODY, headers({ "webhook-signature": [sign(OTHER), sign(SECRET)] })],
};
for (const [name, [body, given]] of Object.entries(ACCEPTED)) {
  test(`accepted: ${name}`, async () => assert.deepEqual(await verifyWebhook(body, given, SECRET, { now: NOW }), EVENT));
}

test("a webhook's time may differ by the tolerance, five minutes by default", async () => {
  for (const [late, tolerance, good] of [
    [299, undefined, true],
    [301, undefined, false],
    [-299, undefined, true],
    [-301, undefined, false],
    [3600, 3601, true],
  ]) {
    const verified = verifyWebhook(BODY, headers(), SECRET, { now: NOW + late * 1000, ...(tolerance ? { tolerance } : {}) });
    await (good ? verified : assert.rejects(verified, WebhookVerificationError));
  }
});

const REFUSED = {
  "another body": [BODY.replace("7", "6"), headers()],
  "the body after parsing and writing it again": [JSON.stringify(EVENT, null, 1), headers()],
  "another id": [BODY, headers({ "webhook-id": "msg_2" })],
  "another time": [BODY, headers({ "webhook-timestamp": String(NOW / 1000 + 1) })],
  "another secret": [BODY, headers({ "webhook-signature": sign(OTHER) })],
  "no id": [BODY, headers({ "webhook-id": undefined })],
  "no time": [BODY, headers({ "webhook-timestamp": "" })],
  "no signature": [BODY, headers({ "webhook-signature": undefined })],
  "a time that is not a number": [BODY, headers({ "webhook-timestamp": "NaN" })],
  "an unknown version": [BODY, headers({ "webhook-signature": sign(SECRET).replace("v1,", "v2,") })],
  "an empty signature": [BODY, headers({ "webhook-signature": "v1," })],
  "a signature that is not base64": [BODY, headers({ "webhook-signature": "v1,***" })],
  "a part of the signature": [BODY, headers({ "webhook-signature": sign(SECRET).slice(0, -8) })],
  "a signed body that is not JSON": ["no", headers({ "webhook-signature": sign(SECRET, { body: "no" }) })],
};
for (const [name, [body, given]] of Object.entries(REFUSED)) {
  test(`refused: ${name}`, () => assert.rejects(verifyWebhook(body, given, SECRET, { now: NOW }), WebhookVerificationError));
}

test("a malformed secret is a TypeError", async () => {
  for (const secret of ["", "whsec_", "whsec_AAAA", SECRET.slice(6), "whsec_***"]) await assert.rejects(verifyWebhook(BODY, headers(), secret, { now: NOW }), TypeError, secret);
});

test("a missing secret is a TypeError that says where the secret is", async () => {
  for (const secret of [undefined, null, 7]) {
    const isTold = (error) => error instanceof TypeError && /the webhook's secret is missing: .*`whsec_`/.test(error.message);
    await assert.rejects(verifyWebhook(BODY, headers(), secret, { now: NOW }), isTold);
    await assert.rejects(
      receiveWebhook(CHALLENGE, headers(), secret, () => {}, { now: NOW }),
      isTold,
    );
  }
});

test("an already parsed body is a TypeError", async () => {
  for (const body of [EVENT, null, undefined, [1]])
    await assert.rejects(verifyWebhook(body, headers(), SECRET, { now: NOW }), (error) => error instanceof TypeError && /as received/.test(error.message));
});

const CHALLENGE = JSON.stringify({ id: "c", kind: null, event: null, challenge: "n0nce", createdAt: EVENT.createdAt });

test("a challenge is answered without calling the handler", async () => {
  const signed = headers({ "webhook-signature": sign(SECRET, { body: CHALLENGE }) });
  const answer = await receiveWebhook(CHALLENGE, signed, SECRET, () => assert.fail("that is no event"), { now: NOW });
  assert.deepEqual(answer, { status: 200, body: "n0nce" });
  assert.equal((await verifyWebhook(CHALLENGE, signed, SECRET, { now: NOW })).challenge, "n0nce");
});

test("a challenge that the service did not send is not answered", async () => {
  const forged = headers({ "webhook-signature": sign(OTHER, { body: CHALLENGE }) });
  const answer = await receiveWebhook(CHALLENGE, forged, SECRET, () => assert.fail("that is no event"), { now: NOW });
  assert.equal(answer.status, 400);
  assert.doesNotMatch(answer.body, /n0nce/);
});

test("an event is answered after its handler finishes", async () => {
  const told = [];
  const answer = await receiveWebhook(BODY, headers(), SECRET, async (event) => told.push(event), { now: NOW });
  assert.deepEqual([answer, told], [{ status: 204, body: "" }, [EVENT]]);
  const failing = receiveWebhook(BODY, headers(), SECRET, async () => Promise.reject(new Error("full")), { now: NOW });
  await assert.rejects(failing, /full/);
  await assert.rejects(
    receiveWebhook(BODY, headers(), "", () => {}, { now: NOW }),
    TypeError,
  );
});
