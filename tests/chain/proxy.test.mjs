// Tests that a client sees each fault of the proxy except `delay`. Otherwise, tests of faults could pass although nothing failed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Interface, keccak256 } from "ethers";
import { ABI, Node, anvil } from "./contracts.mjs";
import { Proxy } from "./proxy.mjs";
import { startChain } from "../support/chain.mjs";

const skip = !anvil() && "npm has no anvil for this machine";
const CLAIM = `0x${"5a".repeat(32)}`;

let chain, node, proxy, client, token;
before(async () => {
  if (skip) return;
  chain = await startChain("--no-mining");
  node = Node.at(chain.ready.url);
  proxy = await Proxy.start(chain.ready.url);
  client = Node.at(proxy.url);
  token = chain.ready.addresses.token;
});
after(async () => {
  await proxy?.stop();
  await chain?.stop();
});

/** Makes a block with logs, and runs `work` while the provider has these faults. */
async function withFaults(faults, work) {
  const { owner: from, addresses } = chain.ready;
  await node.call("eth_sendTransaction", { from, to: addresses.token, gas: "0x100000", data: ABI.token.encodeFunctionData("deposit", [5n, from]) });
  await node.call("evm_mine");
  const last = await node.call("eth_getBlockByNumber", "latest", false);
  proxy.faults = faults;
  try {
    return await work(last);
  } finally {
    proxy.faults = {};
  }
}

const latest = (rpc) => rpc.call("eth_getBlockByNumber", "latest", false);
const before1 = (quantity) => `0x${(Number(quantity) - 1).toString(16)}`;

test("without faults, the proxy gives the node's answers and counts requests", { skip }, async () => {
  proxy.reset();
  assert.deepEqual(await latest(client), await latest(node));
  const answers = await client.batch([["eth_chainId"], ["eth_blockNumber"], ["eth_unknown"]]);
  assert.deepEqual(
    answers.map(({ result, error }) => [Boolean(result), Boolean(error)]),
    [
      [true, false],
      [true, false],
      [false, true],
    ],
  );
  assert.deepEqual([proxy.requests, proxy.callCount], [2, 4]);
  assert.deepEqual(proxy.calls, { eth_getBlockByNumber: 1, eth_chainId: 1, eth_blockNumber: 1, eth_unknown: 1 });
});

test("a provider can drop connections, or answer with another status and a page", { skip }, async () => {
  await withFaults({ drops: true }, () => assert.rejects(latest(client)));
  await withFaults({ dropsAnswers: true }, () => assert.rejects(latest(client)));
  await withFaults({ answer: { status: 429, type: "text/html", body: "<p>" } }, async () => {
    const response = await fetch(proxy.url, { method: "POST", body: "[]" });
    assert.deepEqual([response.status, response.headers.get("content-type"), await response.text()], [429, "text/html", "<p>"]);
  });
});

test("a provider that is behind knows neither later blocks nor their state", { skip }, async () => {
  await withFaults({ behind: 1 }, async ({ number, hash, transactions }) => {
    assert.deepEqual([await client.call("eth_blockNumber"), (await latest(client)).number], [before1(number), before1(number)]);
    assert.equal(await client.call("eth_getBlockByHash", hash, false), null);
    assert.equal(await client.call("eth_getTransactionReceipt", transactions[0]), null);
    const { owner } = chain.ready;
    const [old, recent] = await Promise.all([client, node].map((rpc) => rpc.call("eth_getTransactionCount", owner, "latest")));
    assert.equal(Number(old), Number(recent) - 1);
    const [{ error }] = await client.batch([["eth_call", { to: token, data: ABI.token.encodeFunctionData("totalSupply") }, { blockHash: hash }]]);
    assert.match(error.message, /not found/);
    assert.deepEqual(await client.call("eth_getLogs", { fromBlock: number, toBlock: number }), []);
  });
});

test("a provider can lack a block, or omit logs", { skip }, async () => {
  await withFaults({ lacks: Number((await latest(node)).number) + 1 }, async ({ number, hash }) => {
    assert.equal(await client.call("eth_getBlockByNumber", number, false), null);
    const [{ error }] = await client.batch([["eth_getLogs", { blockHash: hash }]]);
    assert.match(error.message, /unknown block/);
  });
  await withFaults({ omitsLogs: true, omitsBloom: true }, async ({ hash }) => {
    assert.ok((await node.call("eth_getLogs", { blockHash: hash })).length > 0);
    assert.deepEqual(await client.call("eth_getLogs", { blockHash: hash }), []);
    assert.equal(Number((await latest(client)).logsBloom), 0);
  });
});

test("a provider can accept a transaction without sending it", { skip }, async () => {
  await withFaults({ swallows: true }, async () => {
    const raw = "0x02";
    assert.equal(await client.call("eth_sendRawTransaction", raw), keccak256(raw));
    assert.deepEqual(proxy.swallowed, [keccak256(raw)]);
  });
});

test("a provider can lie about claims, balances, hashes and logs", { skip }, async () => {
  const { addresses, owner } = chain.ready;
  const asked = { to: addresses.actions, data: ABI.actions.encodeFunctionData("orderPerformed", [CLAIM]) };
  assert.equal(Number(await client.call("eth_call", asked, "latest")), 0);
  await withFaults({ saysPerformed: true }, async () => assert.equal(Number(await client.call("eth_call", asked, "latest")), 1));
  await withFaults({ balance: 7n }, async () => {
    const balance = { to: token, data: ABI.token.encodeFunctionData("balanceOf", [owner]) };
    assert.deepEqual([await client.call("eth_getBalance", owner, "latest"), Number(await client.call("eth_call", balance, "latest"))], ["0x7", 7]);
  });
  await withFaults({ falseHash: true }, async ({ hash }) => assert.notEqual((await latest(client)).hash, hash));
  await withFaults({ forges: [CLAIM] }, async ({ hash }) => {
    const logs = await client.call("eth_getLogs", { address: addresses.actions, blockHash: hash });
    assert.deepEqual(logs.at(-1).topics, [ABI.actions.getEvent("Perform").topicHash, CLAIM]);
  });
});

test("a provider on a fork knows only its own, consistent hashes", { skip }, async () => {
  await withFaults({ fork: true }, async ({ hash, parentHash }) => {
    const last = await latest(client);
    const parent = await client.call("eth_getBlockByHash", last.parentHash, false);
    assert.equal(parent.hash, last.parentHash);
    assert.ok(last.hash !== hash && last.parentHash !== parentHash);
    assert.equal(await client.call("eth_getBlockByHash", hash, false), null);
    const logs = await client.call("eth_getLogs", { blockHash: last.hash });
    assert.deepEqual(new Set(logs.map(({ blockHash }) => blockHash)), new Set([last.hash]));
  });
});

test("the proxy can answer like a chain with Multicall3", { skip }, async () => {
  const address = "0xcA11bde05977b3631167028862bE2a173976CA11";
  const multicall = new Interface(["function aggregate3((address, bool, bytes)[]) view returns ((bool, bytes)[])"]);
  const calls = [ABI.token.encodeFunctionData("name"), ABI.token.encodeFunctionData("decimals"), "0x12345678"].map((data) => [token, true, data]);
  const params = [{ to: address, data: multicall.encodeFunctionData("aggregate3", [calls]) }, "latest"];
  assert.deepEqual([await client.call("eth_getCode", address, "latest"), await client.call("eth_call", ...params)], ["0x", "0x"]);
  proxy.hasMulticall = true;
  try {
    proxy.reset();
    const [answers] = multicall.decodeFunctionResult("aggregate3", await client.call("eth_call", ...params));
    assert.deepEqual([proxy.requests, proxy.callCount], [1, 1]);
    assert.notEqual(await client.call("eth_getCode", address, "latest"), "0x");
    const single = await Promise.all(calls.slice(0, 2).map(([to, , data]) => node.call("eth_call", { to, data }, "latest")));
    assert.deepEqual(
      answers.map(([success, data]) => [success, data]),
      [
        [true, single[0]],
        [true, single[1]],
        [false, "0x"],
      ],
    );
  } finally {
    proxy.hasMulticall = false;
  }
});
