// Requests: one envelope per call, repeated where that is safe.
import { ApiError, ConnectionError } from "./errors.js";
import type { Envelope, Failure } from "./types.js";

/** What every function takes as its last argument. */
export interface CallOptions {
  /** Ends the call, its retries and its waiting. */
  signal?: AbortSignal;
  /** For functions that create: the key under which the service does it once. Without one, each call has its own. */
  idempotencyKey?: string;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface Call {
  method: Method;
  /** With every parameter escaped: see `path`. */
  path: string;
  query?: [name: string, value: string][];
  body?: object;
  /** May be sent twice though the service may have done it already. */
  repeatable?: boolean;
  /** Without the Authorization header. */
  open?: boolean;
}

export interface TransportOptions {
  apiUrl: string;
  /** How often a call is repeated at most. */
  retries: number;
  /** How long one attempt may take, in milliseconds. */
  timeout: number;
  fetch: typeof fetch;
}

/** The first pause before a repetition, in milliseconds; each further one is twice as long. */
const FIRST_PAUSE = 250;
/** The longest pause, whatever the service asks for. */
const LONGEST_PAUSE = 30_000;
/** A gateway's answers for a service that did not. */
const UNREACHED = [502, 503, 504];
const RATE_LIMITED = 429;
/** Also for a key whose first request is still in progress. */
const KEY_CONFLICT = 409000;

/** A path from escaped segments: path`/orders/${orderRef}` */
export function path(parts: TemplateStringsArray, ...parameters: string[]): string {
  return parts.reduce((joined, part, index) => joined + segment(parameters[index - 1]) + part);
}

/** `.` and `..` would be taken as steps, and nothing at all as another route. */
function segment(value: unknown): string {
  const text = String(value);
  if (value === undefined || value === null || text === "" || text === "." || text === "..") {
    throw new TypeError(`\`${text}\` is no reference`);
  }
  return encodeURIComponent(text);
}

export class Transport {
  authorization: string | undefined;
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
    if (call.body) headers["content-type"] = "application/json; charset=utf-8";
    // A POST is done once under its key, however often it is sent.
    if (call.method === "POST") headers["idempotency-key"] = idempotencyKey ?? randomKey();
    const repeatable = call.repeatable ?? (call.method === "GET" || call.method === "POST");
    const request: RequestInit = { method: call.method, headers, redirect: "manual" };
    if (call.body) request.body = JSON.stringify(call.body);

    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      const last = attempt >= this.#options.retries;
      let pause = FIRST_PAUSE * 2 ** attempt * (0.5 + Math.random() / 2);
      try {
        const { status, retryAfter, envelope } = await this.#attempt(this.url(call), request, signal);
        const failed = status < 200 || status > 299 || envelope === null || "errors" in envelope;
        if (!failed) return envelope as Envelope<Data, Info>;
        const again =
          status === RATE_LIMITED ||
          (repeatable && UNREACHED.includes(status)) ||
          (attempt > 0 && isFailure(envelope) && envelope.errors.some(({ code }) => code === KEY_CONFLICT));
        if (last || !again) throw failure(status, envelope);
        pause = retryAfter ?? pause;
      } catch (error) {
        if (last || !repeatable || !(error instanceof ConnectionError)) throw error;
      }
      await sleep(Math.min(pause, LONGEST_PAUSE), signal);
    }
  }

  async #attempt(url: string, request: RequestInit, signal: AbortSignal | undefined) {
    const { timeout, fetch } = this.#options;
    const abort = new AbortController();
    const forward = () => abort.abort(signal?.reason);
    signal?.addEventListener("abort", forward, { once: true });
    const timer = setTimeout(() => abort.abort(new Error(`no answer within ${timeout} ms`)), timeout);
    try {
      const response = await fetch(url, { ...request, signal: abort.signal });
      const text = await response.text();
      return { status: response.status, retryAfter: seconds(response.headers.get("retry-after")), envelope: parse(text) };
    } catch (error) {
      signal?.throwIfAborted();
      const cause: unknown = abort.signal.aborted ? abort.signal.reason : error;
      throw new ConnectionError(`The service at ${url} could not be reached: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", forward);
    }
  }
}

/** Waits, unless the signal ends it. */
export function sleep(time: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(done, time);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** An object of JSON text, else null. */
function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function isFailure(envelope: object | null): envelope is Failure {
  return envelope !== null && "errors" in envelope && Array.isArray(envelope.errors);
}

function failure(status: number, envelope: object | null): ApiError {
  if (isFailure(envelope)) return new ApiError(status, envelope);
  return new ApiError(status, null, `The answer with the status ${status} is no envelope of the service: is \`apiUrl\` right?`);
}

/** A Retry-After of seconds, in milliseconds. */
function seconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : undefined;
}

/** 128 random bits; `crypto.randomUUID` is missing on pages that came without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
