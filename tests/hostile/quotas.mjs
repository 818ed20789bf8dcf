// Attacks on the quotas that accounts share: bytes stored, the log, challenges to receivers, and the order of deliveries.
import { createServer } from "node:http";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Sender } from "../support/sender.mjs";
import { until } from "../support/until.mjs";
import { SECRET } from "../support/webhooks.mjs";
import { HEAP_MEGABYTES, atMost, common, exactly, timed } from "./bounds.mjs";
import { withDatabase } from "./database.mjs";
import { watched } from "./watch.mjs";

/** The longest field: 255 characters of four bytes. */
const LONG = "\u{1d54f}".repeat(255);
const FIELDS = ["firstName", "lastName", "streetAddress", "postalCode", "city", "country"];
const COMPANY = ["name", "streetAddress", "postalCode", "city", "country", "taxNumber", "phoneNumber"];
const filled = (names, text) => Object.fromEntries(names.map((name) => [name, text]));
/** The smallest and the largest information about an account that the service accepts. */
const SMALL = { ...filled(FIELDS, "x"), email: "a@example.com" };
const LARGE = { ...filled(FIELDS, LONG), email: "a@example.com", isCompany: true, companyInformation: filled(COMPANY, LONG) };

const from = (address) => ({ "cf-connecting-ip": address });
/** The attacker's networks: the addresses of three providers in turn. */
const attacker = (n) => from(`198.${18 + (n % 3)}.${Math.floor(n / 3)}.1`);
/** The address of another client, at another provider. */
const elsewhere = (n) => from(`203.0.113.${n}`);

/** Sends a request with a body of JSON, and returns its status and data. Fails if the answer is a fault of the service. */
async function send(stage, method, target, headers, body) {
  const { status, text } = await stage.ask(method, target, headers, typeof body === "object" ? JSON.stringify(body) : body);
  if (status >= 500) throw new Error(`${method} ${target} was answered ${text}`);
  return { status, data: JSON.parse(text).data };
}

/** Sends the request of a client call from a client address. */
async function sent(stage, sender, address, call) {
  const { method, headers, body } = await sender.made(call);
  return send(stage, method, call.path, { ...headers, ...address }, body);
}
/** Returns a client call with the path of its request. */
const call = (path, make) => Object.assign(make, { path });

/** A ledger's data. */
const ledgerData = (stage) => ({
  name: "L",
  symbol: "L",
  uriPrefix: stage.host.url("x/"),
  uriPostfix: "",
  schemaId: `0x${"0".repeat(64)}`,
  capabilities: [],
});

/**
 * Unfunded accounts from thirty addresses send the requests that fill the shared quotas fastest. Other accounts must not be blocked. Accounts
 * at other addresses must be able to register, cancel an order and transfer an asset. A funded account must not be affected at all.
 */
export async function spentQuotas(stage, { registrations }) {
  const server = await stage.start({ PAYMENTS: "off", DEPOSITS: "off" }, { heapMegabytes: HEAP_MEGABYTES });
  const { ledgerId } = await stage.issuer.deploy(ledgerData(stage));
  const holder = await (await Sender.of()).connect(stage.url);
  const account = await holder.get("/account");
  const creation = await stage.issuer.creation(ledgerId, "1", "0".repeat(64), holder.id);
  const created = await send(stage, "POST", "/orders", stage.issuer.headers, creation);
  await stage.issuer.client.waitForOrder(created.data.ref, { interval: 50 });
  const operator = account.gateway.proxies.safeTransferAsset;
  const approved = await holder.client.createApproval({ ledgerId, receiverId: operator, approve: true }, 2);
  await holder.client.waitForApproval(approved.data.ref, { interval: 50 });
  // An order of two signers. Its creator has signed it and will cancel it.
  const signer = await (await Sender.of()).connect(stage.url);
  const value = { kind: 3, valueLedgerId: account.payment.tokenAddress, senderId: signer.id, receiverId: holder.id, value: "0" };
  const two = { actions: [value], signersIds: [signer.id, holder.id], payerId: signer.id, wildcardSigner: false, automatedPerform: true };
  const open = await sent(
    stage,
    signer,
    elsewhere(1),
    call("/orders", (client) => client.createOrder(two, 2)),
  );
  if (open.status !== 201) throw new Error(`an order was answered ${open.status}`);

  let refused = 0;
  const figures = await watched(server, async () => {
    for (let n = 0; n < registrations; n++) {
      const person = await stage.unfunded();
      const { status } = await send(stage, "PUT", "/account", { ...person.headers, ...attacker(n % 30) }, LARGE);
      if (status === 429) refused += 1;
    }
    return {};
  });
  const statuses = {};
  const unfunded = await stage.unfunded();
  statuses.registers = (await send(stage, "PUT", "/account", { ...unfunded.headers, ...elsewhere(2) }, SMALL)).status;
  statuses.cancels = (await send(stage, "DELETE", `/orders/${open.data.ref}`, { authorization: signer.headers.authorization, ...elsewhere(1) })).status;
  const transfer = {
    actions: [{ kind: 2, assetLedgerId: ledgerId, id: "1", senderId: holder.id, receiverId: signer.id }],
    signersIds: [holder.id],
    payerId: holder.id,
    wildcardSigner: false,
    automatedPerform: true,
  };
  const transferred = await sent(
    stage,
    holder,
    elsewhere(1),
    call("/orders", (client) => client.createOrder(transfer, 2)),
  );
  statuses.transfers = transferred.status;
  statuses.becomes = (await holder.client.waitForOrder(transferred.data.ref, { interval: 50 })).data.status;
  const issued = await stage.issuer.creation(ledgerId, "2", "0".repeat(64), holder.id);
  statuses.issues = (await send(stage, "POST", "/orders", { ...stage.issuer.headers, ...attacker(0) }, issued)).status;
  statuses.informs = (await send(stage, "PUT", "/account", { ...stage.issuer.headers, ...attacker(0) }, SMALL)).status;
  return [
    ...common(figures),
    { what: "refused registrations of the attacker", value: refused, limit: registrations, unit: "requests", holds: true },
    exactly("status of a new account's registration", statuses.registers, 200, ""),
    exactly("status of a cancellation", statuses.cancels, 200, ""),
    exactly("status of a holder's transfer", statuses.transfers, 201, ""),
    exactly("final status of that transfer", statuses.becomes, 7, "(7: finalized)"),
    exactly("status of a funded account's order", statuses.issues, 201, ""),
    exactly("status of that account's PUT /account", statuses.informs, 200, ""),
  ];
}

/** Unfunded accounts register many receivers on one host that never confirm. A funded account must still be able to register a receiver on the same host. */
export async function blockedReceivers(stage, { registered }) {
  const server = await stage.start();
  await stage.issuer.client.createDeposit(1_000);
  const receiver = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const { challenge } = JSON.parse(Buffer.concat(parts).toString() || "{}");
      // Only the funded account's path confirms that it wants events.
      if (challenge && request.url.startsWith("/wanted")) response.end(challenge);
      else response.writeHead(404).end();
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const base = `http://localhost:${receiver.address().port}`;
  const states = [];
  const register = async (path) => {
    await send(stage, "PUT", "/account/webhook", stage.issuer.headers, { url: `${base}${path}`, events: [], secret: SECRET });
    for (let n = 0; n < 100; n++) {
      const { state } = await stage.issuer.get("/account/webhook");
      if (state === "active") return state;
      await sleep(50);
    }
    return "pending";
  };
  const figures = await watched(server, async () => {
    for (let n = 0; n < registered; n++) {
      const person = await stage.unfunded();
      const { status } = await send(stage, "PUT", "/account/webhook", { ...person.headers, ...attacker(n) }, { url: `${base}/${n}`, events: [], secret: SECRET });
      if (status !== 200) throw new Error(`a webhook was answered ${status}`);
    }
    await stage.ask("POST", "/development/sweep");
    states.push(await register("/wanted"));
    // Changes the webhook to a path that never confirms, and back.
    await send(stage, "PUT", "/account/webhook", stage.issuer.headers, { url: `${base}/never`, events: [], secret: SECRET });
    states.push(await register("/wanted"));
    return {};
  });
  receiver.closeAllConnections();
  receiver.close();
  return [...common(figures), exactly("state of a funded account's receiver", states[0], "active", ""), exactly("state of this receiver after changing the path and back", states[1], "active", "")];
}

/** A funded account sends refused orders, each with its own idempotency key. */
export async function fundedRefusals(stage, { refused }) {
  await stage.start();
  await stage.issuer.client.createDeposit(1_000);
  const before = await stage.stored();
  const server = await stage.start();
  const action = { kind: 1, ledgerId: "x".repeat(60), assetId: "y".repeat(60), assetImprint: "z".repeat(60), receiverId: "x".repeat(60), senderId: "x".repeat(60) };
  const body = { priority: 9, order: { actions: Array(100).fill(action) } };
  const figures = await watched(server, async () => {
    for (let n = 0; n < refused; n++) {
      const headers = { ...stage.issuer.headers, "idempotency-key": `${"k".repeat(240)}-${n}` };
      const { status } = await send(stage, "POST", "/orders", headers, body);
      if (status !== 422) throw new Error(`a wrong order was answered ${status}`);
    }
    return {};
  });
  // The log is written after the answer.
  await sleep(500);
  const after = await stage.stored();
  const counted = await withDatabase(stage.place, (database) => database.prepare("SELECT coalesce(sum(used), 0) AS used FROM quotas WHERE key LIKE 'account:%'").first());
  const bytes = after.bytes - before.bytes;
  return [
    ...common(figures),
    // A row of the log has at most two kilobytes.
    atMost("bytes stored for a refused order of a funded account", Math.round(bytes / refused), 2_000, "bytes"),
    atMost("stored bytes that the account's daily quota does not count", Math.max(0, bytes - counted.used), 0, "bytes"),
  ];
}

/** Receivers confirm and then never answer in time. A retry to another account's receiver must still be among the first. */
export async function slowReceivers(stage, { slow }) {
  const server = await stage.start();
  const asked = [];
  let [working, hangs] = [false, false];
  const receiver = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const { challenge } = JSON.parse(Buffer.concat(parts).toString() || "{}");
      if (challenge) return response.end(challenge);
      asked.push(request.url);
      if (request.url === "/other") return response.writeHead(working ? 200 : 503).end();
      if (!hangs) response.writeHead(200).end();
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const base = `http://localhost:${receiver.address().port}`;
  const register = async (headers, path) => {
    await send(stage, "PUT", "/account/webhook", headers, { url: `${base}${path}`, events: [], secret: SECRET });
    await stage.ask("POST", "/development/sweep");
  };
  const dead = [];
  for (let n = 0; n < slow; n++) {
    const person = await stage.unfunded();
    const headers = { ...person.headers, ...attacker(n) };
    await register(headers, `/dead/${n}`);
    dead.push(headers);
  }
  await register(stage.issuer.headers, "/other");
  hangs = true;
  for (const headers of dead) await send(stage, "POST", "/account/webhook/test", headers, {});
  await send(stage, "POST", "/account/webhook/test", stage.issuer.headers, {});
  // Every receiver fails once, most of them after five seconds. The local queue delivers one message at a time, so sweeps deliver in parallel.
  for (let n = 0; n < 300 && new Set(asked).size < slow + 1; n++) {
    await stage.ask("POST", "/development/sweep");
    await sleep(1_000);
  }
  if (new Set(asked).size < slow + 1) throw new Error(`only ${new Set(asked).size} of ${slow + 1} receivers were asked`);
  await sleep(6_000);
  working = true;
  asked.length = 0;
  let took = 0;
  const figures = await watched(server, async () => {
    await stage.ask("PUT", "/development/clock", { "content-type": "application/json" }, JSON.stringify({ offsetMs: 120_000 }));
    const started = performance.now();
    const sweep = stage.ask("POST", "/development/sweep");
    if (!(await until(() => asked.includes("/other"), Boolean, 50))) throw new Error("the other account's receiver was not asked");
    took = performance.now() - started;
    receiver.closeAllConnections();
    await sweep;
    return {};
  });
  receiver.closeAllConnections();
  receiver.close();
  return [
    ...common(figures),
    atMost("receivers called before another account's", asked.indexOf("/other"), 6, "receivers"),
    timed(atMost("delay of another account's retry", Math.round(took), 5_000, "ms")),
  ];
}

/** An unfunded account sends read requests without pause. The log must still record the requests of other accounts. */
export async function floodedLog(stage, { reads }) {
  const server = await stage.start({}, { heapMegabytes: HEAP_MEGABYTES });
  const reader = await stage.unfunded();
  const other = await stage.unfunded();
  await send(stage, "PUT", "/account", { ...reader.headers, ...attacker(0) }, SMALL);
  await send(stage, "PUT", "/account", { ...other.headers, ...elsewhere(1) }, SMALL);
  const target = `/orders?filterIds=${"x".repeat(400)}`;
  const figures = await watched(server, async () => {
    for (let n = 0; n < reads; n += 20) {
      const some = Array.from({ length: 20 }, () => stage.ask("GET", target, { ...reader.headers, ...attacker(0) }));
      await Promise.all(some);
    }
    return {};
  });
  await stage.ask("GET", "/orders?limit=7", { ...other.headers, ...elsewhere(1) });
  await sleep(500);
  await stage.stop();
  const rows = await withDatabase(stage.place, async (database) => {
    const log = await database.prepare("SELECT used FROM quotas WHERE key = 'unfunded:log'").first();
    const seen = await database.prepare("SELECT count(*) AS n FROM requests WHERE url LIKE '%limit=7'").first();
    return { used: log?.used ?? 0, seen: seen.n };
  });
  return [...common(figures), atMost("request log of one client address", Math.round(rows.used / 1e5) / 10, 1.1, "MB"), exactly("logged requests of another account", rows.seen, 1, "requests")];
}
