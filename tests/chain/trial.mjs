// A service on a chain. The service is stopped, its providers fail, and its chain is reorganised. Clients that get no answer repeat their
// request under the same idempotency key. At every block, each request that the service calls final must be final on the chain. In the end,
// every accepted request must have been performed exactly once.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Wallet } from "ethers";
import { until } from "../support/until.mjs";
import { ABI } from "./contracts.mjs";
import { CONFIRMATIONS, LEDGER, TOKEN, World } from "./world.mjs";

/**
 * The steps at which the Worker can abort: before and after each database transaction from the acceptance of a request to its end, and after
 * the read of a due record.
 */
export const STEPS = ["perform:read", ...["create", "perform", "transition", "observe"].flatMap((step) => [`${step}:before`, `${step}:after`])];

const [PENDING, PROCESSING, SUCCESS, FAILURE, FINALIZED] = [1, 2, 3, 4, 7];
/** The validity that the client gives a request, in milliseconds. */
const VALIDITY_MS = 172_800_000;
/** Maximum number of blocks until every request is done, after the faults are over. */
const BLOCKS = 60;
/** Maximum number of blocks until a step is reached. */
const REACHED = 12;
/** Milliseconds: the time in which the service sees a new block, the maximum delay of a kill, and the pause before a repetition. */
const SEEN_MS = 1_500;
const MOMENT_MS = 150;
const PAUSE_MS = 20;
const GWEI = 10n ** 9n;
const ZERO = "0".repeat(64);
const quantity = (number) => `0x${number.toString(16)}`;

export class Trial {
  /** The numbers of aborts at each step, of rounds of each scenario, and of requests without an answer. */
  reached = Object.fromEntries(STEPS.map((step) => [step, 0]));
  rounds = {};
  resent = 0;
  world;
  #issuer;
  #ledger;
  /** The requests of this round. Then, for all rounds: the hashes of the performed requests, and the number of orders. */
  #requests = [];
  #performed = { orders: [], approvals: [], deployments: [] };
  #number = 0;

  /** The received alerts: `{ text, severity, cause, runbook }`. */
  alerts = [];
  #receiver;

  static async start() {
    const trial = new Trial();
    trial.#receiver = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      trial.alerts.push(JSON.parse(Buffer.concat(chunks)));
      response.writeHead(204).end();
    }).listen(0, "127.0.0.1");
    await once(trial.#receiver, "listening");
    trial.world = await World.start({ vars: { ALERT_URL: `http://127.0.0.1:${trial.#receiver.address().port}/` } });
    try {
      trial.#issuer = await trial.world.sender();
      trial.#ledger = await trial.world.deploy(trial.#issuer);
      trial.#performed.deployments.push(trial.#ledger.hash);
      return trial;
    } catch (error) {
      await trial.stop();
      throw error;
    }
  }

  async stop() {
    await this.world.stop();
    this.#receiver.closeAllConnections();
    this.#receiver.close();
  }

  /** The number of kills of the service's process. */
  get killed() {
    return this.world.killed;
  }

  /** The number of requests that were performed. */
  get requests() {
    return Object.values(this.#performed).reduce((sum, { length }) => sum + length, 0);
  }

  /** Runs a scenario, ends its faults, and waits until its requests are done. */
  async round(name, scenario) {
    this.#requests = [];
    this.rounds[name] = (this.rounds[name] ?? 0) + 1;
    const since = this.world.server.log().length;
    try {
      await scenario(this);
      for (const proxy of this.world.proxies) proxy.faults = {};
      await this.#end();
      await this.#check();
    } catch (error) {
      error.message += `\n${this.world.server.log().slice(since).slice(-20_000)}`;
      throw error;
    }
  }

  // Requests

  /** Prepares an order that creates an asset. `expires`: seconds until the order expires. `ends`: the status in which it must end. */
  async order({ expires, ends = FINALIZED } = {}) {
    this.#number += 1;
    const id = `${this.#number}`;
    const action = { kind: 1, assetLedgerId: this.#ledger.ledgerId, id, imprint: ZERO, senderId: this.#issuer.id, receiverId: this.#issuer.id };
    const order = { actions: [action], signersIds: [this.#issuer.id], payerId: this.#issuer.id, wildcardSigner: false, automatedPerform: true };
    const at = new Date(expires === undefined ? this.world.now() : this.world.now() + expires * 1000 - VALIDITY_MS);
    const { body } = await this.#issuer.made((client) => client.createOrder(order, 2, { at }));
    return this.#add({ kind: "orders", id, ends, body });
  }

  /** Prepares an approval of tokens. No log names the claim of an approval. */
  async approval() {
    const spender = Wallet.createRandom().address;
    const { body } = await this.#issuer.made((client) => client.createApproval({ spender, value: 5 }, 2));
    return this.#add({ kind: "approvals", spender, ends: FINALIZED, body });
  }

  /** Prepares a deployment. Only the chain knows the address of the new ledger. */
  async deployment() {
    const { body } = await this.#issuer.made((client) => client.createDeployment({ ...LEDGER, ownerId: this.#issuer.id }, 2));
    return this.#add({ kind: "deployments", ends: FINALIZED, body });
  }

  #add(request) {
    this.#requests.push({ key: `${request.kind}-${this.#number}-${this.#requests.length}`, ...request });
    return this.#requests.at(-1);
  }

  /** Sends a request. Returns false if there was no final answer. */
  async send(request) {
    const headers = { ...this.#issuer.headers, "idempotency-key": request.key };
    const data = await this.world.request("POST", `/${request.kind}`, headers, request.body);
    if (data) request.ref = data.ref;
    return data !== undefined;
  }

  /** Repeats a request until it has a final answer. */
  async persist(request) {
    const send = async () => {
      if (await this.send(request)) return true;
      this.resent += 1;
      // After an abort, the idempotency key's lease must end before the request can be repeated.
      await this.world.pass(61);
      return false;
    };
    assert.ok(await until(send, Boolean, PAUSE_MS), `a request to /${request.kind} was never answered`);
  }

  /** Prepares and sends two orders and an approval. With `deploys`, also a deployment. Returns the first order. */
  async post({ deploys = false } = {}) {
    const requests = [await this.order(), await this.order(), await this.approval()];
    if (deploys) requests.push(await this.deployment());
    for (const request of requests) await this.persist(request);
    return requests[0];
  }

  /** Returns the service's answer about a request. */
  async read({ kind, ref }) {
    return this.#issuer.get(`/${kind}/${ref}`);
  }

  /** Waits until the relayer's transaction for an order is in the pool. Returns it. */
  async pooled({ ref, body }) {
    // The transaction contains the claim in parts. The first part is a word of its own.
    const [, claim] = /"claim":"[^"]*0x(\w{64})/.exec(body);
    const look = async () => {
      const found = (await this.pool()).find(({ input }) => input.includes(claim.toLowerCase()));
      if (!found) await this.world.sweep();
      return found;
    };
    const found = await until(look, Boolean, PAUSE_MS);
    assert.ok(found, `the order ${ref} is not sent`);
    return found;
  }

  /** Returns the relayer's transactions that wait for a block. */
  async pool() {
    const { pending, queued } = await this.world.node.call("txpool_content");
    const relayer = this.world.ready.relayer.toLowerCase();
    return [pending, queued].flatMap((part) =>
      Object.entries(part)
        .filter(([from]) => from.toLowerCase() === relayer)
        .flatMap(([, nonces]) => Object.values(nonces)),
    );
  }

  // The chain

  /** Makes blocks. After each block, runs the service's scheduled work and `look`. */
  async blocks(count) {
    for (let made = 0; made < count; made++) {
      await this.world.mine();
      await this.world.sweep();
      await this.look();
    }
  }

  /** Makes blocks until a request has the wanted status. Gives the service time to see each block, so that no status is missed. */
  async status(request, wanted) {
    for (let block = 0; block < BLOCKS; block++) {
      for (const end = Date.now() + SEEN_MS; Date.now() < end; await sleep(50)) {
        await this.look();
        if (request.status === wanted) return;
        await this.world.sweep();
      }
      await this.world.mine();
    }
    assert.fail(`${request.kind} ${request.ref} has status ${request.status}, not ${wanted}`);
  }

  /** Reads the requests. Fails if the service calls a request final that is not final on the chain. */
  async look() {
    const final = (await this.world.head()) - CONFIRMATIONS;
    for (const request of this.#requests.filter(({ ref }) => ref)) {
      const { status, hash, txHash, error } = await this.read(request);
      Object.assign(request, { status, hash, txHash, error });
      if (status === FINALIZED) assert.ok(await this.#isPerformed(request, quantity(final)), `${request.kind} ${request.ref} is not final on the chain`);
    }
  }

  /** Returns true if the contract answers, at a block, that a request was performed. */
  #isPerformed({ kind, hash }, block = "latest") {
    const [contract, method] = { orders: ["actions", "orderPerformed"], approvals: ["token", "claimPerformed"], deployments: ["deploy", "deployPerformed"] }[kind];
    return this.world.view(this.world.ready.addresses[contract], contract, method, [hash], block);
  }

  /** Waits until all requests are done, and no transaction of the relayer waits for a block. */
  async #end() {
    for (const request of this.#requests) await this.persist(request);
    const isDone = async () => {
      await this.look();
      return this.#requests.every(({ status, ends }) => status === ends) && (await this.pool()).length === 0;
    };
    const done = await this.world.until(isDone, BLOCKS);
    const states = this.#requests.map(({ kind, ref, ends, status, error }) => ({ kind, ref, ends, status, error }));
    assert.ok(done, `not done after ${BLOCKS} blocks: ${JSON.stringify(states)}, ${JSON.stringify(await this.pool())}`);
  }

  async #check() {
    for (const request of this.#requests) {
      const isPerformed = request.ends === FINALIZED;
      assert.equal(await this.#isPerformed(request), isPerformed, `${request.kind} ${request.ref}`);
      if (!isPerformed) continue;
      this.#performed[request.kind].push(request.hash);
      if (request.kind === "orders") await this.#checkOrder(request);
      if (request.kind === "deployments") await this.#checkDeployment(request);
      if (request.kind === "approvals") {
        const allowed = await this.world.view(this.world.ready.addresses.token, "token", "allowance", [this.#issuer.id, request.spender]);
        assert.equal(allowed, 5n * TOKEN);
      }
    }
    // The contracts write a log each time they perform an order or a deployment.
    const orders = (await this.#logs("actions")).map(({ topics }) => topics[1]);
    assert.deepEqual(orders.sort(), this.#performed.orders.toSorted(), "the performed orders");
    const deployments = (await this.#logs("deploy")).map(({ data }) => `0x${data.slice(-64)}`);
    assert.deepEqual(deployments.sort(), this.#performed.deployments.toSorted(), "the performed deployments");
    assert.deepEqual(await this.#issuer.get("/orders?statuses=0,1,2,3,5,6"), [], "orders that are not done");
    const { payment } = await this.#issuer.get("/account");
    const cost = { orders: payment.assetCreateCost, approvals: payment.dappValueApproveCost, deployments: payment.assetDeployCost };
    const paid = Object.entries(this.#performed).reduce((sum, [kind, hashes]) => sum + BigInt(cost[kind]) * BigInt(hashes.length), 0n);
    assert.equal(await this.world.view(this.world.ready.addresses.token, "token", "balanceOf", [payment.receiverAddress]), paid, "the fees");
  }

  async #checkOrder({ ref, id, hash, txHash }) {
    const asset = await this.#issuer.get(`/ledgers/${this.#ledger.ledgerId}/assets/${id}`);
    assert.equal(asset.ownerId, this.#issuer.id);
    const { logs } = await this.world.node.call("eth_getTransactionReceipt", txHash);
    assert.ok(
      logs.some(({ topics }) => topics[1] === hash),
      `the transaction ${txHash} does not perform ${ref}`,
    );
  }

  async #checkDeployment({ ref, hash, txHash }) {
    const { ledgerId, ledgerRef } = await this.read({ kind: "deployments", ref });
    const { logs } = await this.world.node.call("eth_getTransactionReceipt", txHash);
    const address = ledgerId.slice(2).toLowerCase();
    assert.ok(
      logs.some(({ data }) => data.endsWith(hash.slice(2)) && data.includes(address)),
      `the transaction ${txHash} does not create ${ledgerId}`,
    );
    assert.equal((await this.#issuer.get(`/ledgers/${ledgerId}`)).ref, ledgerRef);
  }

  /** Returns the logs of performed requests that a gateway has written. */
  #logs(gateway) {
    const filter = { address: this.world.ready.addresses[gateway], topics: [ABI[gateway].getEvent("Perform").topicHash], fromBlock: "0x0", toBlock: "latest" };
    return this.world.node.call("eth_getLogs", filter);
  }

  // Faults

  /** Aborts the Worker at a step while requests are accepted and performed. With `kill`, then also kills its process. */
  async abort(step, kill) {
    const { world } = this;
    const requests = [await this.order(), await this.deployment(), await this.approval()];
    await world.abortAt(step);
    const since = world.server.log().length;
    const isReached = () => world.server.log().slice(since).includes(`ABORT_AT=${step}`);
    const sent = requests.map((request) => this.send(request));
    for (let block = 0; block < REACHED && !isReached(); block++) {
      await sleep(50);
      await world.mine();
      await world.sweep();
    }
    assert.ok(isReached(), `${REACHED} blocks did not reach the step ${step}`);
    this.reached[step] += 1;
    if (kill) await world.kill();
    this.resent += (await Promise.all(sent)).filter((answered) => !answered).length;
    await world.abortAt("never");
  }

  /** Kills the process at random moments while requests are performed. */
  async kills() {
    await this.post({ deploys: true });
    for (let kill = 0; kill < 2; kill++) {
      const work = this.world.mine().then(() => this.world.sweep());
      await sleep(Math.random() * MOMENT_MS);
      await this.world.kill();
      await work;
      await this.blocks(1);
    }
  }

  /** Sends requests, and then gives providers faults for some blocks. If `late`, sends another request during the faults. */
  async providers(places, faults, blocks = 5, late = true) {
    await this.post();
    for (const place of places) this.world.proxies[place].faults = await (typeof faults === "function" ? faults(this) : faults);
    if (late && !(await this.send(await this.order()))) this.resent += 1;
    await this.blocks(blocks);
  }

  /** A provider fails for good in the night. The alert names the runbook's entry, whose step of another provider makes the service work again. */
  async night() {
    const { world } = this;
    const told = (severity) => this.alerts.filter((alert) => alert.cause === "chain-late" && alert.severity === severity);
    const order = await this.post();
    await this.blocks(1);
    world.proxies[1].faults = { drops: true };
    this.alerts.length = 0;
    // With one provider, new blocks are indexed and orders get into them. A block is final only if two providers agree.
    // After an earlier alert, the next one about the same cause follows within the hour.
    for (let minutes = 0; minutes < 100 && told("critical").length === 0; minutes += 9) {
      await world.pass(540);
      // A Worker uses the state of the chain's head for a second.
      await sleep(1_100);
      await this.blocks(1);
    }
    const [alert, ...more] = told("critical");
    assert.match(alert?.text ?? "", /No block has become final for \d+ minutes, so no order is final: too few providers agree\./);
    assert.equal(more.length, 0);
    assert.deepEqual(told("resolved"), []);
    const [, entry] = alert.runbook.split("#");
    const step = (await readFile(new URL("../../docs/runbook.md", import.meta.url), "utf8")).split(`## ${entry}\n`)[1];
    assert.match(step, /add another provider to the secret `RPC_URLS`: `cargo xtask wrangler secret put RPC_URLS ENV`/);
    assert.equal(order.status, SUCCESS);

    await world.addProvider();
    await this.status(order, FINALIZED);
    await this.blocks(1);
    assert.equal(told("resolved").length, 1);
  }

  /** Lets no provider send transactions, while the first one says that they were performed. With `hasLogs`, it also invents the log of an order. */
  async pretend(hasLogs) {
    const [first, second] = this.world.proxies;
    for (const proxy of [first, second]) proxy.faults = { swallows: true };
    const order = await this.post();
    await this.look();
    first.faults = { swallows: true, saysPerformed: true, ...(hasLogs && { forges: [order.hash] }) };
    await this.blocks(8);
    assert.deepEqual(await this.pool(), []);
  }

  /** Removes at least the last `depth` blocks, and always the block in which an order was performed. */
  async reorganise(depth) {
    const { node } = this.world;
    const order = await this.post({ deploys: true });
    await this.status(order, SUCCESS);
    const { blockNumber } = await node.call("eth_getTransactionReceipt", order.txHash);
    const above = (await this.world.head()) - Number(blockNumber) + 1;
    await this.world.mine(Math.max(depth - above, 0));
    await this.world.sweep();
    await node.call("anvil_reorg", Math.max(depth, above), []);
    assert.equal(await this.#isPerformed(order), false);
    await this.blocks(1);
    assert.notEqual(order.status, FINALIZED);
  }

  /** Sets the chain back to the time before the requests. */
  async revert() {
    const snapshot = await this.world.node.call("evm_snapshot");
    const order = await this.post({ deploys: true });
    await this.status(order, SUCCESS);
    assert.ok(await this.world.node.call("evm_revert", snapshot));
    assert.equal(await this.#isPerformed(order), false);
    await this.blocks(1);
    assert.notEqual(order.status, FINALIZED);
  }

  /** Drops a transaction from the pool. The service must send the same bytes again. */
  async drop() {
    const order = await this.post();
    const { hash } = await this.pooled(order);
    await this.world.node.call("anvil_dropTransaction", hash);
    await this.status(order, FINALIZED);
    assert.equal(order.txHash, hash);
  }

  /** Uses the relayer's key for another transaction, before or after the service has sent one with the same nonce. */
  async steal(isBefore) {
    const { node, ready } = this.world;
    const transaction = { from: ready.relayer, to: ready.relayer, gas: "0x5208" };
    if (isBefore) {
      await node.call("eth_sendTransaction", transaction);
      await this.post();
      return;
    }
    const order = await this.post();
    const { nonce, hash, maxFeePerGas, maxPriorityFeePerGas } = await this.pooled(order);
    const fees = { maxFeePerGas: quantity(2n * BigInt(maxFeePerGas) + GWEI), maxPriorityFeePerGas: quantity(2n * BigInt(maxPriorityFeePerGas) + GWEI) };
    await node.call("eth_sendTransaction", { ...transaction, nonce, ...fees });
    await this.world.mine();
    assert.equal(await node.call("eth_getTransactionReceipt", hash), null, "the nonce was not taken");
  }

  /** Takes the relayer's ether away for some blocks, and gives it back. */
  async ruin() {
    const { node, ready } = this.world;
    const balance = await node.call("eth_getBalance", ready.relayer, "latest");
    await node.call("anvil_setBalance", ready.relayer, "0x0");
    // A Worker uses a balance for a second after it has read it.
    await sleep(1_500);
    const order = await this.post();
    await this.blocks(6);
    await node.call("anvil_setBalance", ready.relayer, balance);
    assert.equal(order.status, PENDING, "the order must wait while the relayer has no funds");
  }

  /** Lets another account perform an order first, with the data of the service's transaction. */
  async frontRun() {
    const { node, ready } = this.world;
    const order = await this.post();
    const { input, gas, maxFeePerGas } = await this.pooled(order);
    const [{ address: from }] = ready.accounts;
    const fees = { maxFeePerGas: quantity(BigInt(maxFeePerGas) + 100n * GWEI), maxPriorityFeePerGas: quantity(50n * GWEI) };
    const hash = await node.call("eth_sendTransaction", { from, to: ready.addresses.actions, data: input, gas, ...fees });
    await this.status(order, FINALIZED);
    assert.equal(order.txHash, hash);
  }

  /** Makes gas dearer than the transactions in the pool pay. */
  async spike() {
    const order = await this.post();
    const { maxFeePerGas } = await this.pooled(order);
    await this.world.node.call("anvil_setNextBlockBaseFeePerGas", quantity(50n * BigInt(maxFeePerGas)));
    await this.blocks(1);
    assert.equal(order.status, PROCESSING, "the order must wait, because its transaction is too cheap");
  }

  /** Keeps the price of gas above the service's maximum until an order has expired. */
  async expire() {
    const { node } = this.world;
    const order = await this.order({ expires: 60, ends: FAILURE });
    await this.persist(order);
    await this.pooled(order);
    await this.approval();
    for (let block = 0; block < 60 && order.status !== FAILURE; block++) {
      await node.call("anvil_setNextBlockBaseFeePerGas", quantity(300n * GWEI));
      await this.blocks(1);
      assert.notEqual(order.status, FINALIZED);
    }
    await node.call("anvil_setNextBlockBaseFeePerGas", quantity(GWEI));
    await this.world.mine();
    assert.equal(order.error?.code !== undefined, true, JSON.stringify(order));
  }
}

const HTML = { status: 200, type: "text/html", body: "<!doctype html><title>Just a moment...</title>" };
const [FIRST, SECOND, BOTH] = [[0], [1], [0, 1]];

/** All scenarios, by name. */
export const SCENARIOS = {
  ...Object.fromEntries(
    STEPS.flatMap((step) => [
      [`aborted at ${step}`, (trial) => trial.abort(step, false)],
      [`killed at ${step}`, (trial) => trial.abort(step, true)],
    ]),
  ),
  "killed at random moments": (trial) => trial.kills(),
  "one provider drops connections": (trial) => trial.providers(FIRST, { drops: true }),
  "all providers drop connections": (trial) => trial.providers(BOTH, { drops: true }),
  "all providers drop their answers": (trial) => trial.providers(BOTH, { dropsAnswers: true }),
  "a provider is slow": (trial) => trial.providers(FIRST, { delay: 300 }, 3),
  "all providers limit requests": (trial) => trial.providers(BOTH, { answer: { status: 429 } }),
  "all providers fail": (trial) => trial.providers(BOTH, { answer: { status: 503 } }),
  "a provider answers with a page": (trial) => trial.providers(FIRST, { answer: HTML }),
  "all providers answer with a page": (trial) => trial.providers(BOTH, { answer: HTML }),
  "the first provider says that everything was performed": (trial) => trial.providers(FIRST, { saysPerformed: true }, 8),
  "the second provider says that everything was performed": (trial) => trial.providers(SECOND, { saysPerformed: true }, 8),
  "the first provider says that kept transactions were performed": (trial) => trial.pretend(false),
  "the first provider invents logs of kept transactions": (trial) => trial.pretend(true),
  "the first provider names a wrong hash": (trial) => trial.providers(FIRST, { falseHash: true }, 8),
  "the second provider names a wrong hash": (trial) => trial.providers(SECOND, { falseHash: true }, 8),
  "the first provider is on a fork": (trial) => trial.providers(FIRST, { fork: true }, 8),
  "the second provider is on a fork": (trial) => trial.providers(SECOND, { fork: true }, 8),
  "the first provider names no balance": (trial) => trial.providers(FIRST, { balance: 0 }, 8, false),
  "the first provider names a large balance": (trial) => trial.providers(FIRST, { balance: 10n ** 30n }, 8),
  "the first provider is behind": (trial) => trial.providers(FIRST, { behind: 2 }, 8),
  "the second provider is behind": (trial) => trial.providers(SECOND, { behind: 5 }, 8),
  "all providers are behind": (trial) => trial.providers(BOTH, { behind: 3 }, 8),
  "the first provider omits logs": (trial) => trial.providers(FIRST, { omitsLogs: true }, 8),
  "the first provider omits logs and empties bloom filters": (trial) => trial.providers(FIRST, { omitsLogs: true, omitsBloom: true }, 8),
  "the second provider omits logs and empties bloom filters": (trial) => trial.providers(SECOND, { omitsLogs: true, omitsBloom: true }, 8),
  "the first provider lacks a block": (trial) => trial.providers(FIRST, async () => ({ lacks: (await trial.world.head()) + 1 }), 8),
  "all providers lack a block": (trial) => trial.providers(BOTH, async () => ({ lacks: (await trial.world.head()) + 1 }), 8),
  "all providers keep transactions": (trial) => trial.providers(BOTH, { swallows: true }, 8),
  "one provider keeps transactions": (trial) => trial.providers(FIRST, { swallows: true }, 5),
  "a provider fails in the night": (trial) => trial.night(),
  "the block of an order is reorganised": (trial) => trial.reorganise(1),
  "all blocks that are not final are reorganised": (trial) => trial.reorganise(CONFIRMATIONS),
  "the chain is set back": (trial) => trial.revert(),
  "a transaction is dropped from the pool": (trial) => trial.drop(),
  "the relayer's key is used elsewhere before": (trial) => trial.steal(true),
  "the relayer's key is used elsewhere meanwhile": (trial) => trial.steal(false),
  "the relayer has no funds": (trial) => trial.ruin(),
  "another account performs an order first": (trial) => trial.frontRun(),
  "gas becomes dearer": (trial) => trial.spike(),
  "an order expires in the pool": (trial) => trial.expire(),
};
