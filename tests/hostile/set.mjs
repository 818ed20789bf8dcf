// The attacks on the service. Each attack has bounds that must hold, such as the memory of an isolate, the stored bytes, and the delay of
// other clients.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Cert, identify } from "@assay/cert";
import { PrivateKeyProvider } from "@assay/client";
import { Host } from "../demo/host.mjs";
import { Sender } from "../support/sender.mjs";
import { startServer } from "../support/server.mjs";
import { SECRET } from "../support/webhooks.mjs";
import { ISOLATE_BYTES, MEGABYTE, atMost, common, exactly, timed } from "./bounds.mjs";
import { stored, withDatabase } from "./database.mjs";
import { checkedDomains } from "./issuers.mjs";
import { files } from "./files.mjs";
import { blockedReceivers, floodedLog, fundedRefusals, slowReceivers, spentQuotas } from "./quotas.mjs";
import { unread } from "./unread.mjs";
import { watched, worked } from "./watch.mjs";

const DAY_MS = 86_400_000;
/** The maximum number of bytes per day that unfunded accounts can have stored. */
const DAY_BYTES = 200e6;
/** The header with the attacker's address, as the platform would set it. */
const ATTACKER = { "cf-connecting-ip": "198.51.100.66" };
const JSON_TYPE = { "content-type": "application/json" };

export const SETTINGS = {
  ENVIRONMENT: "development",
  DEPOSITS: "test",
  ALLOW_PRIVATE_FETCH: "true",
  MOVABLE_CLOCK: "true",
  BADGE_CACHE_SECONDS: "3600",
  RATE_LIMIT_ADDRESS: "off",
  RATE_LIMIT_ACCOUNT: "off",
};

/** The sizes of the attacks, for measurements and for tests. */
export const SIZES = {
  full: {
    giants: [
      [40_000, 16_000],
      [40_000, 40_000],
    ],
    together: 7,
    pairs: 4_500,
    methods: 2_600,
    refused: 200,
    accepted: 300,
    poisoned: 110,
    receivers: 50,
    probes: 500,
    bodies: 100,
    unread: 60,
    registrations: 2_160,
    registered: 210,
    slow: 60,
    reads: 4_000,
    checked: 2_200,
    hung: 60,
    files: 300,
  },
  short: {
    giants: [[40_000, 16_000]],
    together: 3,
    pairs: 1_000,
    methods: 500,
    refused: 20,
    accepted: 230,
    poisoned: 110,
    receivers: 10,
    probes: 100,
    bodies: 20,
    unread: 60,
    registrations: 100,
    registered: 30,
    slow: 8,
    reads: 200,
    checked: 80,
    hung: 6,
    files: 8,
  },
};

/** A service with its state in a folder, and the host of the issuer's documents. */
export class Stage {
  #options;
  #text;

  /** Sets up a stage. `dist` is a build other than edge-api/dist. */
  static async open({ dist } = {}) {
    const stage = new Stage();
    stage.#options = { dist: dist ?? fileURLToPath(new URL("../../edge-api/dist", import.meta.url)) };
    stage.state = await mkdtemp(path.join(tmpdir(), "assay-hostile-"));
    stage.host = await Host.start();
    return stage;
  }

  get place() {
    return { state: this.state, ...this.#options };
  }

  /** Restarts the server with additional settings, and with options of `startServer`. */
  async start(vars = {}, options = {}) {
    await this.stop();
    this.server = await startServer({ vars: { ...SETTINGS, ...vars }, state: this.state, ...this.#options, ...options });
    this.url = this.server.url.replace(/\/$/, "");
    if (!this.issuer) this.issuer = await Sender.of();
    await this.issuer.connect(this.url);
    return this.server;
  }

  async stop() {
    await this.server?.stop();
    this.server = undefined;
  }

  /** Stops the server and measures the stored bytes. */
  async stored() {
    await this.stop();
    return stored(this.place);
  }

  async close() {
    await this.stop();
    await this.host.stop();
    await rm(this.state, { recursive: true, force: true });
  }

  /** Sends a request of the attacker. */
  async ask(method, target, headers = {}, body) {
    const answer = await fetch(this.url + target, { method, headers: { ...ATTACKER, ...headers }, body });
    return { status: answer.status, text: await answer.text() };
  }

  /** Returns the request headers of a new, unfunded account. */
  async unfunded() {
    const provider = await PrivateKeyProvider.from(randomBytes(32).toString("hex"));
    this.#text ??= JSON.parse((await this.ask("GET", "/health")).text).data.authorizationText;
    const authorization = `${provider.signMethod}:${await provider.sign(this.#text)}`;
    return { id: provider.accountId, headers: { authorization, ...JSON_TYPE } };
  }

  /** Moves the service's clock, and runs its scheduled work. */
  async later(milliseconds, sweeps = 1) {
    await this.ask("PUT", "/development/clock", JSON_TYPE, JSON.stringify({ offsetMs: milliseconds }));
    for (let n = 0; n < sweeps; n++) await this.ask("POST", "/development/sweep");
  }
}

/** Creates an asset of the issuer, and waits until it is final. */
async function issued(stage, ledgerId, asset) {
  const { issuer } = stage;
  const order = await issuer.creation(ledgerId, `${asset}`, "0".repeat(64), issuer.id);
  const created = await fetch(`${stage.url}/orders`, { method: "POST", headers: issuer.headers, body: JSON.stringify(order) });
  if (created.status !== 201) throw new Error(`an asset was not created: ${await created.text()}`);
  const { data } = await created.json();
  await issuer.client.waitForOrder(data.ref, { interval: 50 });
}

/** Publishes metadata with many unproven values below a long key, and requests the badges and reports of these assets at the same time. */
async function giants(stage, { giants, together }) {
  const server = await stage.start();
  const { host, issuer } = stage;
  await issuer.client.createDeposit(10_000_000);
  const targets = [];
  for (const [index, [length, count]] of giants.entries()) {
    const key = "k".repeat(length);
    const values = Object.fromEntries(Array.from({ length: count }, (_, n) => [n, 1]));
    // The schema describes the values only once, so it stays small.
    const schema = { type: "object", properties: { [key]: { type: "object", properties: Object.fromEntries(Object.keys(values).map((n) => [n, {}])) } } };
    host.serve(`schema/${index}.json`, schema);
    host.serve(`evidence/${index}.json`, { data: [] });
    const id = `${index}`;
    const ledger = await issuer.deploy({
      name: `G${id}`,
      symbol: "G",
      uriPrefix: host.url(`giant/${id}/`),
      uriPostfix: ".json",
      schemaId: new Cert({ schema }).identify(),
      capabilities: [],
    });
    for (let asset = 1; asset <= together; asset++) {
      const documents = { $schema: host.url(`schema/${id}.json`), $evidence: host.url(`evidence/${id}.json`) };
      host.serve(`giant/${id}/${asset}.json`, { ...documents, [key]: values });
      await issued(stage, ledger.ledgerId, asset);
      targets.push(`ledgerId=${ledger.ledgerId}&assetId=${asset}`);
    }
  }
  const statuses = [];
  const figures = await watched(server, async () => {
    // Requests the first badge as an image, and then all reports at the same time.
    for (const target of targets.slice(0, 1)) statuses.push((await stage.ask("GET", `/badge?${target}`)).status);
    const answers = await Promise.all(targets.map((target) => stage.ask("GET", `/badge.json?${target}`)));
    statuses.push(...answers.map(({ status }) => status));
    return {};
  });
  return [...common(figures, ISOLATE_BYTES), exactly("answers that are faults", statuses.filter((status) => status >= 500).length, 0, "answers")];
}

/**
 * Publishes a schema in which each key `a.5.k` is a list whose indexes may be any number of a field `k.7.x` of the list `a`. A comparison of all
 * pairs would block the isolate for seconds. Requests reports about such an asset.
 */
async function pairs(stage, { pairs }) {
  const server = await stage.start();
  const { host, issuer } = stage;
  await issuer.client.createDeposit(10_000_000);
  const members = (key, node) => Object.fromEntries(Array.from({ length: pairs }, (_, n) => [key(n), node]));
  const fields = members((n) => `k.${n}.x`, {});
  const lists = members((n) => `a.${n}.k`, { type: "array", items: {} });
  const schema = { type: "object", properties: { a: { type: "array", items: { type: "object", properties: fields } }, ...lists } };
  host.serve("schema/pairs.json", schema);
  host.serve("evidence/pairs.json", { data: [] });
  const ledger = await issuer.deploy({ name: "P", symbol: "P", uriPrefix: host.url("pairs/"), uriPostfix: ".json", schemaId: identify(schema), capabilities: [] });
  const together = 5;
  for (let asset = 1; asset <= together; asset++) {
    host.serve(`pairs/${asset}.json`, { $schema: host.url("schema/pairs.json"), $evidence: host.url("evidence/pairs.json"), a: [] });
    await issued(stage, ledger.ledgerId, asset);
  }
  const reports = [];
  const figures = await watched(server, async () => {
    for (let asset = 1; asset <= together; asset++) {
      const { status, text } = await stage.ask("GET", `/badge.json?ledgerId=${ledger.ledgerId}&assetId=${asset}`);
      reports.push(status === 200 && text.includes("too many keys with dots"));
    }
    return {};
  });
  return [...common(figures, ISOLATE_BYTES), exactly("reports that name the schema's keys", reports.filter(Boolean).length, together, "reports")];
}

/** Returns an unsigned order of 100 actions: the largest order that needs neither a signature nor tokens. */
async function unsigned(stage, ledgerId) {
  stage.payment ??= (await stage.issuer.get("/account")).payment;
  const { payment } = stage;
  const address = () => `0x${randomBytes(20).toString("hex")}`;
  const actions = Array.from({ length: 99 }, () => ({
    kind: 1,
    ledgerId,
    assetId: BigInt(`0x${randomBytes(32).toString("hex")}`).toString(),
    assetImprint: randomBytes(32).toString("hex"),
    receiverId: address(),
    senderId: "",
  }));
  const value = (99n * BigInt(payment.assetCreateCost)).toString();
  actions.push({ kind: 3, ledgerId: payment.tokenAddress, receiverId: payment.receiverAddress, senderId: "", value });
  const seed = randomBytes(6).readUIntBE(0, 6);
  return { priority: 1, automatedPerform: true, wildcardSigner: true, order: { signers: [], actions, seed, expiration: Date.now() + 365 * DAY_MS } };
}

async function ledgerOf(stage) {
  await stage.issuer.client.createDeposit(10_000_000);
  const ledger = { name: "L", symbol: "L", uriPrefix: stage.host.url("x/"), uriPostfix: "", schemaId: `0x${"0".repeat(64)}`, capabilities: [] };
  return (await stage.issuer.deploy(ledger)).ledgerId;
}

/** A registered, unfunded account sends orders with only invalid fields, each with its own idempotency key. */
async function refused(stage, { refused }) {
  await stage.start();
  const unfunded = await stage.unfunded();
  const information = Object.fromEntries(["firstName", "lastName", "streetAddress", "postalCode", "city", "country"].map((name) => [name, "x"]));
  await stage.ask("PUT", "/account", unfunded.headers, JSON.stringify({ ...information, email: "a@example.com" }));
  const before = await stage.stored();
  const server = await stage.start();
  const action = { kind: 1, ledgerId: "x".repeat(60), assetId: "y".repeat(60), assetImprint: "z".repeat(60), receiverId: "x".repeat(60), senderId: "x".repeat(60) };
  const body = JSON.stringify({ priority: 9, order: { actions: Array(100).fill(action) } });
  const figures = await watched(server, async () => {
    for (let n = 0; n < refused; n++) {
      const { status } = await stage.ask("POST", "/orders", { ...unfunded.headers, "idempotency-key": `${"k".repeat(240)}-${n}` }, body);
      if (status !== 422) throw new Error(`a wrong order was answered ${status}`);
    }
    return {};
  });
  // The log is written after the answer.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const after = await stage.stored();
  return [...common(figures), atMost("bytes stored for a refused order", Math.round((after.bytes - before.bytes) / refused), 4_096, "bytes")];
}

/** Throwaway accounts create orders of 100 actions that are never signed. */
async function accepted(stage, { accepted }) {
  const server = await stage.start();
  const ledgerId = await ledgerOf(stage);
  const empty = await stage.stored();
  await stage.start();
  const bodies = [];
  let [taken, largest, spent] = [0, 0, false];
  const figures = await watched(stage.server ?? server, async () => {
    for (let n = 0; n < accepted; n++) {
      const unfunded = await stage.unfunded();
      const body = JSON.stringify(await unsigned(stage, ledgerId));
      bodies.push(body.length);
      const { status, text } = await stage.ask("POST", "/orders", { ...unfunded.headers, "idempotency-key": `${n}` }, body);
      if (status >= 500) throw new Error(`an order was answered ${text}`);
      if (status === 201) {
        taken += 1;
        largest = Math.max(largest, body.length);
      }
      spent ||= status === 429;
      if (status !== 201 && status !== 429) throw new Error(`an order was answered ${text}`);
    }
    return {};
  });
  const full = await stage.stored();
  await stage.start();
  // Daily data is deleted after a day, and unsigned orders after a month.
  await stage.later(DAY_MS + 60_000, 3);
  await stage.later(31 * DAY_MS, 12);
  const left = await stage.stored();
  await stage.start();
  await stage.later(0);
  const grown = full.bytes - empty.bytes;
  // A client address may store this many bytes per day. All addresses together may store ten times as much, plus a fifth for the log.
  return [
    ...common(figures),
    atMost("bytes stored for one client address in a day", Math.round(grown / 1e5) / 10, 12, "MB"),
    atMost("growth of the database file for these bytes", Math.round((full.file - empty.file) / 1e5) / 10, 20, "MB"),
    exactly("requests are refused once the quota is used up", spent, true, ""),
    atMost("share of these bytes left after a month", Math.round(((left.bytes - empty.bytes) / grown) * 1000) / 10, 10, "%"),
    atMost("bytes stored for all unfunded accounts in a day, computed", Math.round((grown * 12) / 1e6), DAY_BYTES / 1e6, "MB"),
    { what: "accepted orders", value: taken, limit: accepted, unit: "orders", holds: true },
  ];
}

/** The database has records of an older version whose expiration is too large for a number of D1. Orders of other accounts must still be processed. */
async function poisoned(stage, { poisoned }) {
  await stage.start();
  const ledgerId = await ledgerOf(stage);
  const approval = await stage.issuer.client.createApproval({ spender: ledgerId, value: "1" }, 1);
  await stage.issuer.client.waitForApproval(approval.data.ref, { interval: 50 });
  // An order whose hint was lost, so that only the sweep can find it.
  const order = await stage.issuer.creation(ledgerId, "1", "0".repeat(64), stage.issuer.id);
  const waiting = await fetch(`${stage.url}/orders`, {
    method: "POST",
    headers: stage.issuer.headers,
    body: JSON.stringify({ ...order, automatedPerform: false }),
  });
  const { data } = await waiting.json();
  await stage.stop();
  await withDatabase(stage.place, async (database) => {
    await database.prepare("UPDATE records SET status = 1, queued = 1, due_at = 0 WHERE ref = ?1").bind(data.ref).run();
    await database
      .prepare(
        `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
         INSERT INTO records (ref, kind, hash, creator_id, status, priority, expires_at, body, created_at, updated_at, queued, due_at)
         SELECT printf('01890000-0000-7000-8000-%012d', n), kind, printf('0x%064x', n), creator_id, 1, 4, 9007199254740992, body, created_at, updated_at, 1, 0
         FROM records, n WHERE kind = 2`,
      )
      .bind(poisoned)
      .run();
    // Adds the records to their owner's list. Copies all columns of a row, because the table may get further columns.
    const party = await database.prepare("SELECT * FROM record_parties WHERE ref = ?1").bind(approval.data.ref).first();
    const columns = Object.keys(party);
    await database
      .prepare(
        `INSERT INTO record_parties (${columns.join(", ")})
         SELECT ${columns.map((name) => ({ ref: "r.ref", status: "1" })[name] ?? `p.${name}`).join(", ")}
         FROM record_parties p, records r WHERE p.ref = ?1 AND r.expires_at = 9007199254740992`,
      )
      .bind(approval.data.ref)
      .run();
  });
  const server = await stage.start();
  const outcome = { swept: 0, status: 0, listed: 0 };
  const figures = await watched(server, async () => {
    for (let n = 0; n < 5; n++) outcome.swept = Math.max(outcome.swept, (await stage.ask("POST", "/development/sweep")).status);
    outcome.status = (await stage.issuer.get(`/orders/${data.ref}`)).status;
    const list = await fetch(`${stage.url}/approvals?limit=100`, { headers: stage.issuer.headers });
    outcome.listed = list.status;
    await list.arrayBuffer();
    return {};
  });
  return [
    ...common(figures),
    exactly("status of the sweeps", outcome.swept, 200, ""),
    exactly("final status of another account's order", outcome.status, 7, "(7: finalized)"),
    exactly("status of their owner's list", outcome.listed, 200, ""),
  ];
}

/** Unfunded accounts register webhooks whose receivers cannot be reached. Another account's order must still be performed quickly. */
async function receivers(stage, { receivers }) {
  const server = await stage.start();
  const ledgerId = await ledgerOf(stage);
  const dead = { url: "http://127.0.0.1:9/", events: [], secret: SECRET };
  for (let n = 0; n < receivers; n++) {
    const unfunded = await stage.unfunded();
    const { status, text } = await stage.ask("PUT", "/account/webhook", unfunded.headers, JSON.stringify(dead));
    if (status !== 200) throw new Error(`a webhook was answered ${text}`);
    await stage.ask("POST", "/orders", unfunded.headers, JSON.stringify(await unsigned(stage, ledgerId)));
  }
  const order = await stage.issuer.creation(ledgerId, "2", "0".repeat(64), stage.issuer.id);
  let took = 0;
  const figures = await watched(server, async () => {
    const sweep = stage.ask("POST", "/development/sweep");
    const started = performance.now();
    const made = await fetch(`${stage.url}/orders`, { method: "POST", headers: stage.issuer.headers, body: JSON.stringify(order) });
    const { data } = await made.json();
    await stage.issuer.client.waitForOrder(data.ref, { interval: 50 });
    took = performance.now() - started;
    await sweep;
    return {};
  });
  return [...common(figures), timed(atMost("time to perform another account's order", Math.round(took), 5_000, "ms"))];
}

/** A client sends many health checks at the same time. */
async function probes(stage, { probes }) {
  // A movable clock costs an extra database query, so it is off here.
  const server = await stage.start({ MOVABLE_CLOCK: "false" });
  let wrong = 0;
  const figures = await watched(server, async () => {
    const answers = await Promise.all(Array.from({ length: probes }, () => stage.ask("GET", "/health")));
    wrong = answers.filter(({ status }) => status !== 200).length;
    return {};
  });
  return [...common(figures), exactly("probes without an answer", wrong, 0, "probes")];
}

/** A client sends bodies of a megabyte beyond the rate limit. Compares them with the same number of small bodies. */
async function bodies(stage, { bodies }) {
  const server = await stage.start({ RATE_LIMIT_ADDRESS: "1/60" });
  const post = async (body) => {
    const { status } = await stage.ask("POST", "/orders", JSON_TYPE, body);
    return status;
  };
  // An expensive body: the maximum number of values, and escaped characters.
  const large = `[${'{"a":"b"},'.repeat(4_500)}"${"\\u00e9".repeat((MEGABYTE - 60_000) / 6)}"]`;
  await post("{}");
  const times = {};
  let let_in = 0;
  const figures = await watched(server, async () => {
    for (const [name, body] of [
      ["small", "{}"],
      ["large", large],
    ]) {
      const started = worked(server.pid);
      for (let n = 0; n < bodies; n++) if ((await post(body)) !== 429) let_in += 1;
      times[name] = (worked(server.pid) - started) / bodies;
    }
    return {};
  });
  return [
    ...common(figures),
    // A window of the rate limit may end during the attack.
    atMost("bodies that the rate limit let through", let_in, 3, "bodies"),
    atMost("CPU time of a refused megabyte, compared with a small body", Math.round((times.large / times.small) * 10) / 10, 2, "times"),
  ];
}

/** The attacks by name. */
export const ATTACKS = {
  "verifications of huge documents": giants,
  "schemas with very many pairs of paths": pairs,
  "refused orders with keys": refused,
  "orders that are never signed": accepted,
  "unprocessable records of an older version": poisoned,
  "dead receivers": receivers,
  "health probes": probes,
  "bodies of a megabyte beyond the rate limit": bodies,
  "large answers that are not read": unread,
  "quotas used up from thirty addresses": spentQuotas,
  "receivers that are registered and never confirm": blockedReceivers,
  "refused orders of a funded account": fundedRefusals,
  "receivers that confirm and then do not answer": slowReceivers,
  "request log flooded by one account": floodedLog,
  "checks of domains by unknown callers": checkedDomains,
  "hosted files of unfunded and funded accounts": files,
};

/** Runs an attack on a new stage. */
export async function attack(name, sizes, options) {
  const stage = await Stage.open(options);
  try {
    return await ATTACKS[name](stage, sizes);
  } finally {
    await stage.close();
  }
}
