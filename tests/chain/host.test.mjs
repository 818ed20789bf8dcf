// Tests host.mjs as a process of its own: the chain of `cargo xtask dev --ledger anvil` and of the tests.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Contract, JsonRpcProvider, Wallet } from "ethers";
import { ABI, Node, anvil } from "./contracts.mjs";
import { startChain } from "../support/chain.mjs";
import { until } from "../support/until.mjs";

const TOKEN = 10n ** 18n;
const skip = !anvil() && "npm has no anvil for this machine";

/** Runs `work` with a chain, and ends the chain. */
async function withChain(options, work) {
  const chain = await startChain(...options);
  try {
    return await work(chain, Node.at(chain.ready.url));
  } finally {
    await chain.stop();
  }
}

/** Runs `work` with the path of a folder that does not exist yet. */
async function withFolder(work) {
  const folder = await mkdtemp(path.join(tmpdir(), "assay-chain-test-"));
  try {
    await work(path.join(folder, "chain"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the result of a contract's method. */
async function ask(node, address, abi, method, ...values) {
  const result = await node.call("eth_call", { to: address, data: abi.encodeFunctionData(method, values) }, "latest");
  return abi.decodeFunctionResult(method, result)[0];
}

const head = async (node) => Number(await node.call("eth_blockNumber"));
const genesis = async (node) => (await node.call("eth_getBlockByNumber", "0x0", false)).hash;

/** Resolves when no process has this id any more. */
async function gone(pid) {
  const isGone = () => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  };
  assert.ok(await until(isGone), `the process ${pid} has not ended`);
}

/** Returns true if a node answers. */
const answers = (node) =>
  head(node).then(
    () => true,
    () => false,
  );

test("the chain has the contracts, and the Worker's settings name them", { skip }, async () => {
  await withChain([], async ({ ready }, node) => {
    const { addresses, vars, owner, paymentReceiver, relayer, accounts } = ready;
    for (const address of Object.values(addresses)) assert.ok((await node.call("eth_getCode", address, "latest")).length > 2, address);
    const named = [vars.GATEWAY_ACTIONS, vars.GATEWAY_DEPLOY, vars.TOKEN_ADDRESS, vars.PAYMENT_RECEIVER, vars.RPC_URLS, vars.CHAIN_ID];
    assert.deepEqual(named, [addresses.actions, addresses.deploy, addresses.token, paymentReceiver, ready.url, `${ready.chainId}`]);
    assert.equal(await node.call("eth_getCode", addresses.createAsset, `0x${(Number(vars.CHAIN_START_BLOCK) - 1).toString(16)}`), "0x");

    const may = (account, ability) => ask(node, addresses.token, ABI.token, "isAble", account, ability);
    assert.deepEqual([await ask(node, addresses.token, ABI.token, "whitelistedRecipients", paymentReceiver), await may(owner, 16)], [true, true]);
    assert.equal(new Wallet(vars.RELAYER_KEY).address, relayer);
    assert.ok(![owner, paymentReceiver, ...accounts.map(({ address }) => address)].includes(relayer));
    for (const name of ["actions", "token", "createAsset"]) {
      assert.equal(await ask(node, addresses[name], ABI[name], "addressToAbility", relayer), 0n, name);
    }
    assert.ok(BigInt(await node.call("eth_getBalance", relayer, "latest")) > TOKEN);
    for (const { address, privateKey } of accounts) {
      assert.equal(new Wallet(privateKey).address, address);
      assert.equal(await ask(node, addresses.token, ABI.token, "balanceOf", address), 10_000n * TOKEN);
    }
  });
});

test("the token's owner can credit tokens, and users can sign transactions", { skip }, async () => {
  await withChain([], async ({ ready }, node) => {
    const {
      addresses: { token, transferValue },
      owner,
      accounts: [{ privateKey }],
    } = ready;
    const stranger = Wallet.createRandom().address;
    await node.send({ from: owner, to: token, data: ABI.token.encodeFunctionData("deposit", [5n * TOKEN, stranger]) });
    const held = [await ask(node, token, ABI.token, "balanceOf", stranger), await ask(node, token, ABI.token, "allowance", stranger, transferValue)];
    assert.deepEqual(held, [5n * TOKEN, 5n * TOKEN]);
    const provider = new JsonRpcProvider(ready.url, ready.chainId, { staticNetwork: true });
    try {
      const contract = new Contract(token, ["function approve(address, uint256)"], new Wallet(privateKey, provider));
      const { status } = await (await contract.approve(stranger, 1n)).wait();
      assert.equal(status, 1);
    } finally {
      provider.destroy();
    }
  });
});

test("the node refuses a transaction with more than 2^24 units of gas", { skip }, async () => {
  await withChain([], async ({ ready: { owner } }, node) => {
    const send = (gas) => node.call("eth_sendTransaction", { from: owner, to: owner, gas: `0x${gas.toString(16)}` });
    await send(2 ** 24);
    await assert.rejects(send(2 ** 24 + 1), /gas/);
  });
});

test("a chain in a state folder is continued, with the same contracts", { skip }, async () => {
  await withFolder(async (state) => {
    const before = await withChain(["--state", state], async ({ ready }, node) => {
      assert.equal(ready.created, true);
      assert.deepEqual(JSON.parse(await readFile(path.join(state, "chain.json"), "utf8")), ready);
      await node.call("anvil_mine", "0x5");
      return { ready, head: await head(node), first: await genesis(node) };
    });
    await withChain(["--state", state], async ({ ready }, node) => {
      assert.deepEqual([ready.created, ready.addresses, ready.startBlock], [false, before.ready.addresses, before.ready.startBlock]);
      assert.deepEqual([await head(node), await genesis(node)], [before.head, before.first]);
      const logs = await node.call("eth_getLogs", { fromBlock: "0x0", toBlock: "latest", address: ready.addresses.token });
      assert.ok(logs.length > 0);
    });
  });
});

test("a state folder whose chain has no contracts gets a new chain", { skip }, async () => {
  await withFolder(async (state) => {
    const old = await withChain(["--state", state], (_, node) => genesis(node));
    const file = path.join(state, "state.json");
    await rm(file);
    const empty = await Node.start(anvil(), { state: file });
    await empty.stop();
    await withChain(["--state", state], async ({ ready }, node) => {
      assert.equal(ready.created, true);
      assert.notEqual(await genesis(node), old);
      assert.ok((await node.call("eth_getCode", ready.addresses.deploy, "latest")).length > 2);
    });
  });
});

test("a second node for a state folder starts after the first ends", { skip }, async () => {
  await withFolder(async (state) => {
    const first = await startChain("--state", state);
    const node = Node.at(first.ready.url);
    const second = startChain("--state", state);
    await sleep(1_000);
    await node.call("anvil_mine", "0x3");
    const last = await head(node);
    await first.stop();
    const { ready, stop } = await second;
    assert.deepEqual([ready.created, await head(Node.at(ready.url))], [false, last]);
    await stop();
  });
});

test("the options make blocks at an interval, or only on request", { skip }, async () => {
  await withChain(["--block-time", "1"], async (_, node) => {
    const start = await head(node);
    assert.ok(await until(async () => (await head(node)) >= start + 2));
  });
  await withChain(["--no-mining"], async ({ ready: { owner } }, node) => {
    const start = await head(node);
    const hash = await node.call("eth_sendTransaction", { from: owner, to: owner });
    assert.deepEqual([await head(node), await node.call("eth_getTransactionReceipt", hash)], [start, null]);
    await node.call("evm_mine");
    const { blockNumber } = await node.call("eth_getTransactionReceipt", hash);
    assert.equal(Number(blockNumber), start + 1);
  });
});

test("the chain is kept when standard input ends, and after a signal", { skip }, async () => {
  await withFolder(async (state) => {
    let before;
    for (const signal of [undefined, "SIGINT", "SIGTERM", undefined, "SIGINT", "SIGTERM"]) {
      const chain = await startChain("--state", state);
      const node = Node.at(chain.ready.url);
      // The first block that the node makes at each start must not replace the chain's blocks.
      if (before) assert.deepEqual([chain.ready.created, await genesis(node), await node.call("eth_getBlockByNumber", "latest", false)], [false, ...before]);
      await node.call("evm_increaseTime", 1_000);
      await node.call("anvil_mine", "0x3");
      const last = await node.call("eth_getBlockByNumber", "latest", false);
      assert.ok(!before || Number(last.timestamp) > Number(before[1].timestamp));
      before = [await genesis(node), last];
      assert.equal(await chain.stop(signal), 0);
      assert.equal(await answers(node), false);
    }
  });
});

test("the node ends when host.mjs is killed", { skip }, async () => {
  const chain = await startChain();
  const node = Node.at(chain.ready.url);
  await chain.stop("SIGKILL");
  assert.ok(await until(async () => !(await answers(node))));
});

test("the node ends and the chain is kept when host.mjs's parent is killed", { skip }, async () => {
  await withFolder(async (state) => {
    // The program between this test and the chain holds the other end of its standard input, like `cargo xtask dev`.
    const script = `
      const child = require("node:child_process").spawn(process.execPath, process.argv.slice(1), { stdio: ["pipe", "inherit", "inherit"] });
      process.stderr.write(String(child.pid));
    `;
    const host = fileURLToPath(new URL("host.mjs", import.meta.url));
    const program = spawn(process.execPath, ["-e", script, host, "--state", state], { stdio: ["pipe", "pipe", "pipe"] });
    const [[pid], [line]] = await Promise.all([once(program.stderr, "data"), once(program.stdout, "data")]);
    const { url } = JSON.parse(line);
    const node = Node.at(url);
    const before = await head(node);
    program.kill("SIGKILL");
    await gone(Number(pid));
    assert.equal(await answers(node), false);
    await withChain(["--state", state], async ({ ready }, node) => assert.deepEqual([ready.created, await head(node)], [false, before]));
  });
});

test("errors name a wrong option and a port in use", { skip }, async () => {
  const refused = async (message, ...options) => assert.rejects(startChain(...options), message);
  await refused(/--block-time takes a number from 1 to 86400, not `often`/, "--block-time", "often");
  await refused(/exclude each other/, "--no-mining", "--automine");
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  try {
    const { port } = other.address();
    await refused(new RegExp(`port ${port} is in use by another program`), "--port", `${port}`);
  } finally {
    other.close();
  }
});
