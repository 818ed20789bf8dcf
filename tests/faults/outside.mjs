// The servers that the service calls: a payment provider, which makes one payment per idempotency key, and a receiver of webhooks.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";

export const SECRETS = {
  STRIPE_SECRET_KEY: "sk_test_51HabcdefghijklMNOPQRSTUVWXYZ",
  STRIPE_WEBHOOK_SECRET: "whsec_abcdefghijklmnopqrstuvwxyz012345",
};

export class Outside {
  /** Events in the order of arrival: `{ id, body }`. */
  webhooks = [];
  /** Payments by their ids, which are derived from idempotency keys. */
  #payments = new Map();
  #server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (request.url === "/webhook") {
      const event = JSON.parse(body);
      if (!event.challenge) this.webhooks.push({ id: request.headers["webhook-id"], body: event });
      response.writeHead(event.challenge ? 200 : 204).end(event.challenge);
      return;
    }
    const payment = this.#payment(request, body);
    response.writeHead(payment ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(payment ?? {}));
  });

  static async start() {
    const outside = new Outside();
    await new Promise((resolve, reject) => outside.#server.once("error", reject).listen(0, "127.0.0.1", resolve));
    outside.origin = `http://127.0.0.1:${outside.#server.address().port}`;
    return outside;
  }

  /** Returns the payment that a request creates, reads or cancels. Undefined if there is no such payment. */
  #payment({ method, url, headers }, body) {
    const [, known, change] = /^\/v1\/payment_intents(?:\/(\w+))?(\/cancel)?(?:\?|$)/.exec(url) ?? [];
    if (known) {
      const payment = this.#payments.get(known);
      if (change && payment && payment.status !== "succeeded") payment.status = "canceled";
      return payment;
    }
    if (method !== "POST") return undefined;
    const id = `pi_${headers["idempotency-key"].replaceAll("-", "")}`;
    if (!this.#payments.has(id)) {
      const amount = Number(new URLSearchParams(body).get("amount"));
      const made = { id, object: "payment_intent", amount, amount_received: 0, currency: "eur", livemode: false };
      this.#payments.set(id, { ...made, client_secret: `${id}_secret_of_it`, status: "requires_payment_method" });
    }
    return this.#payments.get(id);
  }

  /** Completes the payment of a client secret. Returns the request with the provider's event, signed at `now` in milliseconds. */
  paid(secret, now) {
    const payment = this.#payments.get(secret.replace("_secret_of_it", ""));
    Object.assign(payment, { status: "succeeded", amount_received: payment.amount });
    const event = { id: `evt_${payment.id}`, object: "event", type: "payment_intent.succeeded", livemode: false, data: { object: payment } };
    const body = JSON.stringify(event);
    const seconds = Math.floor(now / 1000);
    const signature = createHmac("sha256", SECRETS.STRIPE_WEBHOOK_SECRET).update(`${seconds}.${body}`).digest("hex");
    return { body, headers: { "content-type": "application/json", "stripe-signature": `t=${seconds},v1=${signature}` } };
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
