// Measures how long a service with an empty database takes to index a ledger from the chain. Also counts its requests to the chain's providers.
//
//   node tests/chain/cold.mjs [--assets N]
//
// The assets are created on the contract, without the service. Prints the figures. Fails if the new service does
// not list all assets.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ABI } from "./contracts.mjs";
import { CONFIRMATIONS, World } from "./world.mjs";
import { Sender } from "../support/sender.mjs";
import { keepFigures, printTable } from "../support/figures.mjs";

/** The number of calls in one request to the node. */
const AT_ONCE = 200;
/** The gas limit of a block. */
const BLOCK_GAS = 300_000_000;
/** The time limit of the indexing, in minutes. */
const MINUTES = 30;

const { values } = parseArgs({ options: { assets: { type: "string", default: "100000" } } });
const count = Number(values.assets);
if (!Number.isSafeInteger(count) || count < 1) throw new Error("`--assets` must be a whole number of 1 or more");
const say = (text) => process.stderr.write(`${text}\n`);

/** Sends calls to the node in one request. */
async function batch(url, calls) {
  const body = calls.map(([method, ...params], id) => ({ jsonrpc: "2.0", id, method, params }));
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const answers = await response.json();
  const failed = answers.find(({ error }) => error);
  if (failed) throw new Error(failed.error.message);
}

// Public providers charge for each call, and their chains have Multicall3.
const world = await World.start({ hasMulticall: true });
try {
  const { url, accounts } = world.ready;
  const issuer = await (await Sender.of(Buffer.from(accounts[0].privateKey.slice(2), "hex"))).connect(world.server.url);
  const { ledgerId } = await world.deploy(issuer);
  const receivers = accounts.slice(1, 4).map(({ address }) => address);
  const creation = (id) => ({ from: issuer.id, to: ledgerId, data: ABI.ledger.encodeFunctionData("create", [receivers[id % receivers.length], id, `0x${id.toString(16).padStart(64, "0")}`]) });
  // A later creation needs more gas: it also stores the asset's indexes in two lists. For the first asset, both indexes are 0.
  const gas = Number(await world.node.call("eth_estimateGas", creation(1))) + 50_000;
  // The node keeps a state in memory for each block. The chain therefore has few blocks, as large as those of layer 2 chains.
  await world.node.call("evm_setBlockGasLimit", `0x${BLOCK_GAS.toString(16)}`);
  const perBlock = Math.floor(BLOCK_GAS / gas);
  let nonce = Number(await world.node.call("eth_getTransactionCount", issuer.id, "latest"));
  for (let id = 1; id <= count; ) {
    const last = Math.min(count, id + perBlock - 1);
    while (id <= last) {
      const calls = [];
      for (; id <= last && calls.length < AT_ONCE; id++) calls.push(["eth_sendTransaction", { ...creation(id), gas: `0x${gas.toString(16)}`, nonce: `0x${(nonce++).toString(16)}` }]);
      await batch(url, calls);
    }
    // Resets the base fee, because each full block raises it.
    await world.node.call("anvil_setNextBlockBaseFeePerGas", "0x3b9aca00");
    await world.mine();
    say(`created ${last} assets`);
  }
  await world.mine(CONFIRMATIONS + 1);
  const supply = await world.view(ledgerId, "ledger", "totalSupply", []);
  assert.equal(supply, BigInt(count), "not every transaction created its asset");

  for (const proxy of world.proxies) proxy.reset();
  const head = await world.head();
  const started = performance.now();
  const second = await world.second();
  try {
    // Unlike `/health`, the list needs no provider, so waiting causes no calls.
    const url = new URL(`/ledgers/${ledgerId}/assets?limit=1`, second.url);
    const listed = async () => (await (await fetch(url, { headers: issuer.headers })).json()).meta?.total ?? 0;
    let shown = 0;
    for (const end = Date.now() + MINUTES * 60_000; ; await sleep(250)) {
      const found = await listed();
      if (found === count) break;
      if (Date.now() > end) throw new Error(`after ${MINUTES} minutes, ${found} of ${count} assets are indexed\n${second.log().slice(-5_000)}`);
      if (found > shown + count / 20) say(`  ${((performance.now() - started) / 1000).toFixed(1)} s: ${(shown = found)} assets`);
    }
    const seconds = (performance.now() - started) / 1000;
    const { requests, calls } = world.asked();
    const shownCalls = Object.entries(calls).map(([method, times]) => [`calls of ${method}`, times]);
    printTable(
      ["measured", "value"],
      [
        ["assets", count],
        ["blocks", head],
        ["until all were indexed", `${seconds.toFixed(1)} s`],
        ["assets per second", (count / seconds).toFixed(0)],
        ["HTTP requests to providers", requests],
        ...shownCalls,
      ],
    );
    await keepFigures({ assets: count, blocks: head, seconds, requests, calls });
  } finally {
    await second.stop();
  }
} finally {
  await world.stop();
}
