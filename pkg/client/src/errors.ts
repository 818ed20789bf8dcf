import type { Approval, Deployment, Envelope, Failure, Order, ServiceError } from "./types.js";

/** Codes of the client's own errors. `docs/interface.md`, "Client errors", has 7000001 to 7000005; the others are additions. */
export const ClientErrorCode = Object.freeze({
  INITIALIZATION_FAILED: 7000001,
  NOT_CONNECTED: 7000002,
  PAYER_NOT_SPECIFIED: 7000003,
  PAYER_NOT_SIGNER: 7000004,
  ORDER_NOT_FETCHED: 7000005,
  NO_ACTIONS: 7000006,
  NO_GATEWAYS: 7000007,
  OPTION_NOT_VALID: 7000008,
  PAYMENT_NOT_ALLOWED: 7000009,
  NOT_CONFIRMED: 7000010,
  ORDER_NOT_REVIEWED: 7000011,
  NO_PROVIDER: 7000012,
  SMART_ACCOUNT: 7000013,
});
export type ClientErrorCode = (typeof ClientErrorCode)[keyof typeof ClientErrorCode];

const MESSAGES: Record<ClientErrorCode, string> = {
  7000001: "There was an error while initializing the client.",
  7000002: "Client not connected; initialize the client first.",
  7000003: "The payer is missing: it must be specified while `wildcardSigner` is false.",
  7000004: "Payer must be listed as an order signer.",
  7000005: "Order data could not be fetched.",
  7000006: "The order has no `actions`.",
  7000007: "No gateway configuration was found: give `options.gatewayConfig` or `provider.gatewayConfig`, or use a service that answers it with the account.",
  7000008: "An option is not valid.",
  7000009: "The service asks for a payment that the options do not allow.",
  7000010: "Nothing was signed, because it was not confirmed.",
  7000011: "The client's gateways are pinned, so it signs only reviewed orders: give `reviewed` or `review`.",
  7000012: "This needs a signature, and the client has no provider: give `options.provider`, then call `init`.",
  7000013: "The wallet returned no 65-byte signature by the key of its account, because it is a smart account (ERC-1271). Use an account with its own private key.",
};

function reasons(errors: ServiceError[]): string {
  return errors.map(({ code, path, message }) => `${code}${path ? ` at \`${path}\`` : ""}: ${message}`).join("; ");
}

/** An error of the client itself. */
export class ClientError extends Error {
  override readonly name = "ClientError";

  constructor(
    readonly code: ClientErrorCode,
    /** The caught value, or null. */
    readonly original: unknown = null,
    /** A message that is more specific than the code's. */
    message: string = MESSAGES[code],
  ) {
    super(message, original === null ? undefined : { cause: original });
  }

  /** Returns an error whose message includes the reason. */
  static because(code: ClientErrorCode, original: unknown): ClientError {
    return new ClientError(code, original, `${MESSAGES[code].replace(/\.$/, "")}: ${reason(original)}`);
  }
}

/** Returns an error's message, with the message of its cause: in Node, only the cause has the reason of a failed fetch. Also accepts values that are not Errors, because wallets may throw such values. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(Object(error).message ?? error);
  return error.cause instanceof Error && error.cause.message ? `${error.message} (${error.cause.message})` : error.message;
}

/** A failure reported by the service, or an answer that does not come from the service. `result` is the envelope, or null if there is none. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  /** The answer's id, by which the operator finds the request in the log. Null if the answer did not come from the service. */
  readonly id: string | null;
  readonly errors: ServiceError[];

  constructor(
    /** The HTTP status. */
    readonly status: number,
    readonly result: Failure | null,
    message?: string,
  ) {
    const errors = result?.errors ?? [];
    super(message ?? `The service answered ${status}: ${reasons(errors)}`);
    this.id = result?.id ?? null;
    this.errors = errors;
  }
}

/** A request that was not sent, because the service would refuse it. `errors` are the errors that the service would return. */
export class InvalidRequestError extends ApiError {
  override readonly name: string = "InvalidRequestError";

  constructor(errors: ServiceError[]) {
    // Status 422 for wrong fields, 400 for a malformed request or a request in the wrong state.
    const status = errors.some(({ code }) => code < 422_000) ? 400 : 422;
    super(status, { id: null, status, errors }, `The request is not valid: ${reasons(errors)}`);
  }
}

/** The service could not be reached, or did not answer in time. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** The awaited record failed, was canceled, or was not done in time. */
export class WaitError extends Error {
  override readonly name = "WaitError";

  constructor(
    readonly reason: "failed" | "canceled" | "timeout",
    message: string,
    /** The last answer about the record, if there was one. */
    readonly result: Envelope<Order | Deployment | Approval> | null,
  ) {
    super(message);
  }
}
