// Attacks on a service whose ledger is on a chain: by accounts that write logs and send orders, and by providers that lie.
//
//   node tests/chain/hostile.mjs [--short] [NAME…]
//
// `cargo xtask bench chain-hostile` runs all attacks, or only the named ones. `--short` runs them at small sizes. Reports the progress on
// standard error, and prints every bound with the measured value. Fails if a bound does not hold.
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ABI } from "./contracts.mjs";
import { CONFIRMATIONS, World } from "./world.mjs";
import { HEAP_MEGABYTES, ISOLATE_BYTES, atMost, common, exactly } from "../hostile/bounds.mjs";
import { watched } from "../hostile/watch.mjs";
import { showBounds } from "../hostile/shown.mjs";

/** The sizes of the attacks: the number of logs in a block, and the bytes of a provider's answer. */
export const SIZES = { full: { logs: 112_000, bytes: 16 << 20 }, short: { logs: 14_000, bytes: 4 << 20 } };

const IMPRINT = "0".repeat(64);
/** The maximum gas of a transaction (EIP-7825), and gas that a transaction needs in addition to its calls. */
const [TX_GAS, TX_BASE] = [16_777_216, 100_000];

/**
 * The code of a contract whose call data is an address, a number and the data of a call. It makes this call to the address as many times as
 * the number says.
 */
const REPEATER = "0x60298060095f395ff3366040900360405f376020355b80156027575f5f36604090035f5f5f355af15060019003600c565b00";
/** The code of a contract that accepts assets while the first word of its storage is zero. Otherwise it uses up all gas. */
const SWITCHED = "0x5f5460135763150b7a0260e01b5f5260205ff35bfe";

const word = (value) => BigInt(value).toString(16).padStart(64, "0");
const quantity = (number) => `0x${number.toString(16)}`;

/** Repeats a call in one block until there are at least `count` logs. Returns the number of transactions. */
async function flood(world, target, data, count) {
  const from = world.ready.accounts[0].address;
  const { contractAddress: to } = await world.transact({ from, data: REPEATER });
  const repeated = (times) => `0x${word(target)}${word(times)}${data.slice(2)}`;
  const gas = async (times) => Number(await world.node.call("eth_estimateGas", { from, to, data: repeated(times) }));
  const [few, many] = [await gas(100), await gas(300)];
  const each = Math.ceil((many - few) / 200);
  const most = Math.floor((TX_GAS - few - TX_BASE) / each);
  await world.node.call("evm_setBlockGasLimit", quantity(Math.ceil((count / most + 1) * TX_GAS)));
  let sent = 0;
  for (let left = count; left > 0; left -= most, sent++) {
    await world.node.call("eth_sendTransaction", { from, to, gas: quantity(TX_GAS), data: repeated(Math.min(left, most)) });
  }
  await world.node.call("anvil_setNextBlockBaseFeePerGas", "0x3b9aca00");
  await world.mine();
  const block = await world.node.call("eth_getBlockByNumber", "latest", false);
  if (block.transactions.length !== sent) throw new Error(`the block has ${block.transactions.length} of ${sent} transactions`);
  const receipts = await world.node.call("eth_getBlockReceipts", "latest");
  const logs = receipts.reduce((sum, { logs }) => sum + logs.length, 0);
  if (logs < count) throw new Error(`the block has ${logs} logs`);
  return sent;
}

/** Sends an order, and makes blocks until it is final. Returns its status. */
async function performed(world, issuer, ledgerId, id) {
  const body = await issuer.creation(ledgerId, `${id}`, IMPRINT, issuer.id);
  const made = await world.request("POST", "/orders", issuer.headers, JSON.stringify(body));
  const status = async () => (await issuer.get(`/orders/${made.ref}`)).status;
  await world.until(async () => (await status()) === 7);
  return status();
}

/** Runs an attack on a new service with a ledger. */
async function inWorld(options, attack) {
  const world = await World.start(options);
  try {
    const issuer = await world.sender();
    const { ledgerId } = await world.deploy(issuer);
    return await attack(world, issuer, ledgerId);
  } finally {
    await world.stop();
  }
}

/** Floods a block with logs of one call, and lets the service index the block. */
const floods =
  (call) =>
  ({ logs }) =>
    inWorld({ hasMulticall: true, heapMegabytes: HEAP_MEGABYTES }, async (world, issuer, ledgerId) => {
      const { target, data } = call(world, ledgerId);
      const sent = await flood(world, target, data, logs);
      process.stderr.write(`    ${logs} logs in ${sent} transactions\n`);
      for (const proxy of world.proxies) proxy.reset();
      const result = await watched(world.server, async () => {
        await world.indexed();
        const { requests } = world.asked();
        return { requests, status: await performed(world, issuer, ledgerId, 1) };
      });
      return [
        exactly("status of a later order", result.status, 7, ""),
        atMost("requests to providers until the block was indexed", result.requests, 400, "requests"),
        ...common(result, ISOLATE_BYTES),
      ];
    });

/** Returns an answer of about `bytes` bytes that repeats `value` in a list. */
function answer(bytes, value) {
  const list = `[${`${value},`.repeat(Math.floor(bytes / (value.length + 1)))}${value}]`;
  return { status: 200, type: "application/json", body: `[{"jsonrpc":"2.0","id":0,"result":{"list":{"list":${list}}}}]` };
}

export const ATTACKS = {
  "a block with very many approvals by a stranger": floods((_world, ledgerId) => ({
    target: ledgerId,
    data: ABI.ledger.encodeFunctionData("setApprovalForAll", [`0x${"11".repeat(20)}`, true]),
  })),
  "a block with very many payments of nothing": floods((world) => ({
    target: world.ready.addresses.token,
    data: ABI.token.encodeFunctionData("transfer", [world.ready.paymentReceiver, 0]),
  })),
  "nine large answers of a provider at the same time": ({ bytes }) =>
    inWorld({ hasMulticall: true, heapMegabytes: HEAP_MEGABYTES }, async (world, issuer, ledgerId) => {
      await performed(world, issuer, ledgerId, 1);
      const result = await watched(world.server, async () => {
        for (const value of ["0", "[]", '{"a":0}', '"0x00"']) {
          world.proxies[0].faults = { answer: answer(bytes, value) };
          const asked = Array.from({ length: 9 }, (_, index) =>
            fetch(`${issuer.url}/ledgers/${ledgerId}/assets/${(index % 3) + 1}`, { headers: issuer.headers }).then((response) => response.arrayBuffer()),
          );
          await Promise.all(asked);
          await world.mine();
          await world.sweep();
        }
        world.proxies[0].faults = {};
        return { status: await performed(world, issuer, ledgerId, 2) };
      });
      return [exactly("status of a later order", result.status, 7, ""), ...common(result, ISOLATE_BYTES)];
    }),
  "orders whose receiver uses up all gas in the block": () =>
    inWorld({ hasMulticall: true, vars: { FAILED_GAS_MAX: "1000000" } }, async (world, issuer, ledgerId) => {
      const receiver = `0x${"33".repeat(20)}`;
      await world.node.call("anvil_setCode", receiver, SWITCHED);
      const switched = (value) => world.node.call("anvil_setStorageAt", receiver, `0x${word(0)}`, `0x${word(value)}`);
      for (let id = 1; id <= 8; id++) await performed(world, issuer, ledgerId, id);
      const balance = async () => BigInt(await world.node.call("eth_getBalance", world.ready.relayer, "latest"));
      const nonce = async () => Number(await world.node.call("eth_getTransactionCount", world.ready.relayer, "latest"));
      const [before, first] = [await balance(), await nonce()];
      let refused = 0;
      const orders = [];
      for (let id = 1; id <= 8; id++) {
        await switched(0);
        const actions = [{ kind: 2, assetLedgerId: ledgerId, id: `${id}`, senderId: issuer.id, receiverId: receiver }];
        const order = { actions, signersIds: [issuer.id], payerId: issuer.id, wildcardSigner: false, automatedPerform: true };
        const { body } = await issuer.made((client) => client.createOrder(order, 2));
        const response = await fetch(`${issuer.url}/orders`, { method: "POST", headers: issuer.headers, body });
        const { data } = await response.json();
        if (response.status === 422) refused += 1;
        else orders.push(data.ref);
        await world.sweep();
        await switched(1);
        await world.mine(CONFIRMATIONS + 1);
        await world.sweep();
      }
      let used = 0;
      const head = await world.head();
      for (let number = 0; number <= head; number++) {
        const receipts = await world.node.call("eth_getBlockReceipts", quantity(number));
        const own = receipts.filter(({ from, status }) => from.toLowerCase() === world.ready.relayer.toLowerCase() && status === "0x0");
        used += own.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0);
      }
      process.stderr.write(`    ${(await nonce()) - first} transactions, ${before - (await balance())} wei\n`);
      return [
        atMost("gas of failed transactions", used, 1_000_000, "gas"),
        exactly("orders that were neither sent nor refused", 8 - refused - orders.length, 0, "orders"),
        exactly("an order was refused", refused > 0, true, ""),
      ];
    }),
  "requests that cause calls to providers": () =>
    inWorld({}, async (world, issuer, ledgerId) => {
      await performed(world, issuer, ledgerId, 1);
      const count = async (act) => {
        for (const proxy of world.proxies) proxy.reset();
        await act();
        return world.proxies.reduce((sum, { callCount }) => sum + callCount, 0);
      };
      const page = (path) => fetch(`${issuer.url}${path}`).then((response) => response.arrayBuffer());
      const badge = `/badge.json?ledgerId=${ledgerId}&assetId=1`;
      const badges = await count(() => Promise.all(Array.from({ length: 20 }, () => page(badge))));
      const mixed = await count(async () => {
        for (let index = 0; index < 10; index++) await Promise.all([page(badge), page(`/c/${ledgerId}/1`)]);
      });
      const refused = async (sender, action) => {
        const receiver = (index) => `0x${(index + 1).toString(16).padStart(40, "0")}`;
        const actions = Array.from({ length: 99 }, (_, index) => ({ ...action(index), senderId: sender.id, receiverId: receiver(index) }));
        const order = { actions, signersIds: [sender.id], payerId: sender.id, wildcardSigner: false, automatedPerform: true };
        const { body } = await sender.made((client) => client.createOrder(order, 2));
        let status;
        const send = async () => {
          const response = await fetch(`${sender.url}/orders`, { method: "POST", headers: sender.headers, body });
          status = response.status;
          await response.arrayBuffer();
        };
        // A delayed message of the first order can run meanwhile, and its calls are counted as well. The order of every try is refused.
        const tries = [await count(send), await count(send), await count(send)];
        return { calls: Math.min(...tries), status };
      };
      const foreign = await refused(await world.sender(0n), (index) => ({ kind: 2, assetLedgerId: ledgerId, id: `${1_000 + index}` }));
      // Only the chain has the fact that the token does not allow these receivers.
      const unlisted = await refused(issuer, () => ({ kind: 3, valueLedgerId: world.ready.addresses.token, value: "0" }));
      return [
        atMost("calls for 20 badges of an asset at the same time", badges, 20, "calls"),
        atMost("calls for 10 badges and 10 pages of an asset", mixed, 40, "calls"),
        exactly("status of an order of 99 foreign assets", foreign.status, 422, ""),
        atMost("calls for this order", foreign.calls, 31, "calls"),
        exactly("status of an order of 99 payments to receivers that the token does not allow", unlisted.status, 422, ""),
        atMost("calls for this order of payments", unlisted.calls, 31, "calls"),
      ];
    }),
};

async function main() {
  const { values, positionals } = parseArgs({ options: { short: { type: "boolean" } }, allowPositionals: true });
  const names = positionals.length > 0 ? positionals : Object.keys(ATTACKS);
  const unknown = names.filter((name) => !(name in ATTACKS));
  if (unknown.length > 0) throw new Error(`there is no attack "${unknown[0]}"; there are "${Object.keys(ATTACKS).join('", "')}"`);
  const attacks = [];
  for (const name of names) {
    process.stderr.write(`  ${name}\n`);
    const bounds = await ATTACKS[name](values.short ? SIZES.short : SIZES.full).catch((error) => {
      // An attack that does not complete counts as a bound that does not hold.
      process.stderr.write(`${error.stack}\n`);
      return [{ what: `it ended with: ${error.message}`, value: 1, limit: 0, unit: "", holds: false }];
    });
    attacks.push({ name, bounds });
  }
  await showBounds(attacks);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
