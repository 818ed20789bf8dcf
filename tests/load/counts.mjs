// Counts the work in the database of the main routes: batches, statements, and rows as D1 bills them. Before the answer, a client waits for
// this work. After it follow the request log, and the messages of the queues.
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Host } from "../demo/host.mjs";
import { Sender } from "../support/sender.mjs";
import { startServer } from "../support/server.mjs";
import { certified } from "./certified.mjs";
import { counting, work } from "./counter.mjs";
import { dataOf, succeed } from "./measure.mjs";

const SETTINGS = {
  ENVIRONMENT: "development",
  DEPOSITS: "test",
  ALLOW_PRIVATE_FETCH: "true",
  BADGE_CACHE_SECONDS: "3600",
  WEBHOOK_CONFIRMATION: "off",
  RATE_LIMIT_ADDRESS: "off",
  RATE_LIMIT_ACCOUNT: "off",
};
/** How often a route is counted at most. The smallest count is taken, because a periodic run may work at the same time. */
const TIMES = 3;
/** Milliseconds without a line of the log after which no further work is expected. The queues and the request log wait for less, also on a busy machine. */
const QUIET = 3000;

/** Waits until the server logs nothing more. Returns the length of its log. */
async function settled(server) {
  for (;;) {
    const { length } = server.log();
    await sleep(QUIET);
    if (server.log().length === length) return length;
  }
}

/** Returns the routes to count, by name. Each prepares a request, and returns the function that sends it. */
function routes(server, issuer, ledger, webhook) {
  const { url, headers } = { url: server.url, headers: issuer.headers };
  let asset = 1;
  const order = () => issuer.creation(ledger.ledgerId, String(++asset), "0".repeat(64), issuer.id);
  const post = (body) => succeed(`${url}/orders`, { method: "POST", headers, body: JSON.stringify(body) });
  const get = (route, options) => () => () => succeed(`${url}${route}`, options);
  const creates = async () => {
    const body = await order();
    return () => post(body);
  };
  return {
    "GET /health": get("/health"),
    "GET /account": get("/account", { headers }),
    "GET /ledgers/…": get(`/ledgers/${ledger.ledgerRef}`, { headers }),
    "GET /ledgers/…/assets": get(`/ledgers/${ledger.ledgerRef}/assets`, { headers }),
    "GET /ledgers/…/assets/…": get(`/ledgers/${ledger.ledgerRef}/assets/1`, { headers }),
    "GET /badge, cached": get(`/badge?ledgerId=${ledger.ledgerId}&assetId=1`),
    "POST /orders, until final": creates,
    "PUT /orders/…/sign, until final": async () => {
      const body = await order();
      const claim = body.order.signers[0].claim;
      body.order.signers[0].claim = "";
      const { ref } = dataOf(await post(body));
      return () => succeed(`${url}/orders/${ref}/sign`, { method: "PUT", headers, body: JSON.stringify({ claim }) });
    },
    "POST /orders, with a webhook": async () => {
      const body = JSON.stringify({ url: webhook, events: [] });
      await succeed(`${url}/account/webhook`, { method: "PUT", headers, body });
      return creates();
    },
  };
}

/** Returns the smallest of each count. */
function smallest(counts) {
  const least = (part) => Object.fromEntries(Object.keys(counts[0][part]).map((name) => [name, Math.min(...counts.map((count) => count[part][name]))]));
  return { before: least("before"), after: least("after") };
}

/**
 * Starts the build in the folder `dist`, and returns the work of each of its main routes. `isExpected` gets a route's name and its count. If
 * it returns true, the route is not counted again.
 */
export async function countRoutes(dist, { say = () => {}, isExpected = () => false } = {}) {
  const base = await mkdtemp(path.join(tmpdir(), "assay-counts-"));
  const counted = path.join(base, "dist");
  const host = await Host.start();
  const receiver = createServer((request, response) => request.resume().on("end", () => response.writeHead(204).end()));
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  let server;
  try {
    await counting(dist, counted);
    server = await startServer({ vars: SETTINGS, dist: counted });
    const issuer = await Sender.of();
    await issuer.connect(server.url);
    await issuer.client.createDeposit(10_000_000);
    const { imprint, deployment } = await certified(host);
    const ledger = await issuer.deploy({ name: "L", ...deployment });
    const order = await issuer.creation(ledger.ledgerId, "1", imprint, issuer.id);
    const { ref } = dataOf(await succeed(`${server.url}/orders`, { method: "POST", headers: issuer.headers, body: JSON.stringify(order) }));
    await issuer.client.waitForOrder(ref, { interval: 50 });
    const found = [];
    for (const [name, prepare] of Object.entries(routes(server, issuer, ledger, `http://127.0.0.1:${receiver.address().port}/`))) {
      say(`  ${name}`);
      await (await prepare())();
      let [least, end] = [];
      for (let n = 0; n < TIMES && !(least && isExpected(name, least)); n++) {
        const send = await prepare();
        // A route that prepares nothing is still quiet.
        if (server.log().length !== end) end = await settled(server);
        const from = end;
        await send();
        end = await settled(server);
        const count = work(server.log().slice(from, end));
        least = least ? smallest([least, count]) : count;
      }
      found.push({ name, ...least });
    }
    return found;
  } finally {
    await server?.stop();
    await host.stop();
    receiver.close();
    await rm(base, { recursive: true, force: true });
  }
}
