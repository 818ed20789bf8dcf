// Verifying webhooks by the Standard Webhooks scheme: HMAC-SHA-256 over `{id}.{timestamp}.{body}`.
import { named } from "./named.js";
import type { WebhookEvent } from "./types.js";

/** How far a webhook's time may be from now, in seconds. */
const TOLERANCE = 300;
const PREFIX = "whsec_";

/** Headers of a request: those of `fetch`, or a record as Node has it. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** A webhook that the service did not send, or not now. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** The answer to a request for the webhook's address. */
export interface WebhookAnswer {
  status: number;
  /** Text. */
  body: string;
}

export interface WebhookOptions {
  /** Seconds that the webhook's time may be from now: 300 unless told. */
  tolerance?: number;
  /** The time in milliseconds since 1970, for tests. */
  now?: number;
}

/**
 * Deals with a request for the webhook's address, and says what to answer: the challenge by which the service asks whether its events are
 * wanted, 204 to an event once `handle` has dealt with it, and 400 to what the service did not send. If `handle` throws, so does this: answer
 * 500, and the event comes again.
 *
 * `body` and `headers` are those of the request, as for {@link verifyWebhook}.
 */
export async function receiveWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  handle: (event: WebhookEvent) => unknown,
  options: WebhookOptions = {},
): Promise<WebhookAnswer> {
  let event;
  try {
    event = await verifyWebhook(body, headers, secret, options);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return { status: 400, body: error.message };
    throw error;
  }
  if (typeof event.challenge === "string") return { status: 200, body: event.challenge };
  await handle(event);
  return { status: 204, body: "" };
}

/**
 * The event of a webhook, if the service sent it and did so within `tolerance` seconds of now.
 *
 * `body` is the body as it came: JSON that was parsed and written again is another text. A delivery may come twice; `event.id`
 * is the same then. An event with `challenge` wants just that as its answer: {@link receiveWebhook} gives it.
 *
 * @throws {WebhookVerificationError}
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: WebhookOptions = {},
): Promise<WebhookEvent> {
  const { tolerance = TOLERANCE, now = Date.now() } = named(options, ["tolerance", "now"]) as WebhookOptions;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (!(bytes instanceof Uint8Array)) throw new TypeError("`body` must be the text or the bytes as they came, not what was parsed from them");
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => header(headers, name));
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError("a header of the webhook is missing");
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookVerificationError("the webhook's time is not a number");
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= tolerance)) throw new WebhookVerificationError("the webhook's time is too far from now");

  const key = await crypto.subtle.importKey("raw", secretBytes(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  // One per secret: while a secret is being replaced there are two.
  for (const entry of signatures.split(" ")) {
    const [version, text] = entry.split(",");
    const signature = version === "v1" && text !== undefined ? base64(text) : undefined;
    // Compares in constant time.
    if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed))) {
      try {
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
      } catch (cause) {
        throw new WebhookVerificationError("the webhook's body is not JSON", { cause });
      }
    }
  }
  throw new WebhookVerificationError("no signature of the webhook is valid");
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const key = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value.join(" ") : value;
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = secret.startsWith(PREFIX) ? base64(secret.slice(PREFIX.length)) : undefined;
  // An empty key would verify what anybody signs.
  if (!bytes || bytes.length < 16) throw new TypeError(`the webhook's secret is \`${PREFIX}\` and base64`);
  return bytes;
}

function base64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
