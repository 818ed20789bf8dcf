// Bytes and files of another realm, which `instanceof` refuses. In jsdom, Node's `Buffer` is of another realm.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { Webhook } from "standardwebhooks";
import { receiveWebhook, verifyWebhook } from "@assay/client";
import { OK, connected } from "./support.mjs";

const NOW = 1_700_000_000_000;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const BODY = '{"id":"e"}';
const headers = { "webhook-id": "m", "webhook-timestamp": String(NOW / 1000), "webhook-signature": new Webhook(SECRET).sign("m", new Date(NOW), BODY) };

const other = createContext({ text: BODY });
/** Evaluates code in the other realm, with the body's bytes as `bytes`. */
const foreign = (code) => runInContext(`(() => { const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0)); return ${code}; })()`, other);
const KINDS = {
  "a Uint8Array": foreign("bytes"),
  "an ArrayBuffer": foreign("bytes.buffer"),
  "a DataView": foreign("new DataView(bytes.buffer)"),
  "a part of a buffer": foreign("new Uint8Array([0, ...bytes, 0]).subarray(1, -1)"),
  "a Buffer": Buffer.from(BODY),
  "an ArrayBuffer of this realm": new TextEncoder().encode(BODY).buffer,
  "a DataView of this realm": new DataView(new TextEncoder().encode(BODY).buffer),
};

for (const [name, body] of Object.entries(KINDS)) {
  test(`a webhook's body may be ${name}`, async () => {
    assert.deepEqual(await verifyWebhook(body, headers, SECRET, { now: NOW }), { id: "e" });
    assert.equal((await receiveWebhook(body, headers, SECRET, () => {}, { now: NOW })).status, 204);
  });

  test(`an uploaded file may be ${name}`, async () => {
    const { client, server } = await connected([OK]);
    await client.uploadFile(body, { ledgerRef: "r" });
    assert.ok(server.requests[0].rawBody.includes(`\r\n\r\n${BODY}\r\n`));
  });
}

test("an uploaded file may be a Blob of another realm", async () => {
  const { client, server } = await connected([OK]);
  await client.uploadFile({ size: BODY.length, type: "application/json", arrayBuffer: async () => KINDS["an ArrayBuffer"] }, { ledgerRef: "r" });
  assert.ok(server.requests[0].rawBody.includes(`application/json\r\n\r\n${BODY}\r\n`));
});

for (const [name, value] of Object.entries({
  "an object that only looks like bytes": { [Symbol.toStringTag]: "ArrayBuffer", byteLength: 10 },
  "a list": [1, 2],
  "a parsed body": { id: "e" },
  nothing: undefined,
})) {
  test(`${name} is no body and no file`, async () => {
    await assert.rejects(verifyWebhook(value, headers, SECRET, { now: NOW }), TypeError);
    const { client, server } = await connected([OK]);
    await assert.rejects(client.uploadFile(value, { ledgerRef: "r" }), TypeError);
    assert.deepEqual(server.requests, []);
  });
}

test("headers may be of another realm", async () => {
  const values = new Map(Object.entries(headers));
  assert.deepEqual(await verifyWebhook(BODY, { get: (name) => values.get(name) ?? null }, SECRET, { now: NOW }), { id: "e" });
});
