// Webhooks from the receivers' side: the Worker in workerd sends them, and the library of the Standard Webhooks project verifies them.
// Misbehaving receivers have no effect on other deliveries.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { startServer } from "./support/server.mjs";
import { until } from "./support/until.mjs";
import { SECRET } from "./support/webhooks.mjs";

/** A server that records challenges, and all other requests separately. It answers challenges correctly unless the path is `/unwilling`, and events by path. */
class Receiver {
  requests = [];
  challenges = [];
  #server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const kept = { method: request.method, path: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() };
    const { challenge } = JSON.parse(kept.body);
    if (challenge) {
      this.challenges.push(kept);
      return response.writeHead(200).end(request.url === "/unwilling" ? kept.body : challenge);
    }
    this.requests.push(kept);
    const answer = ANSWERS[request.url.split("?")[0]] ?? ((response) => response.writeHead(204).end());
    answer(response);
  });

  async start() {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.origin = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  to(path) {
    return this.requests.filter((request) => request.path === path);
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const DEVELOPMENT = { ENVIRONMENT: "development", ALLOW_PRIVATE_FETCH: "true" };

const ANSWERS = {
  "/silent": () => {},
  "/endless": (response) => {
    // Sends a status immediately, and then a body that never ends.
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 16)));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  },
  "/moved": (response) => response.writeHead(307, { location: "/new-home" }).end(),
  "/broken": (response) => response.writeHead(500).end("no"),
  "/gone": (response) => response.writeHead(410).end(),
  "/cut": (response) => response.destroy(),
};

let server;
let receiver;
before(async () => {
  receiver = await new Receiver().start();
  server = await startServer({ vars: DEVELOPMENT });
});
after(async () => {
  await server?.stop();
  await receiver?.stop();
});

/** Returns a function that makes a random account's calls. About every second random signature recovers to an account. */
async function person(service = server) {
  for (let tries = 0; tries < 64; tries++) {
    const authorization = `3:0x00${randomBytes(31).toString("hex")}${"1".padStart(64, "0")}1b`;
    const call = async (method, path, body) => {
      const response = await fetch(service.url + path, {
        method,
        headers: { authorization, "content-type": "application/json" },
        body: body && JSON.stringify(body),
      });
      const { status, data, errors, meta } = await response.json();
      return { status, data, errors, meta };
    };
    if ((await call("GET", "/account")).status === 200) return call;
  }
  assert.fail("no random signature recovered to an account");
}

/** Registers a webhook, and waits until its receiver has confirmed. Returns the webhook. */
async function register(call, url, secret = `whsec_${randomBytes(32).toString("base64")}`) {
  const { data } = await call("PUT", "/account/webhook", { url, events: [], secret });
  await eventually(async () => (await call("GET", "/account/webhook")).data.state === "active");
  return data;
}

/** Calls `look` until it returns a truthy value. Returns this value. */
async function eventually(look) {
  const seen = await until(look, Boolean);
  assert.ok(seen, "the expected state was not reached in time");
  return seen;
}

/** Registers a webhook and sends a test event. Returns the registered webhook and the delivery after its first attempt. */
async function tell(call, target, secret) {
  const webhook = await register(call, receiver.origin + target, secret);
  const { status, data } = await call("POST", "/account/webhook/test");
  assert.equal(status, 201);
  const delivery = await eventually(async () => {
    const { data: deliveries } = await call("GET", "/account/webhook/deliveries");
    const found = deliveries.find(({ ref }) => ref === data.ref);
    return (found.state !== "waiting" || found.error) && found;
  });
  return { webhook, delivery };
}

test("the library of Standard Webhooks accepts exactly the sent events", async () => {
  const call = await person();
  const { webhook, delivery } = await tell(call, "/verified?key=1");
  assert.deepEqual([delivery.state, delivery.attempts, delivery.responseStatus], ["delivered", 1, 204]);
  const [request, ...more] = receiver.to("/verified?key=1");
  assert.deepEqual([request.method, request.headers["content-type"], more.length], ["POST", "application/json", 0]);

  const event = new Webhook(webhook.secret).verify(request.body, request.headers);
  assert.equal(event.id, request.headers["webhook-id"]);
  assert.equal(event.test, true);
  assert.deepEqual(event, delivery.event);

  const other = (await (await person())("PUT", "/account/webhook", { url: "https://hooks.assay.example/", events: [] })).data.secret;
  const forgeries = [
    [other, request.body, request.headers],
    [webhook.secret, request.body.replace("true", "false"), request.headers],
    [webhook.secret, request.body, { ...request.headers, "webhook-id": "another" }],
    [webhook.secret, request.body, { ...request.headers, "webhook-timestamp": String(Number(request.headers["webhook-timestamp"]) + 1) }],
    [webhook.secret, request.body, { ...request.headers, "webhook-signature": "v1," }],
  ];
  for (const [secret, body, headers] of forgeries) assert.throws(() => new Webhook(secret).verify(body, headers));
});

test("a server that does not confirm gets no events", async () => {
  const call = await person();
  const { data: webhook } = await call("PUT", "/account/webhook", { url: `${receiver.origin}/unwilling`, events: [], secret: SECRET });
  assert.equal(webhook.state, "pending");
  const asked = await eventually(() => receiver.challenges.find(({ path }) => path === "/unwilling"));
  new Webhook(webhook.secret).verify(asked.body, asked.headers);
  const { stateReason } = await eventually(async () => {
    const { data } = await call("GET", "/account/webhook");
    return data.stateReason && data;
  });
  assert.match(stateReason, /answer was not the challenge/);
  const refused = await call("POST", "/account/webhook/test");
  assert.deepEqual([refused.status, refused.errors[0].code], [422, 422920]);
  assert.deepEqual(receiver.to("/unwilling"), []);
});

test("a receiver that gets its secret from the answer confirms, also after a restart", async (context) => {
  for (const restarts of [false, true]) {
    await context.test(restarts ? "with a restart" : "without a restart", async () => {
      let secret;
      const strict = createServer(async (request, response) => {
        const chunks = [];
        for await (const chunk of request) chunks.push(chunk);
        try {
          const { challenge } = new Webhook(secret).verify(Buffer.concat(chunks).toString(), request.headers);
          response.writeHead(200).end(challenge);
        } catch {
          response.writeHead(401).end();
        }
      }).listen(0, "127.0.0.1");
      await once(strict, "listening");
      const state = await mkdtemp(path.join(tmpdir(), "assay-webhooks-"));
      let service = await startServer({ vars: DEVELOPMENT, state });
      try {
        const authorized = await person(service);
        const url = `http://127.0.0.1:${strict.address().port}/`;
        ({ secret } = (await authorized("PUT", "/account/webhook", { url, events: [] })).data);
        if (restarts) {
          await service.kill();
          service = await startServer({ vars: DEVELOPMENT, state, port: new URL(service.url).port, sweepEvery: 1 });
        }
        await eventually(async () => (await authorized("GET", "/account/webhook")).data.state === "active");
      } finally {
        await service.stop();
        strict.close();
        await rm(state, { recursive: true });
      }
    });
  }
});

test("without confirmation, receivers that ignore challenges get signed events immediately", async () => {
  const seen = [];
  const older = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(200, { "content-type": "text/html" }).end("<p>Thank you</p>");
  }).listen(0, "127.0.0.1");
  await once(older, "listening");
  const unconfirmed = await startServer({ vars: { ...DEVELOPMENT, WEBHOOK_CONFIRMATION: "off" } });
  try {
    const call = await person(unconfirmed);
    const url = `http://127.0.0.1:${older.address().port}/`;
    const { data: webhook } = await call("PUT", "/account/webhook", { url, events: [] });
    assert.deepEqual([webhook.state, webhook.stateReason], ["active", null]);
    assert.equal((await call("POST", "/account/webhook/test")).status, 201);
    const [request] = await eventually(() => seen.length > 0 && seen);
    assert.equal(new Webhook(webhook.secret).verify(request.body, request.headers).test, true);
    await eventually(async () => (await call("GET", "/account/webhook/deliveries")).data[0].state === "delivered");
    assert.equal(seen.length, 1);
    const { data } = await (await fetch(`${unconfirmed.url}/health`)).json();
    assert.ok(data.weakening.includes("WEBHOOK_CONFIRMATION=off"));
  } finally {
    await unconfirmed.stop();
    older.close();
  }
});

test("after a rotation both secrets verify, but not at a new origin", async () => {
  const call = await person();
  const before = await register(call, `${receiver.origin}/rotated`);
  const { data: rotated } = await call("POST", "/account/webhook/rotate");
  const { webhook } = await tell(call, "/rotated", rotated.secret);
  assert.equal(webhook.secret, rotated.secret);
  const [request] = receiver.to("/rotated");
  for (const { secret } of [before, rotated]) new Webhook(secret).verify(request.body, request.headers);

  const moved = await new Receiver().start();
  const elsewhere = await register(call, `${moved.origin}/`);
  await call("POST", "/account/webhook/test");
  const there = await eventually(() => moved.requests[0]);
  await moved.stop();
  new Webhook(elsewhere.secret).verify(there.body, there.headers);
  for (const { secret } of [before, rotated]) assert.throws(() => new Webhook(secret).verify(there.body, there.headers));
});

test("misbehaving receivers get the documented outcome", async (context) => {
  for (const [path, state, status, error] of [
    ["/endless", "delivered", 200, null],
    ["/moved", "waiting", null, /redirects/],
    ["/broken", "waiting", 500, /answered 500/],
    ["/gone", "failed", 410, /answered 410/],
    ["/cut", "waiting", null, /could not be reached/],
    ["/silent", "waiting", null, /in time/],
  ]) {
    await context.test(path, async () => {
      const { delivery } = await tell(await person(), path);
      assert.deepEqual([delivery.state, delivery.attempts, delivery.responseStatus], [state, 1, status]);
      if (error) assert.match(delivery.error, error);
      assert.equal(receiver.to(path).length, 1);
      assert.deepEqual(receiver.to("/new-home"), []);
    });
  }
});

test("a silent receiver does not delay other receivers", async () => {
  const silent = await person();
  await register(silent, `${receiver.origin}/silent?again`);
  await silent("POST", "/account/webhook/test");
  await eventually(() => receiver.to("/silent?again").length === 1);
  const { delivery } = await tell(await person(), "/beside");
  assert.equal(delivery.state, "delivered");
});

test("a delivery that stops at any step continues after a restart", async (context) => {
  for (const [step, before, after] of [
    ["claim:before", 0, 1],
    ["claim:after", 0, 1],
    // The event was received, but the Worker ended before it recorded the delivery: an event is delivered at least once.
    ["delivered:before", 1, 2],
    ["delivered:after", 1, 1],
  ]) {
    await context.test(step, async () => {
      const target = `/stopped?${step}`;
      const state = await mkdtemp(path.join(tmpdir(), "assay-webhooks-"));
      try {
        const stopping = await startServer({ vars: { ...DEVELOPMENT, ABORT_AT: step }, state });
        const call = await person(stopping);
        await register(call, receiver.origin + target);
        await call("POST", "/account/webhook/test");
        await eventually(() => stopping.log().includes(`ABORT_AT=${step}`));
        await stopping.kill();
        assert.equal(receiver.to(target).length, before);

        const again = await startServer({ vars: { ...DEVELOPMENT, MOVABLE_CLOCK: "true" }, state });
        const put = { method: "PUT", headers: { "content-type": "application/json" } };
        const sweep = async (offsetMs) => {
          await fetch(`${again.url}/development/clock`, { ...put, body: JSON.stringify({ offsetMs }) });
          assert.equal((await fetch(`${again.url}/development/sweep`, { method: "POST" })).status, 200);
        };
        // As far as the service knows, the stopped Worker may still be working on its attempt.
        await sweep(0);
        assert.equal(receiver.to(target).length, step === "claim:before" ? after : before);
        await sweep(60_000);
        await sweep(60_000);
        await again.stop();
        assert.equal(receiver.to(target).length, after);
        assert.equal(new Set(receiver.to(target).map(({ headers }) => headers["webhook-id"])).size, 1);
      } finally {
        await rm(state, { recursive: true });
      }
    });
  }
});
