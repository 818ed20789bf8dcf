// A service that is stopped repeatedly: its Worker aborts at a step, or its process is killed. Clients that get no answer repeat the request
// under the same idempotency key. In the end, every accepted request must have taken effect exactly once.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startServer } from "../support/server.mjs";
import { Sender } from "../support/sender.mjs";
import { until } from "../support/until.mjs";
import { SECRET } from "../support/webhooks.mjs";
import { Outside, SECRETS } from "./outside.mjs";

/**
 * The steps at which the Worker can abort: before and after each database transaction of an order, a webhook delivery or a deposit. An order
 * is performed in the transaction that creates it.
 */
export const STEPS = [...["create", "claim", "delivered", "intent", "intent-known", "credit"].flatMap((step) => [`${step}:before`, `${step}:after`])];

/** The steps of deposits. */
const OF_DEPOSITS = /^(intent|credit)/;
/** Longer than any lease, in milliseconds. */
const LEASE_MS = 61_000;
/** Milliseconds: the wait for a step, the maximum delay of a kill, the longest wait for an answer, and the pause before a repetition. */
const REACHED_MS = 1_500;
const MOMENT_MS = 150;
const ANSWERED_MS = 30_000;
const PAUSE_MS = 20;

const FINALIZED = 7;
/** The statuses of a performed order in the webhook events: pending, processing, success, finalized. */
const STATUSES = [1, 2, 3, FINALIZED];
const JSON_TYPE = { "content-type": "application/json" };

export class Trial {
  /** The numbers of aborts at each step, of kills of the process, and of requests without an answer. */
  reached = Object.fromEntries(STEPS.map((step) => [step, 0]));
  killed = 0;
  resent = 0;
  #outside;
  #state;
  #server;
  #issuer;
  #receiver;
  #ledger;
  #vars;
  /** The credited tokens, and the number of accepted orders. */
  #credited = 0n;
  #orders = 0;
  /** A deposit whose payment the provider has not reported yet. */
  #unpaid;
  /** The offset of the service's clock, in milliseconds. */
  #offset = 0;

  static async start() {
    const trial = new Trial();
    trial.#outside = await Outside.start();
    trial.#state = await mkdtemp(path.join(tmpdir(), "assay-faults-"));
    await trial.#prepare();
    return trial;
  }

  /** Sets up a service with a ledger, whose owner has tokens and a webhook. Fees go to an account whose balance the test can read. */
  async #prepare() {
    const [issuer, receiver] = await Promise.all([Sender.of(), Sender.of()]);
    this.#vars = {
      ENVIRONMENT: "development",
      DEPOSITS: "stripe",
      ...SECRETS,
      STRIPE_API_BASE: this.#outside.origin,
      PAYMENT_RECEIVER: receiver.id,
      ALLOW_PRIVATE_FETCH: "true",
      MOVABLE_CLOCK: "true",
      ABORT_AT: "never",
      RATE_LIMIT_ADDRESS: "off",
      RATE_LIMIT_ACCOUNT: "off",
    };
    await this.#boot();
    this.#issuer = await issuer.connect(this.#server.url);
    this.#receiver = await receiver.connect(this.#server.url);
    const name = { firstName: "Ada", lastName: "Byron", email: "ada@example.com", streetAddress: "1 Main Street", postalCode: "1000", city: "Ljubljana", country: "Slovenia" };
    // Payers must be identified.
    await this.#persist("PUT", "/account", name);
    await this.#pay(await this.#persist("POST", "/deposits", { amount: 90_000_000 }));
    this.#ledger = await this.#issuer.deploy({
      name: "Faults",
      symbol: "F",
      uriPrefix: "https://example.com/",
      uriPostfix: "",
      schemaId: `0x${"0".repeat(64)}`,
      capabilities: [],
    });
    await this.#persist("PUT", "/account/webhook", { url: `${this.#outside.origin}/webhook`, events: [], secret: SECRET });
  }

  async #boot() {
    this.#server = await startServer({ vars: this.#vars, state: this.#state });
    for (const account of [this.#issuer, this.#receiver]) if (account) account.url = this.#server.url;
  }

  /** Sends a request. Returns its answer, or undefined if there was no final answer. */
  async #send(method, target, headers, body) {
    let response, text;
    try {
      response = await fetch(this.#server.url + target, { method, headers, body, signal: AbortSignal.timeout(ANSWERED_MS) });
      text = await response.text();
    } catch {
      return undefined;
    }
    // The service has failed, or is still processing the same request.
    const later = response.status >= 500 || text.includes("still in progress");
    assert.ok(response.ok || later, `${method} ${target} answered ${text}`);
    return response.ok ? text : undefined;
  }

  /** Sends a request of the issuer. Returns the `data` of its answer, or undefined if there was no final answer. */
  async #ask(method, target, body, key) {
    const headers = key ? { ...this.#issuer.headers, "idempotency-key": key } : this.#issuer.headers;
    const text = await this.#send(method, target, headers, JSON.stringify(body));
    return text && JSON.parse(text).data;
  }

  /** Repeats a request of the issuer until it has a final answer. */
  async #persist(...request) {
    const ask = async () => {
      const data = await this.#ask(...request);
      if (!data) this.resent += 1;
      return data;
    };
    const data = await until(ask, Boolean, PAUSE_MS);
    assert.ok(data, `${request[0]} ${request[1]} was never answered`);
    return data;
  }

  /** Sends the provider's event that a deposit was paid. */
  #tell(deposit) {
    const { body, headers } = this.#outside.paid(deposit.clientSecret, Date.now() + this.#offset);
    return this.#send("POST", "/deposits/stripe", headers, body);
  }

  /** Sends the event that a deposit was paid, two copies at a time, until both are accepted. */
  async #pay(deposit) {
    const tellTwice = async () => (await Promise.all([this.#tell(deposit), this.#tell(deposit)])).every(Boolean);
    assert.ok(await until(tellTwice, Boolean, PAUSE_MS), "the provider's event was never accepted");
    this.#credited += BigInt(deposit.tokens);
  }

  async #development(method, name, body) {
    const answer = await this.#send(method, `/development/${name}`, JSON_TYPE, JSON.stringify(body));
    assert.ok(answer, `/development/${name} was not answered`);
  }

  /** Moves the clock past every lease, and runs the service's scheduled work. */
  async #settle() {
    for (const advance of [LEASE_MS, LEASE_MS]) {
      this.#offset += advance;
      await this.#development("PUT", "clock", { offsetMs: this.#offset });
      await this.#development("POST", "sweep", {});
    }
  }

  /**
   * Sends an order, and the event that the previous deposit was paid, at the same time. Meanwhile the Worker aborts at `step`. With `kill`,
   * kills the process after the abort, or at a random moment if there is no step.
   *
   * Also sends a new deposit if the step is about deposits, or if there is no step. Other rounds send none: a deposit whose answer is lost
   * stays open for a day, and an account may have only five open deposits.
   */
  async round(step, kill) {
    const number = this.#orders + 1;
    const key = `round-${number}`;
    const order = await this.#issuer.creation(this.#ledger.ledgerId, `${number}`, "0".repeat(64), this.#receiver.id);
    const deposit = (!step || OF_DEPOSITS.test(step)) && { amount: 1000 + number };
    const paying = this.#unpaid;

    if (step) await this.#development("PUT", "abort", { step });
    const since = this.#server.log().length;
    const aborted = () => step !== undefined && this.#server.log().slice(since).includes(`ABORT_AT=${step}`);
    const under = [this.#ask("POST", "/orders", order, key), deposit && this.#ask("POST", "/deposits", deposit, key), paying && this.#tell(paying)];
    const end = Date.now() + (step ? REACHED_MS : Math.random() * MOMENT_MS);
    while (Date.now() < end && !aborted()) await sleep(2);
    if (aborted()) this.reached[step] += 1;
    if (kill) {
      this.killed += 1;
      await this.#server.kill();
    }
    const answers = await Promise.all(under.filter(Boolean));
    this.resent += answers.filter((answer) => !answer).length;
    if (kill) await this.#boot();
    await this.#development("PUT", "abort", { step: "never" });

    await this.#settle();
    const { ref } = await this.#persist("POST", "/orders", order, key);
    this.#orders = number;
    this.#unpaid = deposit ? await this.#persist("POST", "/deposits", deposit, key) : undefined;
    if (paying) await this.#pay(paying);
    await this.#settle();
    await this.#check(ref, paying);
  }

  async #check(ref, paid) {
    const order = await this.#issuer.get(`/orders/${ref}`);
    assert.equal(order.status, FINALIZED, JSON.stringify(order));
    const asset = await this.#issuer.get(`/ledgers/${this.#ledger.ledgerRef}/assets/${this.#orders}`);
    assert.equal(asset.ownerId, this.#receiver.id);
    assert.deepEqual(await this.#issuer.get("/orders?statuses=0,1,2,3,4,5,6"), [], "orders that are not finalized");
    if (paid) assert.equal((await this.#issuer.get(`/deposits/${paid.ref}`)).status, "succeeded");

    const payer = await this.#issuer.get("/account");
    const { balance } = await this.#receiver.get("/account");
    const fees = BigInt(payer.payment.assetDeployCost) + BigInt(this.#orders) * BigInt(payer.payment.assetCreateCost);
    assert.equal(BigInt(balance), fees, "the fees paid for orders");
    assert.equal(BigInt(payer.balance) + fees, this.#credited, "the balance and the fees together");

    const told = this.#outside.webhooks.filter(({ body }) => body.requestRef === ref);
    const states = new Map(told.map(({ id, body }) => [id, body.status]));
    assert.deepEqual([...states.values()], STATUSES, "the statuses in webhooks, in order");
  }

  /** The number of repeated webhook deliveries: all deliveries except the first one of each event. */
  get repeated() {
    return this.#outside.webhooks.length - new Set(this.#outside.webhooks.map(({ id }) => id)).size;
  }

  async stop() {
    await this.#server?.stop();
    await this.#outside.stop();
    await rm(this.#state, { recursive: true, force: true });
  }
}
