// Sends requests. Each call returns one envelope, and is retried if a retry is safe.
import { sleep, within } from "./abort.js";
import { ApiError, ConnectionError, reason } from "./errors.js";
import type { AbortSignal, Fetch, FormData } from "./host.js";
import type { Envelope, Failure } from "./types.js";

/** The last argument of every function. */
export interface CallOptions {
  /** Cancels the call, including its retries and pauses. */
  signal?: AbortSignal | undefined;
  /** The service executes a POST only once under this key. By default each call gets a new key. */
  idempotencyKey?: string | undefined;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface Call {
  method: Method;
  /** The path with escaped parameters: see `path`. */
  path: string;
  query?: [name: string, value: string][];
  body?: object;
  /** A form to send instead of a body. */
  form?: FormData;
  /** True if the call may be sent again even if the service may have executed it. */
  repeatable?: boolean;
  /** Sent without the Authorization header. */
  open?: boolean;
}

export interface TransportOptions {
  apiUrl: string;
  /** The maximum number of retries of a call. */
  retries: number;
  /** The timeout of one attempt, in milliseconds. */
  timeout: number;
  fetch: Fetch;
}

/** The pause before the first retry, in milliseconds. It doubles with each further retry. */
const FIRST_PAUSE = 250;
/** The maximum pause, in milliseconds. If the service asks for a longer pause, the call fails. */
const LONGEST_PAUSE = 60_000;
/** The HTTP statuses with which a gateway reports that the service did not answer. */
const UNREACHED = [502, 503, 504];
const RATE_LIMITED = 429;
/** The header that names a state of the service's database, in requests and in answers. */
const BOOKMARK = "x-bookmark";
/**
 * The maximum size of an uncompressed answer, in bytes. The largest real answers, a hundred large orders or a certificate with its evidence,
 * are about a tenth of this size.
 */
const LONGEST_ANSWER = 64 * 2 ** 20;
/** The service's code for an idempotency key that was used for another request, or whose first request is still in progress. */
const KEY_CONFLICT = 409000;
/** The service's code while its operator has paused changes, which lasts for minutes or hours. */
const WRITES_PAUSED = 503000;

/** Returns true if a failure is transient: a later attempt may succeed, and the failure says nothing about the requested record. */
export function passes(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && [RATE_LIMITED, ...UNREACHED].includes(error.status));
}

/** Returns a path with escaped parameters: path`/orders/${orderRef}` */
export function path(parts: TemplateStringsArray, ...parameters: string[]): string {
  return parts.reduce((joined, part, index) => joined + segment(parameters[index - 1]) + part);
}

/** Escapes a segment. Refuses `.` and `..`, which would change the path, and an empty segment, which would select another route. */
function segment(value: unknown): string {
  const text = String(value);
  if (value === undefined || value === null || text === "" || text === "." || text === "..") {
    throw new TypeError(`\`${text}\` is not a reference`);
  }
  return encodeURIComponent(text);
}

export class Transport {
  authorization: string | undefined;
  /** The bookmark of the newest state of the database that an answer came from. A read with this bookmark sees this client's earlier changes. */
  #bookmark: string | undefined;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  url(call: Pick<Call, "path" | "query">): string {
    const query = new URLSearchParams(call.query).toString();
    return this.#options.apiUrl + call.path + (query && `?${query}`);
  }

  async send<Data, Info = object>(call: Call, { signal, idempotencyKey }: CallOptions = {}): Promise<Envelope<Data, Info>> {
    const headers: Record<string, string> = { accept: "application/json" };
    if (!call.open && this.authorization !== undefined) headers["authorization"] = this.authorization;
    if (!call.open && call.method === "GET" && this.#bookmark !== undefined) headers[BOOKMARK] = this.#bookmark;
    if (call.body) headers["content-type"] = "application/json; charset=utf-8";
    // The service executes a POST only once under its key, so a retry is safe.
    if (call.method === "POST") headers["idempotency-key"] = idempotencyKey ?? randomKey();
    const repeatable = call.repeatable ?? (call.method === "GET" || call.method === "POST");
    const request: RequestInit = { method: call.method, headers, redirect: "manual" };
    if (call.body) request.body = JSON.stringify(call.body);
    // The runtime adds the form's boundary to the headers.
    if (call.form) request.body = call.form;

    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      const last = attempt >= this.#options.retries;
      let pause = FIRST_PAUSE * 2 ** attempt * (0.5 + Math.random() / 2);
      try {
        const { status, retryAfter, envelope } = await this.#attempt(this.url(call), request, signal);
        const failed = status < 200 || status > 299 || envelope === null || "errors" in envelope || !("data" in envelope);
        if (!failed) return envelope as Envelope<Data, Info>;
        const has = (wanted: number) => isFailure(envelope) && envelope.errors.some(({ code }) => code === wanted);
        const isUnreached = UNREACHED.includes(status) && !has(WRITES_PAUSED);
        const again = status === RATE_LIMITED || (repeatable && isUnreached) || (attempt > 0 && has(KEY_CONFLICT));
        pause = retryAfter ?? pause;
        if (last || !again || pause > LONGEST_PAUSE) throw failure(status, envelope);
        this.#forget(headers);
      } catch (error) {
        if (last || !repeatable || !(error instanceof ConnectionError)) throw error;
        this.#forget(headers);
      }
      await sleep(pause, signal);
    }
  }

  /** Keeps the newer of two bookmarks, the one that sorts last as a string. */
  #remember(bookmark: string | null): void {
    if (bookmark !== null && bookmark > (this.#bookmark ?? "")) this.#bookmark = bookmark;
  }

  /** Leaves the bookmark out of the next attempt: a restored database may not have that state. */
  #forget(headers: Record<string, string>): void {
    delete headers[BOOKMARK];
    this.#bookmark = undefined;
  }

  async #attempt(url: string, request: RequestInit, signal: AbortSignal | undefined) {
    const { timeout, fetch } = this.#options;
    const late = () => new Error(`no answer within ${timeout} ms`);
    return within(timeout, late, signal, async (within) => {
      try {
        const response = await fetch(url, { ...request, signal: within });
        const text = await textOf(response);
        this.#remember(response.headers.get(BOOKMARK));
        return { status: response.status, retryAfter: pauseOf(response.headers.get("retry-after")), envelope: parse(text) };
      } catch (error) {
        signal?.throwIfAborted();
        const cause: unknown = within.aborted ? within.reason : error;
        throw new ConnectionError(`The service at ${url} could not be reached: ${reason(cause)}`, { cause });
      }
    });
  }
}

/** Returns the text of an answer. Fails if it is longer than `LONGEST_ANSWER`. */
async function textOf(response: Response): Promise<string> {
  if (!response.body) return response.text();
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.length;
    if (length > LONGEST_ANSWER) {
      await reader.cancel();
      throw new Error(`the answer is longer than ${LONGEST_ANSWER} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Parses JSON text. Returns null unless it is an object. */
function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function isFailure(envelope: object | null): envelope is Failure {
  const errors: unknown = envelope !== null && "errors" in envelope && envelope.errors;
  return Array.isArray(errors) && errors.every((error) => typeof error === "object" && error !== null);
}

function failure(status: number, envelope: object | null): ApiError {
  if (isFailure(envelope)) return new ApiError(status, envelope);
  return new ApiError(status, null, `The answer with the status ${status} does not come from the service: check \`apiUrl\``);
}

/** Converts a Retry-After header, seconds or a date, to milliseconds from now. */
function pauseOf(header: string | null): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - Date.now(), 0);
}

/** Returns 128 random bits as hex. `crypto.randomUUID` is missing on pages without TLS. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
