// A JSON-RPC provider with faults that a test chooses: a proxy in front of a node.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Interface, keccak256, toBeHex } from "ethers";
import { ABI } from "./contracts.mjs";

/** The index of the block among a method's parameters. */
const BLOCK_AT = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
  eth_getBalance: 1,
  eth_getBlockByHash: 0,
  eth_getBlockByNumber: 0,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getTransactionCount: 1,
};
/** The methods whose answer for an unknown block is null instead of an error. */
const NULL_WITHOUT_BLOCK = new Set(["eth_getBlockByHash", "eth_getBlockByNumber"]);
const OF_TRANSACTION = new Set(["eth_getTransactionByHash", "eth_getTransactionReceipt"]);

const selector = (contract, name) => ABI[contract].getFunction(name).selector;
/** The functions that return whether a claim was performed: for orders, deployments and both kinds of approvals. */
const PERFORMED = new Set([selector("actions", "orderPerformed"), selector("deploy", "deployPerformed"), selector("ledger", "claimPerformed"), selector("token", "claimPerformed")]);
const BALANCE = selector("token", "balanceOf");
const PERFORM = ABI.actions.getEvent("Perform").topicHash;
/** A bloom filter that matches every log. */
const FULL_BLOOM = `0x${"f".repeat(512)}`;

/** Multicall3, which has the same address on most chains. */
const MULTICALL_ADDRESS = "0xca11bde05977b3631167028862be2a173976ca11";
const MULTICALL = new Interface(["function aggregate3((address target, bool allowFailure, bytes callData)[]) view returns ((bool success, bytes returnData)[])"]);
/** The code of a revert in JSON-RPC. */
const REVERTED = 3;
const isMulticall = (address) => address?.toLowerCase() === MULTICALL_ADDRESS;

const failed = (message) => ({ error: { code: -32_000, message } });
const unknownBlock = (method) => (NULL_WITHOUT_BLOCK.has(method) ? { result: null } : failed("header not found"));
const word = (value) => toBeHex(value, 32);

/**
 * A proxy in front of a node. `faults` has the faults that are on:
 *
 * - `drops`: closes the connection without an answer. `dropsAnswers`: does so after the node has processed the calls.
 * - `delay`: milliseconds before each answer.
 * - `answer`: `{ status, type, body }` instead of the node's answer.
 * - `behind`: the number of blocks that the provider does not know yet.
 * - `lacks`: the number of a block that the provider does not know.
 * - `omitsLogs`: answers that no block has logs. `omitsBloom`: answers that the bloom filters of all blocks are empty.
 * - `swallows`: accepts transactions and does not send them to the node.
 * - `saysPerformed`: answers that every claim was performed.
 * - `falseHash`: answers a wrong hash for the last block.
 * - `fork`: answers wrong hashes for all blocks, like a provider on a fork that has the same transactions.
 * - `balance`: the number that it answers for all balances, of ether and of tokens.
 * - `forges`: claims for which it adds a log of the event `Perform` to the last block.
 */
export class Proxy {
  faults = {};
  /** The number of HTTP requests, and of calls by method. A batch is one request. */
  requests = 0;
  calls = {};
  /** The hashes of the transactions that were accepted and not sent to the node. */
  swallowed = [];
  /** True if the proxy answers as if the chain had Multicall3, which is not among the original contracts. */
  hasMulticall = false;
  #target;
  #server = createServer((request, response) => this.#serve(request, response).catch((error) => response.writeHead(502).end(error.message)));

  /** Starts a proxy in front of the node at an address. */
  static async start(target) {
    const proxy = new Proxy();
    proxy.#target = target;
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    proxy.url = `http://127.0.0.1:${proxy.#server.address().port}`;
    return proxy;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Sets the counts to zero. */
  reset() {
    this.requests = 0;
    this.calls = {};
  }

  /** The number of calls of all methods. */
  get callCount() {
    return Object.values(this.calls).reduce((sum, count) => sum + count, 0);
  }

  async #serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const batch = [body].flat();
    this.requests += 1;
    for (const { method } of batch) this.calls[method] = (this.calls[method] ?? 0) + 1;
    // The faults that are on when a request arrives apply to the whole request.
    const faults = { ...this.faults };
    if (faults.drops) return request.socket.destroy();
    if (faults.delay) await sleep(faults.delay);
    if (faults.answer) {
      const { status, type = "text/plain", body: text = "" } = faults.answer;
      return response.writeHead(status, { "content-type": type }).end(text);
    }
    const answers = faults.fork ? otherHashes(await this.#answer(otherHashes(batch), faults)) : await this.#answer(batch, faults);
    if (faults.dropsAnswers) return request.socket.destroy();
    const answer = Array.isArray(body) ? answers : answers[0];
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  }

  /** Returns the answers to calls in order, each `{ result }` or `{ error }`. With `hasMulticall`, answers calls of Multicall3 itself. */
  async #ask(calls) {
    if (!this.hasMulticall) return this.#node(calls);
    const answers = calls.map((call) => {
      const { method, params } = call;
      if (method === "eth_getCode" && isMulticall(params[0])) return { result: "0x01" };
      if (method === "eth_call" && isMulticall(params[0].to)) return this.#multicall(params);
    });
    const others = await this.#node(calls.filter((_, index) => !answers[index]));
    return Promise.all(answers.map((answer) => answer ?? others.shift()));
  }

  /** Returns the answer of Multicall3 to a call. Builds it from the node's answers to single calls. */
  async #multicall([{ data }, block]) {
    const [calls] = MULTICALL.decodeFunctionData("aggregate3", data);
    const answers = await this.#node(calls.map(({ target, callData }) => ({ method: "eth_call", params: [{ to: target, data: callData }, block] })));
    const failed = answers.find(({ error }) => error && error.code !== REVERTED);
    if (failed) return failed;
    return { result: MULTICALL.encodeFunctionResult("aggregate3", [answers.map(({ result, error }) => [!error, result ?? error.data ?? "0x"])]) };
  }

  /** Returns the node's answers to calls in order, each `{ result }` or `{ error }`. */
  async #node(calls) {
    if (calls.length === 0) return [];
    const body = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const response = await fetch(this.#target, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    const answers = new Map((await response.json()).map(({ id, result, error }) => [id, error ? { error } : { result }]));
    return calls.map((_, id) => answers.get(id));
  }

  /** Returns the answers to the calls of a request, changed by the faults. */
  async #answer(batch, faults) {
    const view = await this.#view(batch, faults);
    const asked = batch.map((call) => this.#asked(call, faults, view));
    const questions = asked.filter(({ ask }) => ask).map(({ ask }) => ask);
    const answers = questions.length > 0 ? await this.#ask(questions) : [];
    return batch.map(({ id, ...call }, index) => {
      const { ask, own } = asked[index];
      return { jsonrpc: "2.0", id, ...(ask ? this.#changed(call, answers.shift(), faults, view) : own) };
    });
  }

  /** Returns the number of the last block that the provider knows, and the numbers of the blocks whose hashes the calls name. Empty if no fault needs them. */
  async #view(batch, { behind, lacks, falseHash, forges }) {
    if (behind === undefined && lacks === undefined && !falseHash && !forges) return {};
    const hashes = batch.map(hashOf).filter(Boolean);
    const asked = hashes.map((hash) => ({ method: "eth_getBlockByHash", params: [hash, false] }));
    const [number, ...blocks] = await this.#ask([{ method: "eth_blockNumber", params: [] }, ...asked]);
    const numbers = new Map(hashes.map((hash, index) => [hash, Number(blocks[index].result?.number ?? Number.NaN)]));
    return { head: Math.max(Number(number.result) - (behind ?? 0), 0), numbers };
  }

  /** Returns the call to send to the node, as `ask`, or the proxy's own answer. */
  #asked({ method, params = [] }, faults, { head, numbers }) {
    if (method === "eth_sendRawTransaction" && faults.swallows) {
      const hash = keccak256(params[0]);
      this.swallowed.push(hash);
      return { own: { result: hash } };
    }
    if (method === "eth_call" && faults.saysPerformed && PERFORMED.has(params[0].data?.slice(0, 10))) return { own: { result: word(1) } };
    if (faults.balance !== undefined) {
      if (method === "eth_getBalance") return { own: { result: `0x${faults.balance.toString(16)}` } };
      if (method === "eth_call" && params[0].data?.startsWith(BALANCE)) return { own: { result: word(faults.balance) } };
    }
    if (method === "eth_getLogs") {
      if (faults.omitsLogs) return { own: { result: [] } };
      if (head === undefined) return { ask: { method, params } };
      const [filter] = params;
      if (filter.blockHash) return this.#knows(numbers.get(filter.blockHash), faults, head) ? { ask: { method, params } } : { own: failed("unknown block") };
      // Like a real node, answers only the part of the range that it knows.
      const last = /^0x/.test(filter.toBlock ?? "latest") ? Math.min(Number(filter.toBlock), head) : head;
      return { ask: { method, params: [{ ...filter, toBlock: toQuantity(last) }] } };
    }
    if (head === undefined) return { ask: { method, params } };
    if (method === "eth_blockNumber") return { own: { result: toQuantity(head) } };
    const at = BLOCK_AT[method];
    if (at === undefined) return { ask: { method, params } };
    const given = params[at] ?? "latest";
    const named = hashOf({ method, params });
    const number = named ? numbers.get(named) : blockNumber(given, head);
    // The node itself answers the tags `safe` and `finalized`.
    if (number === undefined) return { ask: { method, params } };
    if (!this.#knows(number, faults, head)) return { own: unknownBlock(method) };
    if (named) return { ask: { method, params } };
    return { ask: { method, params: Object.assign([...params], { [at]: toQuantity(number) }) } };
  }

  #knows(number, { lacks }, head) {
    return number <= head && number !== lacks;
  }

  /** Returns the node's answer, changed by the faults. */
  #changed({ method, params }, answer, faults, { head, numbers }) {
    const { result } = answer;
    if (!result) return answer;
    if (OF_TRANSACTION.has(method) && head !== undefined && result.blockNumber && !this.#knows(Number(result.blockNumber), faults, head)) {
      return { result: null };
    }
    if (NULL_WITHOUT_BLOCK.has(method)) {
      const isLast = Number(result.number) === head;
      const changes = {};
      if (faults.falseHash && isLast) changes.hash = other(result.hash);
      if (faults.omitsBloom) changes.logsBloom = `0x${"0".repeat(512)}`;
      if (faults.forges && isLast) changes.logsBloom = FULL_BLOOM;
      return { result: { ...result, ...changes } };
    }
    if (method === "eth_getLogs" && faults.forges) return { result: [...result, ...this.#forged(params[0], faults.forges, head, numbers, result)] };
    return answer;
  }

  /** Returns logs that no contract wrote. Returns none unless the call asks for the last block by its hash. */
  #forged({ blockHash, address }, claims, head, numbers, logs) {
    if (numbers.get(blockHash) !== head) return [];
    return claims.map((claim, index) => ({
      address: [address].flat()[0],
      topics: [PERFORM, claim],
      data: "0x",
      blockHash,
      blockNumber: toQuantity(head),
      transactionHash: keccak256(claim),
      transactionIndex: toQuantity(logs.length + index),
      logIndex: toQuantity(logs.length + index),
      removed: false,
    }));
  }
}

/** Returns a different hash. A second call with the result returns the original hash. */
const other = (hash) => `${hash.slice(0, -1)}${(Number.parseInt(hash.at(-1), 16) ^ 1).toString(16)}`;

/** The fields that always have hashes of blocks. A field `hash` has one only in a block. */
const BLOCK_HASHES = new Set(["blockHash", "parentHash"]);

/** Returns calls or answers in which each hash of a block is replaced by its `other` hash. */
function otherHashes(value, key) {
  if (typeof value === "string") return BLOCK_HASHES.has(key) ? other(value) : value;
  if (Array.isArray(value)) return value.map((item) => otherHashes(item));
  if (value === null || typeof value !== "object") return value;
  if (value.method === "eth_getBlockByHash") return { ...value, params: [other(value.params[0]), ...value.params.slice(1)] };
  const entries = Object.entries(value).map(([name, item]) => [name, name === "hash" && "parentHash" in value ? other(item) : otherHashes(item, name)]);
  return Object.fromEntries(entries);
}

const toQuantity = (number) => `0x${number.toString(16)}`;

/** Returns the hash of the block that a call names, or undefined if it names none by its hash. */
function hashOf({ method, params = [] }) {
  if (method === "eth_getLogs") return params[0].blockHash;
  const block = params[BLOCK_AT[method]];
  if (method === "eth_getBlockByHash") return block;
  return block?.blockHash;
}

/** Returns the number of the block that a tag or number names, or undefined for a tag that the proxy does not change. */
function blockNumber(block, head) {
  if (["latest", "pending"].includes(block)) return head;
  if (block === "earliest") return 0;
  return /^0x/.test(block) ? Number(block) : undefined;
}
