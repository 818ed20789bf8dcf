// The options of the connection to a service.
import type { Fetch } from "./host.js";
import type { TransportOptions } from "./http.js";
import { notAnOption } from "./named.js";

/** The address of the service that `cargo xtask dev` starts. The client's default. */
export const DEFAULT_API_URL = "http://127.0.0.1:8787";

export interface ConnectionOptions {
  /** The address of the service: an https address, or an http address of this machine. */
  apiUrl?: string | undefined;
  /** Allows an http address of another machine as `apiUrl`. Attackers on the network can then read and use the Authorization header. */
  allowHttp?: boolean | undefined;
  /** The maximum number of retries of a call. Defaults to 3. */
  retries?: number | undefined;
  /** The timeout of one attempt, in milliseconds. Defaults to 30,000. */
  timeout?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined;
}

/** Returns the checked options of a connection, with defaults. */
export function connection({ apiUrl = DEFAULT_API_URL, allowHttp = false, retries = 3, timeout = 30_000, fetch }: ConnectionOptions): TransportOptions {
  if (typeof allowHttp !== "boolean") throw notAnOption("`options.allowHttp` must be true or false");
  if (!(Number.isInteger(retries) && retries >= 0)) throw notAnOption("`options.retries` must be a whole number");
  if (!(typeof timeout === "number" && timeout > 0)) throw notAnOption("`options.timeout` must be a number of milliseconds");
  const request: unknown = fetch ?? globalThis.fetch;
  if (typeof request !== "function") throw notAnOption(fetch === undefined ? "this host has no `fetch`: set `options.fetch`" : "`options.fetch` must be a function");
  // `fetch` has to be called as a function, not as a method of an object.
  return { apiUrl: baseOf(apiUrl, allowHttp), retries, timeout, fetch: ((...call) => (request as Fetch)(...call)) as Fetch };
}

/** This machine's own names and addresses, as the URL standard writes them. */
const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Parses an address. `URL.canParse` is missing in older jsdom. */
function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** Returns the base of all paths. Throws if the address has credentials, a query or a fragment, and does not repeat them in the message. */
function baseOf(apiUrl: string, allowHttp: boolean): string {
  const url = parsed(apiUrl);
  if (!url || !/^https?:$/.test(url.protocol)) throw notAnOption("`options.apiUrl` must be an https address");
  if (url.username || url.password || url.search || url.hash) {
    throw notAnOption("`options.apiUrl` must be an address without credentials, query and fragment");
  }
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw notAnOption("`options.apiUrl` must be an https address, because the Authorization header works like a password: `options.allowHttp` allows http to other machines");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
