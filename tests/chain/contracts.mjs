// A node of an EVM chain on this machine, with the original contracts.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AbiCoder, Interface, getCreateAddress } from "ethers";

/** A script that runs a program, and ends the program when this process ends. */
const BOUND = fileURLToPath(new URL("../../edge-api/host/bound.sh", import.meta.url));

const PLATFORM = { x64: "amd64", arm64: "arm64" };

/** Returns the path of the node's program, or undefined if npm has none for this machine. */
export function anvil() {
  const { resolve } = createRequire(import.meta.url);
  const folder = path.join(path.dirname(resolve("@foundry-rs/anvil/package.json")), "..");
  const file = path.join(folder, `anvil-${process.platform}-${PLATFORM[process.arch]}`, "bin/anvil");
  return existsSync(file) ? file : undefined;
}

/** The private keys of the vectors. The node's first accounts have the same keys. */
const vectors = fileURLToPath(new URL("../vectors/claims/claims.json", import.meta.url));
export const ACCOUNTS = JSON.parse(readFileSync(vectors)).accounts;

/** Returns the time in seconds. */
export const seconds = () => Math.floor(Date.now() / 1000);

/** A node of the chain, and its JSON-RPC. */
export class Node {
  #child;
  #cache;
  #id = 0;

  /** The node's address. */
  url;

  /** A promise that resolves when the node has ended. */
  exited;

  /**
   * Starts a node, which ends with this process. The node performs transactions immediately.
   *
   * - `port`: a port on 127.0.0.1. 0 picks a free one.
   * - `state`: a file for the chain. The node loads it at the start if it exists, and writes it at the end.
   * - `since`: the time of the chain's first block, in seconds. The default is the current time.
   */
  static async start(program, { port = 0, state, since = seconds() } = {}) {
    const node = new Node();
    // The node creates this folder when it needs it, so a killed node usually leaves nothing.
    node.#cache = path.join(tmpdir(), `assay-chain-${randomUUID()}`);
    const options = ["--port", `${port}`, "--host", "127.0.0.1", "--hardfork", "osaka", "--enable-tx-gas-limit", "--color", "never"];
    // By default, the node writes thousands of past states to the disk. Each is as large as the whole chain.
    options.push("--cache-path", node.#cache, "--max-persisted-states", "64");
    // The node makes the first block at each start. With the same time, the first block is the same.
    options.push("--timestamp", `${since}`);
    if (state) options.push("--state", state);
    const env = { ...process.env, ASSAY_PROGRAM: program, ASSAY_END: "TERM" };
    // Ctrl-C in a terminal reaches only this process, which then ends the node.
    const child = spawn(BOUND, options, { stdio: ["ignore", "pipe", "pipe"], env, detached: true });
    node.#child = child;
    node.exited = once(child, "exit");
    let why = "";
    child.stderr.on("data", (text) => (why += text));
    for await (const line of createInterface({ input: child.stdout })) {
      [, node.url] = /^Listening on (\S+)/.exec(line) ?? [];
      if (node.url) break;
    }
    if (!node.url) throw new Error(`the node did not start: ${why.trim()}`);
    node.url = `http://${node.url}`;
    child.stdout.resume();
    await node.call("anvil_setLoggingEnabled", false);
    // The node's clock has started at `since`.
    const { timestamp } = await node.call("eth_getBlockByNumber", "latest", false);
    await node.call("evm_setTime", Math.max(seconds(), Number(timestamp) + 1));
    return node;
  }

  async stop() {
    this.#child.kill();
    await this.exited;
    await rm(this.#cache, { recursive: true, force: true });
  }

  /** Returns a node that another process runs. */
  static at(url) {
    const node = new Node();
    node.url = url;
    return node;
  }

  /** Sends calls in one request. Returns their answers in order, each `{ result }` or `{ error }`. */
  async batch(calls) {
    if (calls.length === 0) return [];
    const body = calls.map(([method, ...params]) => ({ jsonrpc: "2.0", id: ++this.#id, method, params }));
    const response = await fetch(this.url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const answers = new Map((await response.json()).map((answer) => [answer.id, answer]));
    return body.map(({ id }) => answers.get(id));
  }

  /** Returns the result of a call. Throws its error. */
  async call(...call) {
    const [{ result, error }] = await this.batch([call]);
    if (error) throw Object.assign(new Error(`${call[0]}: ${error.message}`), { data: error.data });
    return result;
  }

  /** Returns the receipt of a transaction, once a block has it. Throws after about a minute. */
  async receipt(hash) {
    for (let attempt = 0; attempt < 700; attempt++) {
      const receipt = await this.call("eth_getTransactionReceipt", hash);
      if (receipt) return receipt;
      // The node makes a block immediately or after some seconds, so the first pauses are short.
      await sleep(attempt < 100 ? 5 : 100);
    }
    throw new Error(`no block has the transaction ${hash}`);
  }

  /** Sends a transaction of an account whose key the node has. Returns the receipt. Throws if the transaction reverts. */
  async send(transaction) {
    const hash = await this.call("eth_sendTransaction", { gas: "0xf00000", ...transaction });
    const receipt = await this.receipt(hash);
    if (receipt.status !== "0x1") throw new Error(`a transaction to ${transaction.to} was reverted`);
    return receipt;
  }
}

function artifact(folder, file, name) {
  const { resolve } = createRequire(import.meta.url);
  const { [name]: contract } = JSON.parse(readFileSync(resolve(`@0xcert/ethereum-${folder}-contracts/build/${file}.json`)));
  return { abi: new Interface(contract.abi), code: `0x${contract.evm.bytecode.object}` };
}

const proxy = (file, name) => artifact("proxy", file, name);
const CODE = {
  createAsset: proxy("xcert-create-proxy", "XcertCreateProxy"),
  transferValue: proxy("token-transfer-proxy", "TokenTransferProxy"),
  transferAsset: proxy("nftoken-transfer-proxy", "NFTokenTransferProxy"),
  safeTransferAsset: proxy("nftoken-safe-transfer-proxy", "NFTokenSafeTransferProxy"),
  updateAsset: proxy("xcert-update-proxy", "XcertUpdateProxy"),
  manageAbilities: proxy("abilitable-manage-proxy", "AbilitableManageProxy"),
  destroyAsset: proxy("xcert-burn-proxy", "XcertBurnProxy"),
  deployProxy: proxy("xcert-deploy-proxy", "XcertDeployProxy"),
  actions: artifact("gateway", "actions-gateway", "ActionsGateway"),
  deploy: artifact("gateway", "xcert-deploy-gateway", "XcertDeployGateway"),
  bartered: artifact("erc20", "token-mock", "TokenMock"),
  token: artifact("erc20", "dapp-token-mock", "DappTokenMock"),
};

export const ABI = { ...Object.fromEntries(Object.entries(CODE).map(([name, { abi }]) => [name, abi])), ledger: proxy("xcert-custom", "XcertCustom").abi };

/** The gateway's proxies in the order of their ids, each with the number of its kind of action: 0 create, 1 transfer, 2 update, 3 manage, 4 destroy. */
const PROXIES = [
  ["createAsset", 0],
  ["transferValue", 1],
  ["transferAsset", 1],
  ["safeTransferAsset", 1],
  ["updateAsset", 2],
  ["manageAbilities", 3],
  ["destroyAsset", 4],
];

/** Deploys the contracts on a node that performs transactions immediately. `owner` may configure them, and `recipients` may receive tokens. Returns the addresses. */
export async function deploy(node, owner, recipients) {
  const at = {};
  let nonce = Number(await node.call("eth_getTransactionCount", owner, "latest"));
  // The node processes the calls of a batch concurrently, so each call has an explicit nonce.
  const send = (transaction) => ["eth_sendTransaction", { from: owner, nonce: `0x${(nonce++).toString(16)}`, ...transaction }];
  const create = (name, types = [], values = []) => {
    at[name] = getCreateAddress({ from: owner, nonce });
    return send({ gas: "0x400000", data: CODE[name].code + AbiCoder.defaultAbiCoder().encode(types, values).slice(2) });
  };
  const set = (name, method, ...values) => send({ to: at[name], gas: "0x100000", data: ABI[name].encodeFunctionData(method, values) });
  const calls = PROXIES.map(([name]) => create(name));
  const supply = 10n ** 40n;
  calls.push(
    create("bartered", ["string", "string", "uint8", "uint256"], ["Bartered", "B", 18, supply]),
    create("deployProxy"),
    create("actions"),
    set("actions", "grantAbilities", owner, 16),
    ...PROXIES.map(([name, kind]) => set("actions", "addProxy", at[name], kind)),
    ...PROXIES.map(([name]) => set(name, "grantAbilities", at.actions, 16)),
  );
  const used = ["deployProxy", "transferValue", "createAsset", "updateAsset", "manageAbilities", "safeTransferAsset", "destroyAsset"];
  calls.push(
    create(
      "deploy",
      Array(7).fill("address"),
      used.map((name) => at[name]),
    ),
  );
  calls.push(set("transferValue", "grantAbilities", at.deploy, 16));
  calls.push(create("token", ["string", "string", "uint8", "address", "address"], ["Token", "T", 18, at.bartered, at.transferValue]));
  calls.push(set("bartered", "approve", at.token, supply), set("token", "grantAbilities", owner, 16));
  calls.push(...recipients.map((account) => set("token", "setWhitelistedRecipient", account, true)));
  // A transaction that arrives while the node mines the one before it can stay unmined forever. Blocks are therefore made after all
  // transactions have arrived.
  await node.call("evm_setAutomine", false);
  const answers = await node.batch(calls);
  const refused = answers.find(({ error }) => error);
  if (refused) throw new Error(`a contract cannot be deployed: ${refused.error.message}`);
  const waiting = new Set(answers.map(({ result }) => result));
  // Each block has at least one of the transactions.
  for (let block = 0; block < calls.length && waiting.size > 0; block++) {
    await node.call("evm_mine");
    const receipts = await node.batch([...waiting].map((hash) => ["eth_getTransactionReceipt", hash]));
    for (const { result: receipt } of receipts.filter(({ result }) => result)) {
      if (receipt.status !== "0x1") throw new Error("a transaction of the deployment was reverted");
      waiting.delete(receipt.transactionHash);
    }
  }
  if (waiting.size > 0) throw new Error(`${waiting.size} transactions of the deployment are in no block`);
  await node.call("evm_setAutomine", true);
  return at;
}
