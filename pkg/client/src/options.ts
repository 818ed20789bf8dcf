// The options of a client, and the options of its functions.
import type { GatewayConfig } from "./claims.js";
import { connection } from "./connection.js";
import type { ConnectionOptions } from "./connection.js";
import type { CallOptions } from "./http.js";
import { named, notAnOption } from "./named.js";
import { bounds } from "./payments.js";
import type { Bill, MaxCosts, PaymentConfig } from "./payments.js";
import type { Provider } from "./providers.js";
import type { Order } from "./types.js";

interface CommonOptions extends ConnectionOptions {
  /** The signer. A client that has neither a signer nor a `token` nor a `cookie` can only read public data: badges, validity, checks of issuers, and token prices. */
  provider?: Provider | undefined;
  /** The token of a session, or an API key. If it is given, `init` needs no signature. */
  token?: string | undefined;
  /** True if the browser has the cookie of an earlier `signIn({ cookie: true })`. Then `init` needs no signature. Only pages of the service's own origin can use this. */
  cookie?: boolean | undefined;
  /** A function that gets the payment of a request before the request is signed. The request is signed only if the function returns true. Not called for a payment of zero. */
  confirmPayment?: ((bill: Bill) => boolean | Promise<boolean>) | undefined;
  /** The service's name. The Authorization header signs `{serviceName} api`. Defaults to `assay`. */
  serviceName?: string | undefined;
  /** The text that the Authorization header signs, instead of `{serviceName} api`. */
  authorizationText?: string | undefined;
  /** The message that an `Authorization` signature of type 0 signs: the text, or the SHA-256 of the text if the service requires that. Defaults to the text. */
  authorizationEthSign?: "text" | "sha256" | undefined;
}

/** A client of a service that is trusted to choose the signed content, within the given bounds. */
interface TrustingOptions extends CommonOptions {
  gatewayConfig?: undefined;
  /** The allowed token and receiver of payments. Without this option, the service decides. */
  paymentConfig?: PaymentConfig | undefined;
  /** The maximum cost of each operation. Operations without an entry must be free. Without this option, the service decides. */
  maxCosts?: MaxCosts | undefined;
}

/** A client of a service that is not trusted to choose the signed content. */
interface PinnedOptions extends CommonOptions {
  /**
   * The gateways that claims are valid for. Without this option, the client uses the provider's gateways, or otherwise the service's. Pin the
   * gateways if you do not trust the service, because a claim for other gateways could be used at those gateways. This option requires
   * `paymentConfig` and `maxCosts`, and `signOrder` then needs `reviewed` or `review`.
   */
  gatewayConfig: GatewayConfig;
  /** The allowed token and receiver of payments. */
  paymentConfig: PaymentConfig;
  /** The maximum cost of each operation. Operations without an entry must be free. */
  maxCosts: MaxCosts;
}

export type ClientOptions = TrustingOptions | PinnedOptions;

const CLIENT_OPTIONS: Record<keyof ClientOptions, true> = {
  provider: true,
  token: true,
  cookie: true,
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

/** The options of functions that create and sign a request. */
export interface CreateOptions extends CallOptions {
  /**
   * The time of the request. Defaults to now. Equal requests with the same time count as one request: the service answers a repetition with
   * the existing record.
   */
  at?: Date | undefined;
}

/** Options of `signOrder`. `reviewed` or `review` is required if gateways are pinned. */
export interface SignOptions extends CallOptions {
  /** The order that was read. Exactly this order is signed. */
  reviewed?: Order | undefined;
  /** A function that gets the order before it is signed. The order is signed only if the function returns true. */
  review?: ((order: Order) => boolean | Promise<boolean>) | undefined;
}

/** Options of `signIn`. */
export interface SignInOptions extends CallOptions {
  /** If true, the service sets a cookie instead of returning a token. Only pages of the service's own origin can use this. */
  cookie?: boolean | undefined;
}

const CALL_OPTIONS = ["signal", "idempotencyKey"];

/** Returns the checked options of a call. */
export function callOptions(given: CallOptions | undefined): CallOptions {
  return named(given, CALL_OPTIONS);
}

/** Returns the checked options of a call that creates a request, and the time of the request if the caller gives it. */
export function createOptions(given: CreateOptions | undefined): { at: Date | undefined; options: CallOptions } {
  const { at, ...options } = named(given, [...CALL_OPTIONS, "at"]) as CreateOptions;
  if (at !== undefined && typeof Object(at).getTime !== "function") throw notAnOption("`at` must be a date");
  // Each call would have another seed and expiration, and the service would refuse the key's second use (409000).
  if (options.idempotencyKey !== undefined && at === undefined) {
    throw notAnOption("with `idempotencyKey`, `at` is required, and stays the same when the call is repeated: the request's seed and expiration follow from it");
  }
  return { at, options };
}

/** Returns the checked options of `signIn`. */
export function signInOptions(given: SignInOptions | undefined): { cookie: boolean; options: CallOptions } {
  const { cookie = false, ...options } = named(given, [...CALL_OPTIONS, "cookie"]) as SignInOptions;
  if (typeof cookie !== "boolean") throw notAnOption("`cookie` must be true or false");
  return { cookie, options };
}

/** Returns the checked options of `signOrder`. */
export function signOptions(given: SignOptions | undefined): Pick<SignOptions, "reviewed" | "review"> & { options: CallOptions } {
  const { reviewed, review, ...options } = named(given, [...CALL_OPTIONS, "reviewed", "review"]) as SignOptions;
  // A failed look-up (null) must not lead to signing an order that the user has not read.
  if (reviewed !== undefined && typeof Object(reviewed).order !== "object") throw notAnOption("`reviewed` must be an order");
  if (review !== undefined && typeof review !== "function") throw notAnOption("`review` must be a function");
  return { reviewed, review, options };
}

/** Returns the checked options of a client, with defaults. */
export function clientOptions(given: ClientOptions | undefined) {
  const {
    provider,
    token,
    cookie = false,
    gatewayConfig,
    confirmPayment,
    serviceName = "assay",
    authorizationText = `${serviceName} api`,
    authorizationEthSign = "text",
    ...options
  } = named(given, Object.keys(CLIENT_OPTIONS)) as unknown as ClientOptions;
  if (provider !== undefined && !provider) throw notAnOption("`options.provider` must be a provider: leave it out to read public data only");
  if (token !== undefined && !(typeof token === "string" && /^[\x21-\x7e]+$/.test(token))) {
    throw notAnOption("`options.token` must be the token of a session, or an API key");
  }
  if (typeof cookie !== "boolean" || (cookie && token !== undefined)) {
    throw notAnOption("`options.cookie` must be true or false, and false with `options.token`");
  }
  if (typeof serviceName !== "string" || typeof authorizationText !== "string") {
    throw notAnOption("`options.serviceName` and `options.authorizationText` must be text");
  }
  if (authorizationEthSign !== "text" && authorizationEthSign !== "sha256") {
    throw notAnOption('`options.authorizationEthSign` must be "text" or "sha256"');
  }
  if (confirmPayment !== undefined && typeof confirmPayment !== "function") throw notAnOption("`options.confirmPayment` must be a function");
  // Pinning only the gateways would still let the service choose the payment.
  if (gatewayConfig !== undefined && (options.paymentConfig === undefined || options.maxCosts === undefined)) {
    throw notAnOption("with `options.gatewayConfig`, `options.paymentConfig` and `options.maxCosts` are required: otherwise the service chooses the amount and receiver of payments");
  }
  return {
    provider,
    token,
    cookie,
    pinned: gatewayConfig === undefined ? undefined : { ...gatewayConfig },
    bounds: bounds(options),
    confirmPayment,
    serviceName,
    authorizationText,
    authorizationEthSign,
    transport: connection(options),
  };
}
