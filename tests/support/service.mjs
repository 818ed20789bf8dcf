// The service as its users call it: accounts that hold a key, sign claims and wait for what they ordered.
import { setTimeout as sleep } from "node:timers/promises";
import * as claims from "./claims/dist/claims.js";

const STATUS = ["Initialized", "Pending", "Processing", "Success", "Failure", "Suspended", "Canceled", "Finalized"];
const FAILURE = 4;
const CANCELED = 6;
const FINALIZED = 7;
/** How long an order or a badge may take, in milliseconds. */
const PATIENCE = 90_000;

export class Service {
  constructor(url, text) {
    this.url = url.replace(/\/$/, "");
    this.authorizationText = text;
  }

  /** Finds out what the service's Authorization header signs. */
  static async connect(url) {
    const response = await fetch(new URL("/health", url));
    const { data } = await response.json();
    return new Service(url, data.authorizationText);
  }

  /** Somebody with a private key of 32 bytes. */
  account(key) {
    return new Account(this, `0x${Buffer.from(key).toString("hex")}`);
  }

  /** What the badge says, as soon as `enough` agrees or patience ends. */
  async badge(query, enough) {
    return until(async () => {
      const response = await fetch(`${this.url}/badge?${query}`, { headers: { accept: "image/*" } });
      await response.arrayBuffer();
      return response.headers.get("x-asset-validity");
    }, enough);
  }
}

class Account {
  #service;
  #key;
  #own;

  constructor(service, key) {
    this.#service = service;
    this.#key = key;
    this.id = claims.accountOf(key);
  }

  get(path) {
    return this.#call("GET", path);
  }

  post(path, body) {
    return this.#call("POST", path, body);
  }

  async #call(method, path, body) {
    const response = await fetch(this.#service.url + path, {
      method,
      headers: {
        authorization: claims.authorization(this.#key, this.#service.authorizationText),
        "content-type": "application/json; charset=utf-8",
      },
      body: body && JSON.stringify(body),
    });
    const envelope = await response.json();
    if (!envelope.errors) return envelope.data;
    const reasons = envelope.errors.map(({ code, path: place, message }) => `${code} ${place}: ${message}`);
    throw new Error(`${method} ${path} answered ${envelope.status}: ${reasons.join("; ")}`);
  }

  /** The account's record: the addresses that claims are made for, and what things cost. */
  async #account() {
    this.#own ??= await this.get("/account");
    return this.#own;
  }

  /** This account's claim over a hash. */
  claim(hash) {
    return claims.claim(this.#key, hash);
  }

  /** Deploys a ledger of this account's and waits for it. */
  async deploy(ledger) {
    const { payment, gateway } = await this.#account();
    const body = {
      deploy: {
        makerId: this.id,
        assetLedgerData: { ...ledger, ownerId: this.id },
        tokenTransferData: { ledgerId: payment.tokenAddress, receiverId: payment.receiverAddress, value: payment.assetDeployCost },
        ...moment(),
      },
      priority: 2,
    };
    body.claim = this.claim(claims.deploymentHash(JSON.stringify(body), JSON.stringify(gateway)));
    return this.#finished("/deployments", await this.post("/deployments", body));
  }

  /** Creates an asset by an order that this account signs and pays, and waits for it. */
  async issue({ ledgerId, assetId, imprint, receiverId }) {
    const { payment, gateway } = await this.#account();
    const actions = [
      { kind: 1, ledgerId, assetId, assetImprint: imprint, senderId: this.id, receiverId },
      { kind: 3, ledgerId: payment.tokenAddress, value: payment.assetCreateCost, senderId: this.id, receiverId: payment.receiverAddress },
    ];
    const body = {
      order: { signers: [{ accountId: this.id, claim: "" }], actions, ...moment() },
      wildcardSigner: false,
      automatedPerform: true,
      priority: 2,
    };
    body.order.signers[0].claim = this.claim(claims.orderHash(JSON.stringify(body), JSON.stringify(gateway)));
    return this.#finished("/orders", await this.post("/orders", body));
  }

  async #finished(path, { ref }) {
    const record = await until(
      () => this.get(`${path}/${ref}`),
      ({ status }) => [FAILURE, CANCELED, FINALIZED].includes(status),
    );
    if (record.status !== FINALIZED) throw new Error(`${path}/${ref} is ${STATUS[record.status]}: ${JSON.stringify(record.error)}`);
    return { ...record, statusName: STATUS[record.status] };
  }
}

/** Seed and expiration of a request that is made now and valid for two days. */
function moment() {
  return { seed: Date.now(), expiration: Date.now() + 172_800_000 };
}

async function until(look, enough) {
  for (const end = Date.now() + PATIENCE; ; await sleep(200)) {
    const seen = await look();
    if (enough(seen) || Date.now() > end) return seen;
  }
}
