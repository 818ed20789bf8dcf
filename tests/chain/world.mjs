// The release Worker in workerd with a ledger on a chain: a node with the original contracts, providers in front of it, and the service.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ABI, Node } from "./contracts.mjs";
import { Proxy } from "./proxy.mjs";
import { startChain } from "../support/chain.mjs";
import { Sender } from "../support/sender.mjs";
import { startServer } from "../support/server.mjs";
import { until } from "../support/until.mjs";

export const TOKEN = 10n ** 18n;
/** The number of blocks after which a block is final. host.mjs has the same number in its settings. */
export const CONFIRMATIONS = 3;
/** The number of providers. Two must agree on what is final. */
const PROVIDERS = 2;
/** The time from one block to the next, in seconds. */
const BLOCK_SECONDS = 2;

const JSON_TYPE = { "content-type": "application/json" };
/** The longest wait for an answer, in milliseconds. */
const ANSWERED_MS = 60_000;

const SETTINGS = {
  ENVIRONMENT: "development",
  DEPLOYERS: "anyone",
  ALLOW_PRIVATE_FETCH: "true",
  MOVABLE_CLOCK: "true",
  ABORT_AT: "never",
  RATE_LIMIT_ADDRESS: "off",
  RATE_LIMIT_ACCOUNT: "off",
  QUORUM: "2",
  BLOCK_SECONDS: `${BLOCK_SECONDS}`,
};

/** The ledger that tests deploy. */
export const LEDGER = {
  name: "Faults",
  symbol: "F",
  uriPrefix: "https://example.com/",
  uriPostfix: "",
  schemaId: `0x${"0".repeat(64)}`,
  capabilities: [1, 2],
};

export class World {
  /** The description of the chain by host.mjs, the chain's node, and the providers in front of the node. */
  ready;
  node;
  proxies = [];
  server;
  /** The number of kills of the service. */
  killed = 0;
  #chain;
  #vars;
  #state;
  #senders = [];
  /** The offset of the service's clock in milliseconds. The chain's blocks have the service's time. */
  #offset = 0;
  #mines;

  /**
   * Starts everything. Options:
   *
   * - `mining`: the options of host.mjs about blocks. By default, only `mine` makes blocks.
   * - `vars`: more settings of the Worker.
   * - `hasMulticall`: true if providers answer as if the chain had Multicall3, as the chains of public providers do.
   * - `sweepEvery`: seconds between the scheduled runs. By default, only `sweep` runs them.
   * - `heapMegabytes`: limits the heap of every isolate, so that the runtime collects garbage early.
   */
  static async start({ mining = ["--no-mining"], vars = {}, hasMulticall = false, sweepEvery = 0, heapMegabytes } = {}) {
    const world = new World();
    try {
      world.#chain = await startChain(...mining);
      world.ready = world.#chain.ready;
      world.#mines = mining.includes("--no-mining");
      world.node = Node.at(world.ready.url);
      for (let index = 0; index < PROVIDERS; index++) world.proxies.push(await Proxy.start(world.ready.url));
      for (const proxy of world.proxies) proxy.hasMulticall = hasMulticall;
      const { ALLOW_ONE_PROVIDER: _, ...chain } = world.ready.vars;
      world.#vars = { ...chain, ...SETTINGS, RPC_URLS: world.proxies.map(({ url }) => url).join(","), ...vars };
      world.#state = await mkdtemp(path.join(tmpdir(), "assay-chain-world-"));
      world.sweepEvery = sweepEvery;
      world.heapMegabytes = heapMegabytes;
      await world.boot();
      return world;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  async stop() {
    await this.server?.stop();
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await this.#chain?.stop();
    if (this.#state) await rm(this.#state, { recursive: true, force: true });
  }

  /** Starts the service with its previous state. */
  async boot() {
    this.server = await startServer({ vars: this.#vars, state: this.#state, sweepEvery: this.sweepEvery, heapMegabytes: this.heapMegabytes });
    for (const sender of this.#senders) sender.url = this.server.url.replace(/\/$/, "");
  }

  /** Starts another provider, and starts the service again with its address, as a new value of the secret does. */
  async addProvider() {
    this.proxies.push(await Proxy.start(this.ready.url));
    this.#vars.RPC_URLS = this.proxies.map(({ url }) => url).join(",");
    await this.server.stop();
    await this.boot();
  }

  /** Ends the service like a power cut, and starts it again. */
  async kill() {
    this.killed += 1;
    await this.server.kill();
    await this.boot();
  }

  /** Starts a second service on the same chain, with an empty database. */
  second() {
    return startServer({ vars: { ...this.#vars, RPC_URLS: this.proxies.map(({ url }) => url).join(",") }, sweepEvery: 1 });
  }

  /** Returns the number of HTTP requests to all providers since their counts were reset, and the calls by method. */
  asked() {
    const calls = {};
    for (const proxy of this.proxies) for (const [method, times] of Object.entries(proxy.calls)) calls[method] = (calls[method] ?? 0) + times;
    return { requests: this.proxies.reduce((sum, { requests }) => sum + requests, 0), calls };
  }

  /** Returns the time of the service's clock, in milliseconds. */
  now() {
    return Date.now() + this.#offset;
  }

  /** Sends a request. Returns the `data` of its answer, or undefined if there was no final answer. */
  async request(method, target, headers, body) {
    let response, text;
    try {
      response = await fetch(new URL(target, this.server.url), { method, headers, body, signal: AbortSignal.timeout(ANSWERED_MS) });
      text = await response.text();
    } catch {
      return undefined;
    }
    // The service has failed, or is still processing the same request.
    const later = response.status >= 500 || text.includes("still in progress");
    assert.ok(response.ok || later, `${method} ${target} answered ${text}`);
    return response.ok ? JSON.parse(text).data : undefined;
  }

  /** Sends a request to a route for development. Returns true if it was answered. */
  async development(method, name, body = {}) {
    return (await this.request(method, `/development/${name}`, JSON_TYPE, JSON.stringify(body))) !== undefined;
  }

  /** Runs the service's scheduled work. Returns false if it failed. */
  sweep() {
    return this.development("POST", "sweep");
  }

  /** Sets the step at which the Worker aborts. */
  async abortAt(step) {
    assert.ok(await this.development("PUT", "abort", { step }), "the service does not take the step");
  }

  /** Makes blocks. The clocks of chain and service move together. */
  async mine(blocks = 1) {
    for (let made = 0; made < blocks; made++) {
      const { timestamp } = await this.node.call("eth_getBlockByNumber", "latest", false);
      const next = Math.max(Math.floor(this.now() / 1000), Number(timestamp)) + BLOCK_SECONDS;
      this.#offset = next * 1000 - Date.now();
      await this.node.call("evm_setNextBlockTimestamp", next);
      await this.node.call("evm_mine");
    }
    await this.#setClock();
  }

  /** Moves the service's clock. The next block of `mine` has the new time. */
  async pass(seconds) {
    this.#offset += seconds * 1000;
    await this.#setClock();
  }

  /** Sets the service's clock, if only `mine` makes blocks. Ignores a failure, because the Worker may not answer now. The next block sets the clock again. */
  async #setClock() {
    if (this.#mines) await this.development("PUT", "clock", { offsetMs: Math.max(Math.ceil(this.#offset), 0) });
  }

  /** Runs the service's scheduled work until the service has indexed the last block. */
  async indexed() {
    const head = await this.head();
    const look = async () => {
      await this.sweep();
      return (await this.request("GET", "/health")).chain.indexed;
    };
    assert.equal(await until(look, (indexed) => indexed === head), head, "the service has not indexed the last block");
  }

  /** Makes blocks and runs the service's scheduled work, until `isDone` returns true. Returns false if this does not happen within `blocks` blocks. */
  async until(isDone, blocks = 60) {
    for (let made = 0; made < blocks; made++) {
      if (await isDone()) return true;
      await this.mine();
      await this.sweep();
    }
    return Boolean(await isDone());
  }

  /** Returns an account with tokens, connected to the service. */
  async sender(tokens = 1_000_000n) {
    const sender = await Sender.of();
    await this.credit(sender.id, tokens);
    await sender.connect(this.server.url);
    this.#senders.push(sender);
    return sender;
  }

  /** Gives tokens to an account, as the owner of the token. */
  async credit(account, tokens) {
    const { owner, addresses } = this.ready;
    await this.transact({ from: owner, to: addresses.token, data: ABI.token.encodeFunctionData("deposit", [tokens * TOKEN, account]) });
  }

  /** Sends a transaction of an account whose key the node has. Returns its receipt from a new block. Fails if the transaction reverts. */
  async transact(transaction) {
    const hash = await this.node.call("eth_sendTransaction", { gas: "0x100000", ...transaction });
    if (this.#mines) await this.mine();
    const receipt = await this.node.receipt(hash);
    assert.equal(receipt.status, "0x1", `a transaction to ${transaction.to} was reverted`);
    return receipt;
  }

  /** Deploys a ledger of an account with the service, and waits until the deployment is final. */
  async deploy(sender, ledger = LEDGER) {
    const { data } = await sender.client.createDeployment({ ...ledger, ownerId: sender.id }, 2);
    let deployment = data;
    const isDone = async () => {
      deployment = await sender.get(`/deployments/${data.ref}`);
      return deployment.status === 7;
    };
    if (this.#mines) await this.until(isDone);
    else await until(isDone);
    assert.equal(deployment.status, 7, `${JSON.stringify(deployment)}\n${this.server.log()}`);
    return deployment;
  }

  /** Returns the number of the last block. */
  async head() {
    return Number(await this.node.call("eth_blockNumber"));
  }

  /** Returns the result of a contract's method, which is called without a transaction. */
  async view(address, contract, method, args, block = "latest") {
    const data = ABI[contract].encodeFunctionData(method, args);
    const result = await this.node.call("eth_call", { to: address, data }, block);
    return ABI[contract].decodeFunctionResult(method, result)[0];
  }
}
