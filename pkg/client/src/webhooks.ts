// Verifies webhooks by the Standard Webhooks scheme: HMAC-SHA-256 over `{id}.{timestamp}.{body}`.
import { viewOf } from "bytes";
import type { Bytes, Headers } from "./host.js";
import { named } from "./named.js";
import type { WebhookEvent } from "./types.js";

/** The maximum difference between a webhook's time and now, in seconds. */
const TOLERANCE = 300;
const PREFIX = "whsec_";

/** Headers of a request: a `Headers` object of `fetch`, or a record as in Node. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** The webhook could not be verified: a header, its time, its signature or its body is wrong. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** The answer to a request that arrives at the webhook's address. */
export interface WebhookAnswer {
  status: number;
  /** Plain text. */
  body: string;
}

export interface WebhookOptions {
  /** The maximum difference between the webhook's time and now, in seconds. Defaults to 300. */
  tolerance?: number;
  /** The current time in milliseconds since 1970. Set it only in tests. */
  now?: number;
}

/**
 * Handles a request that arrives at the webhook's address, and returns the answer to send:
 * - 200 and the challenge, if the service asks whether the receiver wants its events,
 * - 204 after `handle` has handled an event,
 * - 400 if the request could not be verified.
 *
 * If `handle` throws, this function throws the same error. In that case, answer with status 500. The service then sends the event again.
 *
 * `body` and `headers` come from the request, as in {@link verifyWebhook}.
 */
export async function receiveWebhook(body: string | Bytes, headers: WebhookHeaders, secret: string, handle: (event: WebhookEvent) => unknown, options: WebhookOptions = {}): Promise<WebhookAnswer> {
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
 * Returns the event of a webhook, if the service sent it within `tolerance` seconds of now.
 *
 * `body` is the body exactly as received: parsing and writing the JSON would change the bytes, and the signature would no longer match. An event may be
 * delivered twice, with the same `event.id`. Answer an event that has a `challenge` with the challenge, as {@link receiveWebhook} does.
 *
 * @throws {WebhookVerificationError} if the webhook cannot be verified.
 * @throws {TypeError} if the secret is malformed, or `body` was already parsed.
 */
export async function verifyWebhook(body: string | Bytes, headers: WebhookHeaders, secret: string, options: WebhookOptions = {}): Promise<WebhookEvent> {
  const { tolerance = TOLERANCE, now = Date.now() } = named(options, ["tolerance", "now"]) as WebhookOptions;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : viewOf(body);
  if (bytes === undefined) throw new TypeError("`body` must be the string or bytes as received, not a parsed value");
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => header(headers, name));
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError("a header of the webhook is missing");
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookVerificationError("the webhook's time is not a number");
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= tolerance)) throw new WebhookVerificationError("the webhook's time is too far from now");

  const key = await crypto.subtle.importKey("raw", secretBytes(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  // The header has one signature for each valid secret: two while a secret is being replaced.
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

/** Returns true for `Headers` of any realm. */
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers.get === "function";
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const key = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value.join(" ") : value;
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  if (typeof secret !== "string") throw new TypeError("the webhook's secret is missing: it is in the answer of `updateAccountWebhook`, and starts with `whsec_`");
  const bytes = secret.startsWith(PREFIX) ? base64(secret.slice(PREFIX.length)) : undefined;
  // A short key could be guessed.
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
