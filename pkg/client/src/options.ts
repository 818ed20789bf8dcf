// The options of a client, and those that its functions take beside their own arguments.
import type { GatewayConfig } from "./claims.js";
import type { CallOptions } from "./http.js";
import { named, notAnOption } from "./named.js";
import { bounds } from "./payments.js";
import type { Bill, MaxCosts, PaymentConfig } from "./payments.js";
import type { Provider } from "./providers.js";
import type { Order } from "./types.js";

/** The address at which `cargo xtask dev` serves. */
export const DEFAULT_API_URL = "http://127.0.0.1:8787";

interface CommonOptions {
  /** The signer. A client without one reads what is public: badges, validity and token prices. */
  provider?: Provider | undefined;
  /** The address of the service: an https address, or an http one of this machine. */
  apiUrl?: string | undefined;
  /** Lets `apiUrl` be an http address of another machine: whoever is on the way reads the Authorization header, and can use it. */
  allowHttp?: boolean | undefined;
  /** Is shown what is paid with a request before the request is signed, and decides whether it is: anything but true is a no. */
  confirmPayment?: ((bill: Bill) => boolean | Promise<boolean>) | undefined;
  /** The service's own name; the Authorization header signs `{serviceName} api`. `assay` unless told. */
  serviceName?: string | undefined;
  /** Another text that the Authorization header signs. */
  authorizationText?: string | undefined;
  /** The message that a signature of type 0 signs: the text, or its SHA-256 as the service may be set to. */
  authorizationEthSign?: "text" | "sha256" | undefined;
  /** How often a call is repeated at most where that is safe; 3 unless told. */
  retries?: number | undefined;
  /** How long one attempt of a call may take, in milliseconds; 30 seconds unless told. */
  timeout?: number | undefined;
  /** Another `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** A client of a service that is trusted with what is signed, but for the bounds that are given. */
interface TrustingOptions extends CommonOptions {
  gatewayConfig?: undefined;
  /** The token in which the service may ask to be paid, and to whom. Without it, whatever the service says. */
  paymentConfig?: PaymentConfig | undefined;
  /** The most that the service may ask for each thing; a thing not named may cost nothing. Without it, the service decides. */
  maxCosts?: MaxCosts | undefined;
}

/** A client of a service that is not. */
interface PinnedOptions extends CommonOptions {
  /**
   * The gateways that claims are made for. Without it those of the provider, else what the service says: pin them where you do not
   * trust it, because a claim for other gateways is worth something elsewhere. With it, `paymentConfig` and `maxCosts` are required,
   * and `signOrder` needs `reviewed` or `review`.
   */
  gatewayConfig: GatewayConfig;
  /** The token in which the service may ask to be paid, and to whom. */
  paymentConfig: PaymentConfig;
  /** The most that the service may ask for each thing; a thing not named may cost nothing. */
  maxCosts: MaxCosts;
}

export type ClientOptions = TrustingOptions | PinnedOptions;

const CLIENT_OPTIONS: Record<keyof ClientOptions, true> = {
  provider: true,
  apiUrl: true,
  allowHttp: true,
  gatewayConfig: true,
  paymentConfig: true,
  maxCosts: true,
  confirmPayment: true,
  serviceName: true,
  authorizationText: true,
  authorizationEthSign: true,
  retries: true,
  timeout: true,
  fetch: true,
};

/** The options of functions that sign a request of their own. */
export interface CreateOptions extends CallOptions {
  /**
   * When the request is made; now, unless told. The same request with the same time is one request, however often it is made: the
   * service answers with the record that it has.
   */
  at?: Date | undefined;
}

/** Options of `signOrder`; one of the first two is required if gateways are pinned. */
export interface SignOptions extends CallOptions {
  /** The order as it was read: that is what is signed. */
  reviewed?: Order | undefined;
  /** Is shown the order before it is signed, and decides whether it is: anything but true is a no. */
  review?: ((order: Order) => boolean | Promise<boolean>) | undefined;
}

const CALL_OPTIONS = ["signal", "idempotencyKey"];

/** The options of a call. */
export function callOptions(given: CallOptions | undefined): CallOptions {
  return named(given, CALL_OPTIONS);
}

/** The options of a call that signs a request of its own, and its time if it has one. */
export function createOptions(given: CreateOptions | undefined): { at: Date | undefined; options: CallOptions } {
  const { at, ...options } = named(given, [...CALL_OPTIONS, "at"]) as CreateOptions;
  if (at !== undefined && typeof Object(at).getTime !== "function") throw notAnOption("`at` must be a date");
  return { at, options };
}

/** The options of `signOrder`. */
export function signOptions(given: SignOptions | undefined): Pick<SignOptions, "reviewed" | "review"> & { options: CallOptions } {
  const { reviewed, review, ...options } = named(given, [...CALL_OPTIONS, "reviewed", "review"]) as SignOptions;
  // A failed look-up (null) must not lead to signing an order that nobody has read.
  if (reviewed !== undefined && typeof Object(reviewed).order !== "object") throw notAnOption("`reviewed` must be an order");
  if (review !== undefined && typeof review !== "function") throw notAnOption("`review` must be a function");
  return { reviewed, review, options };
}

/** The options of a client, checked. */
export function clientOptions(given: ClientOptions | undefined) {
  const {
    provider,
    apiUrl = DEFAULT_API_URL,
    allowHttp = false,
    gatewayConfig,
    confirmPayment,
    serviceName = "assay",
    authorizationText = `${serviceName} api`,
    authorizationEthSign = "text",
    retries = 3,
    timeout = 30_000,
    ...options
  } = named(given, Object.keys(CLIENT_OPTIONS)) as unknown as ClientOptions;
  if (provider !== undefined && !provider) throw notAnOption("`options.provider` must be a provider; leave it out to read what is public");
  if (typeof allowHttp !== "boolean") throw notAnOption("`options.allowHttp` must be true or false");
  if (typeof serviceName !== "string" || typeof authorizationText !== "string") {
    throw notAnOption("`options.serviceName` and `options.authorizationText` must be text");
  }
  if (authorizationEthSign !== "text" && authorizationEthSign !== "sha256") {
    throw notAnOption('`options.authorizationEthSign` must be "text" or "sha256"');
  }
  if (!(Number.isInteger(retries) && retries >= 0)) throw notAnOption("`options.retries` must be a whole number");
  if (!(typeof timeout === "number" && timeout > 0)) throw notAnOption("`options.timeout` must be a number of milliseconds");
  if (confirmPayment !== undefined && typeof confirmPayment !== "function") throw notAnOption("`options.confirmPayment` must be a function");
  // Called as a function: `fetch` is none of an object's methods.
  const request = options.fetch ?? fetch;
  if (typeof request !== "function") throw notAnOption("`options.fetch` must be a function");
  // Pinning only the gateways would still let the service choose the payment.
  if (gatewayConfig !== undefined && (options.paymentConfig === undefined || options.maxCosts === undefined)) {
    throw notAnOption("with `options.gatewayConfig`, `options.paymentConfig` and `options.maxCosts` are required: else the service says what is paid, and to whom");
  }
  return {
    provider,
    pinned: gatewayConfig === undefined ? undefined : { ...gatewayConfig },
    bounds: bounds(options),
    confirmPayment,
    authorizationText,
    authorizationEthSign,
    transport: { apiUrl: baseOf(apiUrl, allowHttp), retries, timeout, fetch: ((...call) => request(...call)) as typeof fetch },
  };
}

/** This machine's own names and addresses, as the URL standard writes them. */
const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The base of all paths. Credentials, a query or a fragment could not be part of it, and are not repeated in the message. */
function baseOf(apiUrl: string, allowHttp: boolean): string {
  const url = URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw notAnOption("`options.apiUrl` must be an https address");
  if (url.username || url.password || url.search || url.hash) {
    throw notAnOption("`options.apiUrl` must be an address without credentials, query and fragment");
  }
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw notAnOption("`options.apiUrl` must be an https address, because the Authorization header is as good as a password: `options.allowHttp` allows http beyond this machine");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
