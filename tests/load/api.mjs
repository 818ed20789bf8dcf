// Measures the release build of the Worker in workerd, with its database on disk:
// - the latencies of queries on a ledger with 100,000 assets, compared with a ledger of 1,000 assets,
// - the latencies and the throughput of the main routes, with their work in the database,
// - the route of an asset, compared with a bare Worker that does the same database work,
// - the first answer of a new isolate, compared with the bare Worker.
//
//   node tests/load/api.mjs
//
// Reports its progress on standard error, and prints the figures: milliseconds, and answers per second.
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Host } from "../demo/host.mjs";
import { Sender } from "../support/sender.mjs";
import { startServer } from "../support/server.mjs";
import { certified } from "./certified.mjs";
import { countRoutes } from "./counts.mjs";
import { firstAnswers } from "./first.mjs";
import { alternate, close, dataOf, latency, quantile, send, succeed, throughput } from "./measure.mjs";
import { seed } from "./seed.mjs";
import { keepFigures, note, printTable } from "../support/figures.mjs";

/** The maximum ratio of a request's time on a large ledger to its time on a small one. */
const RATIO_MAX = 1.5;
/** The bounds for an asset's route, compared with a bare Worker that does the same work: the maximum ratio of median latencies, and the minimum ratio of answers per second. */
const BESIDE_BARE = { latency: 1.15, rate: 0.95 };
/** The maximum ratio of the median latency of a cached badge to that of a ledger. Both take one statement. `GET /health` caches its statement for a second. */
const BADGE_BESIDE_LEDGER = 1.5;

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

/** Measures the route of an asset in the service and in a bare Worker, in turns. The bare Worker runs on `state`, a copy of the database. For their first answers, the service runs on `another` copy. */
async function besideBare(url, headers, account, state, another, { small }) {
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
    await bare.stop();
    bare = undefined;
    say("first answers");
    const first = await firstAnswers({ service: { vars: SETTINGS, state: another, dist: DIST }, bare: { vars: { ...SETTINGS, ACCOUNT: account.toLowerCase() }, state, dist } }, asset, headers);
    return { service: figures("service"), bare: figures("bare"), first };
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
    return { body, claim };
  };
  for (const { body, claim } of await bodies(ORDERS.alone + ORDERS.together, unsigned)) waiting.push({ ref: dataOf(await post(body)).ref, claim });
  const sign = ({ ref, claim }) => succeed(`${url}/orders/${ref}/sign`, { method: "PUT", headers, body: JSON.stringify({ claim }) });
  const signed = [];
  for (const one of waiting.splice(0, ORDERS.alone)) signed.push((await sign(one)).ms);
  const signedPerSecond = await throughput((n) => sign(waiting[n]), { ...LOAD, seconds: Infinity, limit: waiting.length });
  return [
    { name: "POST /orders", ...latency(created), perSecond },
    { name: "POST /orders, until final", ...latency(performed), perSecond: finishedPerSecond },
    { name: "PUT /orders/…/sign, until final", ...latency(signed), perSecond: signedPerSecond },
  ];
}

const ms = (time) => time.toFixed(2);

/** Prints the figures. Fails if a large ledger is too slow. Only prints a note if the service is too slow beside a bare Worker. */
function show(comparisons, routes, work, { service, bare, first }) {
  printTable(
    ["100,000 assets against 1,000, median ms", "1,000", "100,000", "ratio"],
    comparisons.map(({ name, small, large, ratio }) => [name, ms(small), ms(large), ms(ratio)]),
  );
  printTable(
    ["route, ms", "p50", "p95", "p99", "answers/s, 16 at once"],
    routes.map(({ name, p50, p95, p99, perSecond }) => [name, ms(p50), ms(p95), ms(p99), perSecond.toFixed(0)]),
  );
  const sum = ({ before, after }, name) => String(before[name] + after[name]);
  printTable(
    ["work in the database, with the log and messages", "batches before the answer", "batches", "statements", "rows read", "rows written"],
    work.map((count) => [count.name, String(count.before.batches), ...["batches", "statements", "read", "written"].map((name) => sum(count, name))]),
  );
  const speeds = [
    ["service", service],
    ["bare Worker", bare],
  ].map(([name, { p50, p95, perSecond }]) => [name, ms(p50), ms(p95), perSecond.toFixed(0)]);
  const [latency, rate] = [service.p50 / bare.p50, service.perSecond / bare.perSecond];
  printTable(["GET /ledgers/…/assets/…, ms", "p50", "p95", "answers/s, 16 at once"], [...speeds, ["service / bare", ms(latency), ms(service.p95 / bare.p95), ms(rate)]]);
  printTable(
    ["first answer of a new isolate, median ms", "with the start of the process", "alone", "the next answer"],
    Object.entries(first).map(([name, taken]) => [name, ms(taken.ms), ms(taken.first), ms(taken.next)]),
  );
  note("Latencies were measured with one request at a time.");
  if (latency > BESIDE_BARE.latency || rate < BESIDE_BARE.rate) {
    note(`The service is too slow: its median may be at most ${BESIDE_BARE.latency} times that of a bare Worker, and its answers per second at least ${BESIDE_BARE.rate} times.`);
  }
  const [badge, ledger] = ["GET /badge, cached", "GET /ledgers/…"].map((name) => routes.find((route) => route.name === name).p50);
  if (badge > BADGE_BESIDE_LEDGER * ledger) note(`A cached badge is too slow: its median is ${ms(badge / ledger)} times that of GET /ledgers/…, and may be at most ${BADGE_BESIDE_LEDGER} times.`);
  const slow = comparisons.filter(({ ratio }) => ratio > RATIO_MAX).map(({ name }) => name);
  if (slow.length > 0) throw new Error(`a large ledger takes more than ${RATIO_MAX} times as long: ${slow.join(", ")}`);
}

async function main() {
  const base = await mkdtemp(path.join(tmpdir(), "assay-load-"));
  const [state, copy, another] = ["state", "copy", "another"].map((name) => path.join(base, name));
  const host = await Host.start();
  const issuer = await Sender.of();
  let server;
  try {
    say("building ledgers");
    const ledgers = await build(state, host, issuer);
    const counts = Object.entries(SIZES).map(([size, count]) => [ledgers[size].ledgerId, count]);
    await seed({ dist: DIST, state, ledgers: counts, owner: issuer.id, progress: (text) => say(`  ${text}`) });
    for (const folder of [copy, another]) await cp(state, folder, { recursive: true });
    server = await startServer({ vars: SETTINGS, state, dist: DIST, quiet: true });
    const { headers } = await issuer.connect(server.url);
    say("beside a bare Worker");
    const beside = await besideBare(server.url, headers, issuer.id, copy, another, ledgers);
    say(`${SIZES.large} assets against ${SIZES.small}`);
    const comparisons = await compare(server.url, headers, ledgers);
    say("routes");
    const routes = [...(await read(server.url, headers, ledgers)), ...(await write(server.url, issuer, ledgers))];
    await server.stop();
    server = undefined;
    say("work in the database");
    const work = await countRoutes(DIST, { say });
    const machine = { cores: availableParallelism(), load: loadavg()[0] };
    await keepFigures({ machine, sizes: SIZES, comparisons, routes, work, beside });
    show(comparisons, routes, work, beside);
  } finally {
    close();
    await server?.stop();
    await host.stop();
    await rm(base, { recursive: true, force: true });
  }
}

await main();
