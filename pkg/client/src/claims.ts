// Hashes and signatures of order-core, compiled to WebAssembly. They exist once, for the service and for its clients.
import * as bindings from "bindings";
import { InvalidRequestError } from "./errors.js";
import type { ServiceError } from "./types.js";

/** The gateways that claims are made for. */
export interface GatewayConfig {
  actionsOrderId: string;
  assetLedgerDeployOrderId: string;
}

let load: (() => Promise<void>) | undefined;
let loaded: Promise<void> | undefined;

/** Says how this host loads WebAssembly. */
export function loadWith(loader: () => Promise<void>): void {
  load ??= loader;
}

/** Loads the module, once. What fails is tried again at the next call. */
export function ready(): Promise<void> {
  loaded ??= (load?.() ?? Promise.reject(new Error("no loader for this host"))).catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/** The hash of a request that is to be sent. */
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

/** The errors of a request come as JSON text. */
function refusal(error: unknown): unknown {
  const text = error instanceof Error ? error.message : "";
  if (!text.startsWith("[")) return error;
  return new InvalidRequestError(JSON.parse(text) as ServiceError[]);
}

/** The account that a private key signs for. */
export function accountOf(privateKey: string): string {
  return bindings.accountOf(privateKey);
}

/** A private key's signature of a text, as the Authorization header has it. */
export function authorization(privateKey: string, text: string): string {
  return bindings.authorization(privateKey, text);
}

/** A private key's claim over a hash. */
export function claim(privateKey: string, hash: string): string {
  return bindings.claim(privateKey, hash);
}
