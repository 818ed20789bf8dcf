// What a client is made with, and what its functions take beside their own arguments.
import { ClientError, ClientErrorCode } from "./errors.js";
import type { GatewayConfig } from "./claims.js";
import type { CallOptions } from "./http.js";
import type { Provider } from "./providers.js";

/** Where `cargo xtask dev` serves. */
export const DEFAULT_API_URL = "http://127.0.0.1:8787";

export interface ClientOptions {
  /** Who signs. */
  provider: Provider;
  /** Where the service is. */
  apiUrl?: string | undefined;
  /**
   * The gateways that claims are made for. Without it those of the provider, else what the service says: pin them where you do not
   * trust it, because a claim for other gateways is worth something elsewhere.
   */
  gatewayConfig?: GatewayConfig | undefined;
  /** The service's own name; the Authorization header signs `{serviceName} api`. `assay` unless told. */
  serviceName?: string | undefined;
  /** Another text that the Authorization header signs. */
  authorizationText?: string | undefined;
  /** What a signature of type 0 signs: the text, or its SHA-256 as the service may be set to. */
  authorizationEthSign?: "text" | "sha256" | undefined;
  /** How often a call is repeated at most where that is safe; 3 unless told. */
  retries?: number | undefined;
  /** How long one attempt of a call may take, in milliseconds; 30 seconds unless told. */
  timeout?: number | undefined;
  /** Another `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** What functions take that sign a request of their own. */
export interface CreateOptions extends CallOptions {
  /**
   * When the request is made; now, unless told. The same request with the same time is one request, however often it is made: the
   * service answers with the record that it has.
   */
  at?: Date | undefined;
}

/** The error of an option that cannot work. */
export function notAnOption(message: string, original: unknown = null): ClientError {
  return new ClientError(ClientErrorCode.OPTION_NOT_VALID, original, message);
}

/** Options of which each has one of the names: one that is misspelt would be left out, and nothing would show it. */
export function named(options: unknown, names: readonly string[]): Record<string, unknown> {
  const list = names.map((name) => `\`${name}\``).join(", ");
  if (typeof (options ?? {}) !== "object") throw notAnOption(`options are an object with any of ${list}`);
  const given = (options ?? {}) as Record<string, unknown>;
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw notAnOption(`there is no option \`${unknown}\` here: there are ${list}`);
  return given;
}

/** The options of every call, checked. */
export function transportOptions({ apiUrl = DEFAULT_API_URL, retries = 3, timeout = 30_000, ...options }: ClientOptions) {
  if (!(Number.isInteger(retries) && retries >= 0)) throw new TypeError("`options.retries` must be a whole number");
  if (!(timeout > 0)) throw new TypeError("`options.timeout` must be a number of milliseconds");
  // Called as a function: `fetch` is none of an object's methods.
  const given = options.fetch ?? fetch;
  return { apiUrl: baseOf(apiUrl), retries, timeout, fetch: ((...call) => given(...call)) as typeof fetch };
}

/** Where paths are appended to. Credentials, a query or a fragment could not be part of it, and are not repeated in the message. */
function baseOf(apiUrl: string): string {
  const url = URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError("`options.apiUrl` must be an http or https address");
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError("`options.apiUrl` must be an address without credentials, query and fragment");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
