// Captures requests that the client creates and signs, so that a test can measure them, repeat them, or send them while the service stops.
import { randomBytes } from "node:crypto";
import { Client, PrivateKeyProvider } from "@assay/client";

/** An account. After a restart of the service, a test can set the new address in `url`. */
export class Sender {
  /** The service's address. */
  url;
  id;
  client;
  #first;
  #make;

  /** Creates an account with a key, without calling a service. */
  static async of(key = randomBytes(32)) {
    const sender = new Sender();
    const provider = await PrivateKeyProvider.from(key.toString("hex"));
    sender.id = provider.accountId;
    sender.#make = (apiUrl) => new Client({ provider, apiUrl, retries: 0, fetch: (url, request) => sender.#fetch(url, request) });
    return sender;
  }

  /** Connects to the service, and creates the request headers of the account. */
  async connect(url) {
    this.url = this.#first = url.replace(/\/$/, "");
    this.client = this.#make(this.#first);
    await this.client.init();
    const { headers } = await this.made((client) => client.getAccount());
    this.headers = { authorization: headers.authorization, "content-type": "application/json" };
    return this;
  }

  /** Returns the request of a client call without sending it: `{ method, headers, body }`. */
  async made(call) {
    return new Promise((resolve, reject) => {
      this.#taker = resolve;
      // The captured request gets no answer, so the call itself must fail.
      call(this.client).then(reject, () => reject(new Error("the client made no request")));
    });
  }

  #taker;

  async #fetch(url, request) {
    const taker = this.#taker;
    this.#taker = undefined;
    if (!taker) return fetch(this.url + url.slice(this.#first.length), request);
    taker(request);
    throw new Error("taken instead of sent");
  }

  /** Returns the request body of an order that creates an asset, signed and paid by this account. */
  async creation(ledgerId, id, imprint, receiverId) {
    const action = { kind: 1, assetLedgerId: ledgerId, id, imprint, senderId: this.id, receiverId };
    const order = { actions: [action], signersIds: [this.id], payerId: this.id, wildcardSigner: false, automatedPerform: true };
    const { body } = await this.made((client) => client.createOrder(order, 2));
    return JSON.parse(body);
  }

  /** Deploys a ledger of this account, and waits until the deployment is done. */
  async deploy(ledger) {
    const { data } = await this.client.createDeployment({ ...ledger, ownerId: this.id }, 2);
    return (await this.client.waitForDeployment(data.ref, { interval: 50 })).data;
  }

  /** Sends a GET request. Returns the `data` of the answer. Throws its errors. */
  async get(path) {
    const response = await fetch(this.url + path, { headers: this.headers });
    const { data, errors } = await response.json();
    if (errors) throw new Error(`GET ${path} answered ${JSON.stringify(errors)}`);
    return data;
  }
}
