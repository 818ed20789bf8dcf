// Hashes and signatures of order-core, compiled to WebAssembly. The service and its clients share this code.
import * as bindings from "bindings";
import { InvalidRequestError } from "./errors.js";
import type { ServiceError } from "./types.js";

/** The gateways that claims are valid for. */
export interface GatewayConfig {
  actionsOrderId: string;
  assetLedgerDeployOrderId: string;
}

/** A call of a contract on a chain. Any wallet can send it as a transaction. */
export interface ContractCall {
  /** The contract's address. */
  to: string;
  /** The transaction's input, `0x` and hex digits. */
  data: string;
}

let load: (() => Promise<void>) | undefined;
let loaded: Promise<void> | undefined;

/** Sets the function that loads the WebAssembly in this host. */
export function loadWith(loader: () => Promise<void>): void {
  load ??= loader;
}

/** Loads the module once. After a failure, the next call tries again. */
export function ready(): Promise<void> {
  loaded ??= (load?.() ?? Promise.reject(new Error("no loader for this host"))).catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/** Returns the hash of a request before it is sent. */
export function hashOf(kind: "order" | "deployment" | "approval", request: object, gateways: GatewayConfig): string {
  const text = JSON.stringify(request);
  try {
    if (kind === "order") return bindings.orderHash(text, JSON.stringify(gateways));
    if (kind === "deployment") return bindings.deploymentHash(text, JSON.stringify(gateways));
    return bindings.approvalHash(text);
  } catch (error) {
    throw refusal(error);
  }
}

/** Returns the call that cancels an order or a deployment at its gateway on a chain. */
export function cancellationOf(kind: "order" | "deployment", request: object, gateways: GatewayConfig): ContractCall {
  const [text, gateway] = [JSON.stringify(request), JSON.stringify(gateways)];
  try {
    if (kind === "order") return { to: gateways.actionsOrderId, data: bindings.orderCancellation(text, gateway) };
    return { to: gateways.assetLedgerDeployOrderId, data: bindings.deploymentCancellation(text, gateway) };
  } catch (error) {
    throw refusal(error);
  }
}

/** Converts an error of the WebAssembly. The errors of a request arrive as JSON text. */
function refusal(error: unknown): unknown {
  const text = error instanceof Error ? error.message : "";
  if (!text.startsWith("[")) return error;
  return new InvalidRequestError(JSON.parse(text) as ServiceError[]);
}

/** Returns the account of a private key. */
export function accountOf(privateKey: string): string {
  return bindings.accountOf(privateKey);
}

/** Returns an address with its checksum (EIP-55). */
export function checksummed(address: string): string {
  return bindings.checksummed(address);
}

/** Returns a private key's signature of a text, as in the Authorization header. */
export function authorization(privateKey: string, text: string): string {
  return bindings.authorization(privateKey, text);
}

/** Returns a private key's claim over a hash. */
export function claim(privateKey: string, hash: string): string {
  return bindings.claim(privateKey, hash);
}

/** Returns the account that signed a text by `personal_sign`. Throws if the signature shows none. */
export function signerOf(text: string, signature: string): string {
  return bindings.signerOf(text, signature);
}
