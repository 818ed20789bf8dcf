// Measures how much a request, an order and an asset load the database: in rows, transactions and bytes, and in which tables the bytes are.
//
//   node tests/load/scale.mjs
//
// Reports its progress on standard error, and prints the figures. docs/scale.md explains them.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Sender } from "../support/sender.mjs";
import { startServer } from "../support/server.mjs";
import { counting, rows } from "./counter.mjs";
import { close, succeed, throughput } from "./measure.mjs";
import { keepFigures, note, printTable } from "../support/figures.mjs";

/** The maximum size of a database in bytes, from developers.cloudflare.com/d1/platform/limits as updated on 2026-04-21. */
const DATABASE = 10e9;

const DIST = fileURLToPath(new URL("../../edge-api/dist", import.meta.url));
/** The numbers of repetitions of each event, of assets in a large order, of large orders, and of requests in flight. */
const TIMES = 300;
const MANY = 50;
const LARGE_ORDERS = 6;
const AT_ONCE = 16;
/** Milliseconds between two requests that ask whether the work is done. The figures include these requests. */
const POLL = 2000;

const say = (text) => process.stderr.write(`${text}\n`);

/** The part to which each table or index belongs. All others belong to the part `truth`. */
const PARTS = {
  requests: "request log",
  webhook_deliveries: "webhook deliveries",
  idempotency_keys: "idempotency answers",
  sqlite_autoindex_webhook_deliveries: "webhook deliveries",
};

/** Returns the bytes of each part of the database in a folder of the local state. */
async function bytesOfParts(state) {
  const found = (await readdir(path.join(state, "d1"), { recursive: true })).filter((name) => name.endsWith(".sqlite") && !name.includes("metadata"));
  assert.equal(found.length, 1, `${found}`);
  return bytesOf(path.join(state, "d1", found[0]));
}

/** Returns the bytes of each part of a database: of its tables and their indexes, without the free space of pages. */
function bytesOf(file) {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = new Map(
      database
        .prepare("SELECT name, tbl_name FROM sqlite_schema")
        .all()
        .map(({ name, tbl_name }) => [name, tbl_name]),
    );
    const parts = {};
    for (const { name, bytes } of database.prepare("SELECT name, sum(payload + 4 * ncell) AS bytes FROM dbstat GROUP BY name").all()) {
      const part = PARTS[tables.get(name)] ?? "truth";
      parts[part] = (parts[part] ?? 0) + bytes;
    }
    return parts;
  } finally {
    database.close();
  }
}

class Service {
  constructor(base) {
    [this.dist, this.state] = ["dist", "state"].map((name) => path.join(base, name));
    this.vars = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", WEBHOOK_CONFIRMATION: "off", MOVABLE_CLOCK: "true" };
  }

  async start() {
    this.server = await startServer({ vars: this.vars, state: this.state, dist: this.dist });
    if (this.issuer) this.issuer.url = this.server.url;
  }

  async prepare() {
    await counting(DIST, this.dist);
    await this.start();
    this.issuer = await (await Sender.of()).connect(this.server.url);
    await this.issuer.client.createDeposit(90_000_000);
    const ledger = { name: "Scale", symbol: "S", uriPrefix: "https://example.com/metadata/", uriPostfix: ".json", schemaId: `0x${"0".repeat(64)}`, capabilities: [2] };
    this.ledgerId = (await this.issuer.deploy(ledger)).ledgerId;
  }

  /** Returns `times` signed orders. Each order creates `count` assets. */
  async orders(times, count) {
    const bodies = [];
    for (let n = 0; n < times; n++) {
      const action = () => ({ kind: 1, assetLedgerId: this.ledgerId, id: String((this.last = (this.last ?? 0) + 1)), imprint: "0".repeat(64), senderId: this.issuer.id, receiverId: this.issuer.id });
      const actions = Array.from({ length: count }, action);
      const order = { actions, signersIds: [this.issuer.id], payerId: this.issuer.id, wildcardSigner: false, automatedPerform: true };
      bodies.push((await this.issuer.made((client) => client.createOrder(order, 2))).body);
    }
    return bodies;
  }

  post(body, key) {
    const headers = key ? { ...this.issuer.headers, "idempotency-key": key } : this.issuer.headers;
    return succeed(`${this.server.url}/orders`, { method: "POST", headers, body });
  }

  /** Waits until `count` orders are final. */
  async settled(count) {
    const { headers } = this.issuer;
    const final = async () => JSON.parse((await succeed(`${this.server.url}/orders?statuses=7&limit=1`, { headers })).body).meta.total;
    while ((await final()) < count) await sleep(POLL);
  }

  /** Waits until the receiver has received every event. */
  async delivered(received) {
    const { headers } = this.issuer;
    const events = async () => JSON.parse((await succeed(`${this.server.url}/account/webhook/deliveries?limit=1`, { headers })).body).meta.total;
    while (received() < (await events())) await sleep(POLL);
  }

  /** Runs `act`, which repeats an event `times` times. Returns the rows, batches and bytes of one event. */
  async measured(times, act) {
    const restart = async () => (await this.server.stop(), await bytesOfParts(this.state));
    const before = await restart();
    await this.start();
    await act();
    await sleep(1500);
    const { read, written, batches } = rows(this.server.log());
    const after = await restart();
    await this.start();
    const bytes = Object.fromEntries(Object.entries(after).map(([part, bytes]) => [part, (bytes - (before[part] ?? 0)) / times]));
    return { rowsRead: read / times, rowsWritten: written / times, transactions: batches / times, bytes };
  }
}

const EVENTS = {
  request: "a signed request",
  order: "an order of one asset",
  asset: "each further asset of an order",
  hooked: "an order of one asset, with a webhook",
  removed: "91 days later, for each order with a webhook",
};
const PURPOSES = ["truth", "webhook deliveries", "idempotency answers", "request log"];

function show(events, rates) {
  const rows = Object.entries(EVENTS).map(([key, name]) => {
    const { rowsRead, rowsWritten, transactions, bytes } = events[key];
    return [name, rowsRead.toFixed(0), rowsWritten.toFixed(0), transactions.toFixed(1), ...PURPOSES.map((part) => `${(bytes[part] ?? 0).toFixed(0)} B`)];
  });
  printTable(["in the database", "rows read", "rows written", "transactions", ...PURPOSES], rows);
  for (const key of ["order", "asset"]) {
    note(`If a database stored only \`${PURPOSES[0]}\`, 10 GB would be enough for ${(DATABASE / events[key].bytes[PURPOSES[0]] / 1e6).toFixed(1)} million of these: ${EVENTS[key]}.`);
  }
  note(
    `On this machine, with sixteen orders in flight: ${rates.ordersPerSecond.toFixed(0)} orders/s until final, ${rates.rowsWrittenPerSecond.toFixed(0)} rows written/s, ${rates.transactionsPerSecond.toFixed(0)} transactions/s.`,
  );
}

async function main() {
  const base = await mkdtemp(path.join(tmpdir(), "assay-scale-"));
  let received = 0;
  const receiver = createServer((request, response) => {
    received += 1;
    request.resume().on("end", () => response.writeHead(204).end());
  }).listen(0, "127.0.0.1");
  const service = new Service(base);
  try {
    say("setting up");
    await service.prepare();
    let final = 0;
    const create = async (bodies, key) => {
      for (const [n, body] of bodies.entries()) await service.post(body, key && `${key}-${n}`);
      await service.settled((final += bodies.length));
    };
    say("requests");
    const request = await service.measured(TIMES, async () => {
      for (let n = 0; n < TIMES; n++) await succeed(`${service.server.url}/account`, { headers: service.issuer.headers });
    });
    say("orders of one asset");
    let bodies = await service.orders(TIMES, 1);
    const order = await service.measured(TIMES, () => create(bodies, "scale"));
    say(`orders of ${MANY} assets`);
    bodies = await service.orders(LARGE_ORDERS, MANY);
    const large = await service.measured(LARGE_ORDERS, () => create(bodies, "large"));
    say("orders with a webhook");
    await succeed(`${service.server.url}/account/webhook`, {
      method: "PUT",
      headers: service.issuer.headers,
      body: JSON.stringify({ url: `http://127.0.0.1:${receiver.address().port}/`, events: [] }),
    });
    bodies = await service.orders(TIMES, 1);
    const hooked = await service.measured(TIMES, async () => {
      await create(bodies, "hooked");
      await service.delivered(() => received);
    });
    await succeed(`${service.server.url}/account/webhook`, { method: "DELETE", headers: service.issuer.headers });
    say("orders a second");
    bodies = await service.orders(TIMES, 1);
    const started = performance.now();
    const since = service.server.log().length;
    await throughput((n) => service.post(bodies[n]), { atOnce: AT_ONCE, seconds: Infinity, limit: TIMES });
    await service.settled((final += TIMES));
    const seconds = (performance.now() - started) / 1000;
    const { written, batches } = rows(service.server.log().slice(since));
    say("91 days later");
    const development = (name, method, body) => succeed(`${service.server.url}/development/${name}`, { method, headers: { "content-type": "application/json" }, body });
    const removed = await service.measured(TIMES, async () => {
      await development("clock", "PUT", JSON.stringify({ offsetMs: 91 * 86_400_000 }));
      for (let n = 0; n < 3; n++) await development("sweep", "POST");
    });
    const rates = { ordersPerSecond: TIMES / seconds, rowsWrittenPerSecond: written / seconds, transactionsPerSecond: batches / seconds };

    // The two orders differ only in their number of assets.
    const difference = (pick) => (pick(large) - pick(order)) / (MANY - 1);
    const parts = [...new Set([...Object.keys(large.bytes), ...Object.keys(order.bytes)])];
    const asset = {
      rowsRead: difference((event) => event.rowsRead),
      rowsWritten: difference((event) => event.rowsWritten),
      transactions: difference((event) => event.transactions),
      bytes: Object.fromEntries(parts.map((part) => [part, difference((event) => event.bytes[part] ?? 0)])),
    };
    const machine = { cores: availableParallelism(), load: loadavg()[0] };
    const events = { request, order, asset, hooked, removed };
    show(events, rates);
    await keepFigures({ machine, times: TIMES, events, rates });
  } finally {
    close();
    receiver.closeAllConnections();
    receiver.close();
    await service.server?.stop();
    await rm(base, { recursive: true, force: true });
  }
}

await main();
