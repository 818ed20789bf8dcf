// Measures the Worker in workerd on a chain that makes a block each second: the blocks until all orders are final, and the requests to the
// chain's providers.
//
//   node tests/chain/load.mjs [--orders N]
//
// Each order creates an asset and pays for it. Prints the figures. Fails if a figure exceeds its bound:
//
// - Blocks after the last order was accepted: the number of blocks that the gas of all orders fills, plus the confirmations, plus 5.
// - Calls to providers: 6 for each order.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { CONFIRMATIONS, World } from "./world.mjs";
import { Sender } from "../support/sender.mjs";
import { keepFigures, printTable } from "../support/figures.mjs";

/** The number of orders that are sent at the same time. */
const AT_ONCE = 16;
/** The bounds: the additional blocks, and the calls for each order. */
const [EXTRA_BLOCKS, CALLS] = [5, 6];
/** Maximum number of blocks of the whole run. */
const BLOCKS = 600;
const ZERO = "0".repeat(64);

const { values } = parseArgs({ options: { orders: { type: "string", default: "500" } } });
const count = Number(values.orders);
if (!Number.isSafeInteger(count) || count < 1) throw new Error("`--orders` must be a whole number of 1 or more");
const say = (text) => process.stderr.write(`${text}\n`);

// As on the platform, the scheduled run comes once a minute. `INFLIGHT` is higher than its default, because a block has room for about 110
// orders. So is `FAILED_GAS_MAX`, because one account creates all orders: by default, about 65 of its orders wait for a block at a time.
const world = await World.start({
  mining: ["--block-time", "1"],
  vars: { BLOCK_SECONDS: "1", INFLIGHT: "250", FAILED_GAS_MAX: "1000000000", CONFIRMATIONS: `${CONFIRMATIONS}` },
  hasMulticall: true,
  sweepEvery: 60,
});
try {
  const issuer = await world.sender(1_000_000n);
  const { ledgerId } = await world.deploy(issuer);
  const receiver = (await Sender.of()).id;
  say(`signing ${count} orders`);
  const bodies = [];
  for (let id = 1; id <= count; id++) bodies.push(JSON.stringify(await issuer.creation(ledgerId, `${id}`, ZERO, receiver)));
  const statuses = async () => {
    const total = async (list) => {
      const response = await fetch(`${issuer.url}/orders?statuses=${list}&limit=1`, { headers: issuer.headers });
      return (await response.json()).meta.total;
    };
    return { final: await total("7"), failed: await total("4,5,6") };
  };

  for (const proxy of world.proxies) proxy.reset();
  const first = await world.head();
  const started = performance.now();
  const since = () => (performance.now() - started) / 1000;
  let next = 0;
  const lane = async () => {
    while (next < bodies.length) {
      const body = bodies[next++];
      const response = await fetch(`${issuer.url}/orders`, { method: "POST", headers: issuer.headers, body });
      if (response.status !== 201) throw new Error(`an order was refused: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const [accepted, acceptedBlock] = [since(), await world.head()];
  say(`accepted ${count} orders in ${accepted.toFixed(1)} s, ${acceptedBlock - first} blocks`);
  let seen = await statuses();
  for (let shown = 0; seen.final + seen.failed < count && (await world.head()) < first + BLOCKS; await sleep(500)) {
    seen = await statuses();
    if (seen.final > shown) say(`  ${since().toFixed(1)} s: ${(shown = seen.final)} final`);
  }
  const [done, lastBlock] = [since(), await world.head()];
  if (seen.final !== count) throw new Error(`not all orders are final: ${JSON.stringify(seen)}\n${world.server.log().slice(-5_000)}`);
  const { requests, calls } = world.asked();
  const callCount = Object.values(calls).reduce((sum, times) => sum + times, 0);

  const { gas, used, gasLimit } = await performed(first, lastBlock);
  const needed = Math.ceil((gas * count) / gasLimit);
  const bound = needed + CONFIRMATIONS + EXTRA_BLOCKS;
  const figures = {
    orders: count,
    seconds: { accepted, all: done },
    blocks: { accepted: acceptedBlock - first, all: lastBlock - first, afterAcceptance: lastBlock - acceptedBlock, withOrders: used, needed, bound },
    gas: { perOrder: gas, perBlock: gasLimit },
    requestsPerOrder: requests / count,
    callsPerOrder: callCount / count,
    calls,
  };
  const { seconds, blocks } = figures;
  printTable(
    ["measured", "value"],
    [
      ["orders", count],
      ["until all were accepted", `${seconds.accepted.toFixed(1)} s`],
      ["until all were final", `${seconds.all.toFixed(1)} s`],
      ["blocks until all were final", blocks.all],
      ["blocks after the last was accepted", blocks.afterAcceptance],
      ["  bound", blocks.bound],
      ["blocks that performed orders", blocks.withOrders],
      ["  needed for the gas", blocks.needed],
      ["gas of an order", gas],
      ["gas of a block", gasLimit],
      ["HTTP requests to providers, per order", figures.requestsPerOrder.toFixed(2)],
      ["JSON-RPC calls, per order", figures.callsPerOrder.toFixed(1)],
    ],
  );
  await keepFigures(figures);
  const failures = [];
  if (figures.blocks.afterAcceptance > bound) failures.push(`${figures.blocks.afterAcceptance} blocks after the last order was accepted, more than ${bound}`);
  if (figures.callsPerOrder > CALLS) failures.push(`${figures.callsPerOrder.toFixed(1)} calls for each order, more than ${CALLS}`);
  if (failures.length > 0) throw new Error(failures.join("; "));
} finally {
  await world.stop();
}

/** Returns the mean gas of the relayer's transactions in these blocks, the number of blocks with such transactions, and a block's gas limit. */
async function performed(from, to) {
  const { relayer } = world.ready;
  let [gas, transactions, used, gasLimit] = [0, 0, 0, 0];
  for (let number = from + 1; number <= to; number++) {
    const quantity = `0x${number.toString(16)}`;
    const [block, receipts] = await Promise.all([world.node.call("eth_getBlockByNumber", quantity, false), world.node.call("eth_getBlockReceipts", quantity)]);
    gasLimit = Number(block.gasLimit);
    const own = receipts.filter(({ from: sender }) => sender.toLowerCase() === relayer.toLowerCase());
    if (own.length > 0) used += 1;
    transactions += own.length;
    gas += own.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0);
  }
  if (transactions !== count) throw new Error(`${transactions} transactions performed ${count} orders`);
  return { gas: Math.round(gas / transactions), used, gasLimit };
}
