// Measures the release build of the Worker in workerd, with its database on disk:
// - the latencies of queries on a ledger with 100,000 assets, compared with a ledger of 1,000 assets,
// - the latencies and the throughput of the main routes,
// - the route of an asset, compared with a bare Worker that does the same database work.
//
//   node tests/load/api.mjs
//
// Reports its progress on standard error, and prints the figures as JSON on standard output: milliseconds, and answers per second.
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Host } from "../demo/host.mjs";
import { Sender } from "../support/sender.mjs";
import { startServer } from "../support/server.mjs";
import { certified } from "./certified.mjs";
import { alternate, close, dataOf, latency, quantile, send, succeed, throughput } from "./measure.mjs";
import { seed } from "./seed.mjs";

const DIST = fileURLToPath(new URL("../../edge-api/dist", import.meta.url));
const SIZES = { small: 1_000, large: 100_000 };
const SETTINGS = {
  ENVIRONMENT: "development",
  DEPOSITS: "test",
  ALLOW_PRIVATE_FETCH: "true",
  BADGE_CACHE_SECONDS: "3600",
  RATE_LIMIT_ADDRESS: "off",
  RATE_LIMIT_ACCOUNT: "off",
};
/** The value of `skip` for the page whose cursor leads to a deep page. It is the maximum of `skip` in the large ledger, and the middle of the small one. */
const DEEP = { small: 500, large: 10_000 };
/** The number of samples of each query, on each ledger. */
const SAMPLES = 300;
/** The number of latency samples of each route, and the concurrency and duration of its throughput measurement. */
const ROUTE_SAMPLES = 200;
const LOAD = { atOnce: 16, seconds: 2 };
/** The number of throughput measurements of the service, and of the bare Worker. A single measurement is unreliable if other programs also run. */
const BARE_ROUNDS = 5;
/** The numbers of orders for the latencies, and for the throughput. */
const ORDERS = { alone: 60, together: 200 };

const say = (text) => process.stderr.write(`${text}\n`);

/** Sets up a service with three ledgers. The ledger `orders` gets a certified asset, whose public metadata `host` serves. Returns the ledgers. */
async function build(state, host, issuer) {
  const server = await startServer({ vars: SETTINGS, state, dist: DIST, quiet: true });
  try {
    await issuer.connect(server.url);
    await issuer.client.createDeposit(10_000_000);
    const { imprint, deployment } = await certified(host);
    const ledger = (name) => issuer.deploy({ name, ...deployment });
    const ledgers = { small: await ledger("small"), large: await ledger("large"), orders: await ledger("orders") };
    const order = await issuer.creation(ledgers.orders.ledgerId, "1", imprint, issuer.id);
    const { ref } = dataOf(await succeed(`${issuer.url}/orders`, { method: "POST", headers: issuer.headers, body: JSON.stringify(order) }));
    await issuer.client.waitForOrder(ref, { interval: 50 });
    return ledgers;
  } finally {
    await server.stop();
  }
}

/** Returns the queries to compare, by name. Each is a function of the ledger's size and the round, and returns the end of the query's address. */
async function waysToAsk(url, headers, ledgers) {
  const of = (size) => `${url}/ledgers/${ledgers[size].ledgerRef}/assets`;
  const middle = {};
  for (const size of Object.keys(SIZES)) {
    for (const sort of [1, 2]) {
      const answer = await succeed(`${of(size)}?sort=${sort}&limit=1&skip=${DEEP[size]}`, { headers });
      middle[size + sort] = JSON.parse(answer.body).meta.next;
    }
  }
  const ids = (size, round) => Array.from({ length: 20 }, (_, n) => 1 + ((round * 7919 + n * 104_729) % SIZES[size])).join(",");
  return {
    "first page": () => "?limit=25",
    "first page, oldest first": () => "?limit=25&sort=1",
    "page behind a cursor": (size) => `?limit=25&after=${middle[`${size}2`]}`,
    "page behind a cursor, oldest first": (size) => `?limit=25&sort=1&after=${middle[`${size}1`]}`,
    "one asset": (size, round) => `/${1 + ((round * 7919) % SIZES[size])}`,
    "list of twenty ids": (size, round) => `?filterIds=${ids(size, round)}`,
  };
}

/** Compares the times of the large and the small ledger, for each query. */
async function compare(url, headers, ledgers) {
  const ways = await waysToAsk(url, headers, ledgers);
  const comparisons = [];
  for (const [name, query] of Object.entries(ways)) {
    say(`  ${name}`);
    const ask = (size) => (round) => succeed(`${url}/ledgers/${ledgers[size].ledgerRef}/assets${query(size, round)}`, { headers });
    const both = { small: ask("small"), large: ask("large") };
    await alternate(both, 20);
    const times = await alternate(both, SAMPLES);
    const [small, large] = [quantile(times.small, 0.5), quantile(times.large, 0.5)];
    comparisons.push({ name, small, large, ratio: large / small });
  }
  return comparisons;
}

/** Measures the latencies of the reading routes in turns, and then the throughput of each route. */
async function read(url, headers, { small, orders }) {
  const ledger = `${url}/ledgers/${small.ledgerRef}`;
  const paths = {
    "GET /health": `${url}/health`,
    "GET /account": `${url}/account`,
    "GET /ledgers/…": ledger,
    "GET /ledgers/…/assets/…": `${ledger}/assets/1`,
    "GET /ledgers/…/assets": `${ledger}/assets`,
    "GET /badge, cached": `${url}/badge?ledgerId=${orders.ledgerId}&assetId=1`,
  };
  const badge = await send(`${url}/badge.json?ledgerId=${orders.ledgerId}&assetId=1`);
  if (badge.status !== 200 || !dataOf(badge).valid) throw new Error(`the badge is not valid: ${badge.body}`);
  const calls = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => succeed(path, { headers })]));
  await alternate(calls, 20);
  const times = await alternate(calls, ROUTE_SAMPLES);
  const routes = [];
  for (const [name, call] of Object.entries(calls)) {
    say(`  ${name}`);
    routes.push({ name, ...latency(times[name]), perSecond: await throughput(call, LOAD) });
  }
  return routes;
}

/** Measures the route of an asset in the service and in a bare Worker, in turns. The bare Worker runs on `state`, a copy of the database. */
async function besideBare(url, headers, account, state, { small }) {
  const dist = await mkdtemp(path.join(tmpdir(), "assay-bare-"));
  let bare;
  try {
    await cp(new URL("./bare/", import.meta.url), dist, { recursive: true });
    await mkdir(path.join(dist, "assets"));
    bare = await startServer({ vars: { ...SETTINGS, ACCOUNT: account.toLowerCase() }, state, dist, quiet: true });
    const asset = `/ledgers/${small.ledgerRef}/assets/1`;
    const calls = { service: () => succeed(`${url}${asset}`, { headers }), bare: () => succeed(`${bare.url}${asset}`, { headers }) };
    const [one, other] = [dataOf(await calls.service()), dataOf(await calls.bare())];
    if (one.imprint !== other.imprint || one.uri !== other.uri) throw new Error("the bare Worker answers something else");
    await alternate(calls, 50);
    const times = await alternate(calls, SAMPLES);
    const perSecond = { service: [], bare: [] };
    for (let round = 0; round < BARE_ROUNDS; round++) {
      for (const [name, call] of Object.entries(calls)) perSecond[name].push(await throughput(call, LOAD));
    }
    const figures = (name) => ({ ...latency(times[name]), perSecond: quantile(perSecond[name], 0.5) });
    return { service: figures("service"), bare: figures("bare") };
  } finally {
    await bare?.stop();
    await rm(dist, { recursive: true, force: true });
  }
}

/** Measures orders from their creation until they are performed, and the signing of orders. Sends them one after another, and then many at the same time. */
async function write(url, issuer, { orders }) {
  const { headers } = issuer;
  let asset = 1;
  const bodies = async (count, change = (body) => body) => {
    const made = [];
    for (let n = 0; n < count; n++) {
      made.push(change(await issuer.creation(orders.ledgerId, String(++asset), "0".repeat(64), issuer.id)));
    }
    return made;
  };
  const post = async (body) => succeed(`${url}/orders`, { method: "POST", headers, body: JSON.stringify(body) });
  const unfinished = async () => JSON.parse((await succeed(`${url}/orders?statuses=1,2,5&limit=1`, { headers })).body).meta.total;

  say("  POST /orders");
  const [created, performed] = [[], []];
  for (const body of await bodies(ORDERS.alone)) {
    const started = performance.now();
    const answer = await post(body);
    created.push(answer.ms);
    const { ref } = dataOf(answer);
    for (let status = 0; status !== 7; ) {
      status = dataOf(await succeed(`${url}/orders/${ref}`, { headers })).status;
      if (status === 4 || status === 6) throw new Error(`order ${ref} ended with status ${status}`);
    }
    performed.push(performance.now() - started);
  }
  const together = await bodies(ORDERS.together);
  const started = performance.now();
  const perSecond = await throughput((n) => post(together[n]), { ...LOAD, seconds: Infinity, limit: together.length });
  while ((await unfinished()) > 0);
  const finishedPerSecond = (together.length * 1000) / (performance.now() - started);

  say("  PUT /orders/…/sign");
  const waiting = [];
  const unsigned = (body) => {
    const claim = body.order.signers[0].claim;
    body.order.signers[0].claim = "";
    return { body: { ...body, automatedPerform: false }, claim };
  };
  for (const { body, claim } of await bodies(ORDERS.alone + ORDERS.together, unsigned)) waiting.push({ ref: dataOf(await post(body)).ref, claim });
  const sign = ({ ref, claim }) => succeed(`${url}/orders/${ref}/sign`, { method: "PUT", headers, body: JSON.stringify({ claim }) });
  const signed = [];
  for (const one of waiting.splice(0, ORDERS.alone)) signed.push((await sign(one)).ms);
  const signedPerSecond = await throughput((n) => sign(waiting[n]), { ...LOAD, seconds: Infinity, limit: waiting.length });
  return [
    { name: "POST /orders", ...latency(created), perSecond },
    { name: "POST /orders, until performed", ...latency(performed), perSecond: finishedPerSecond },
    { name: "PUT /orders/…/sign", ...latency(signed), perSecond: signedPerSecond },
  ];
}

async function main() {
  const base = await mkdtemp(path.join(tmpdir(), "assay-load-"));
  const [state, copy] = ["state", "copy"].map((name) => path.join(base, name));
  const host = await Host.start();
  const issuer = await Sender.of();
  let server;
  try {
    say("building ledgers");
    const ledgers = await build(state, host, issuer);
    const counts = Object.entries(SIZES).map(([size, count]) => [ledgers[size].ledgerId, count]);
    await seed({ dist: DIST, state, ledgers: counts, owner: issuer.id, progress: (text) => say(`  ${text}`) });
    await cp(state, copy, { recursive: true });
    server = await startServer({ vars: SETTINGS, state, dist: DIST, quiet: true });
    const { headers } = await issuer.connect(server.url);
    say("beside a bare Worker");
    const beside = await besideBare(server.url, headers, issuer.id, copy, ledgers);
    say(`${SIZES.large} assets against ${SIZES.small}`);
    const comparisons = await compare(server.url, headers, ledgers);
    say("routes");
    const routes = [...(await read(server.url, headers, ledgers)), ...(await write(server.url, issuer, ledgers))];
    const machine = { cores: availableParallelism(), load: loadavg()[0] };
    process.stdout.write(`${JSON.stringify({ machine, sizes: SIZES, comparisons, routes, beside })}\n`);
  } finally {
    close();
    await server?.stop();
    await host.stop();
    await rm(base, { recursive: true, force: true });
  }
}

await main();
