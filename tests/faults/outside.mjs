// Who the service talks to: a payment provider that makes one payment for each idempotency key, and a receiver of webhooks.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";

export const SECRETS = {
  STRIPE_SECRET_KEY: "sk_test_51HabcdefghijklMNOPQRSTUVWXYZ",
  STRIPE_WEBHOOK_SECRET: "whsec_abcdefghijklmnopqrstuvwxyz012345",
};

export class Outside {
  /** Webhooks in the order in which they came: `{ id, body }`. */
  webhooks = [];
  /** Payments by what their payer gets to know. */
  #payments = new Map();
  #server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (request.url === "/webhook") {
      this.webhooks.push({ id: request.headers["webhook-id"], body: JSON.parse(body) });
      response.writeHead(204).end();
    } else {
      const payment = this.#payment(request.headers["idempotency-key"], Number(new URLSearchParams(body).get("amount")));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(payment));
    }
  });

  static async start() {
    const outside = new Outside();
    await new Promise((resolve, reject) => outside.#server.once("error", reject).listen(0, "127.0.0.1", resolve));
    outside.origin = `http://127.0.0.1:${outside.#server.address().port}`;
    return outside;
  }

  #payment(key, amount) {
    const id = `pi_${key.replaceAll("-", "")}`;
    const secret = `${id}_secret_of_${amount}`;
    const made = { id, object: "payment_intent", amount, currency: "eur", livemode: false, client_secret: secret };
    if (!this.#payments.has(secret)) this.#payments.set(secret, made);
    return this.#payments.get(secret);
  }

  /** What the provider tells of a payment that was made, signed at a time in milliseconds. */
  paid(secret, now) {
    const payment = this.#payments.get(secret);
    const object = { ...payment, status: "succeeded", amount_received: payment.amount };
    const event = { id: `evt_${payment.id}`, object: "event", type: "payment_intent.succeeded", livemode: false, data: { object } };
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
