// Signers: objects that have an account, a kind of signature and a function `sign`, such as the original framework's providers.
import { unless } from "./abort.js";
import { accountOf, authorization, claim, ready } from "./claims.js";
import type { GatewayConfig } from "./claims.js";
import type { AbortSignal } from "./host.js";
import { named } from "./named.js";

/** Kinds of signatures. */
export const SignMethod = Object.freeze({ ETH_SIGN: 0, PERSONAL_SIGN: 3 });
export type SignMethod = 0 | 3;

/** A connected account. */
export interface Provider {
  readonly accountId: string;
  /** 0 (ETH_SIGN) or 3 (PERSONAL_SIGN). */
  readonly signMethod: number;
  /** The gateways that the account's claims are valid for, if the provider knows them. */
  readonly gatewayConfig?: GatewayConfig | undefined;
  /** Signs a string, or bytes given as `0x` and hex. Returns the 65 bytes of the Ethereum signature as `0x` and hex. */
  sign(message: string): Promise<string>;
}

/** A wallet (EIP-1193), such as `window.ethereum`. */
export interface Eip1193 {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
}

/** Signs with a wallet. */
export class Eip1193Provider implements Provider {
  readonly signMethod = SignMethod.PERSONAL_SIGN;

  private constructor(
    private readonly wallet: Eip1193,
    readonly accountId: string,
  ) {}

  /** Asks the wallet for its accounts, and uses the given account or otherwise the first one. Rejects if the wallet does not have the account. Aborting `signal` ends the wait for the wallet's owner. */
  static async connect(wallet: Eip1193, accountId?: string, options?: { signal?: AbortSignal | undefined }): Promise<Eip1193Provider> {
    const { signal } = named(options, ["signal"]) as NonNullable<typeof options>;
    if (typeof wallet?.request !== "function") throw new TypeError("there is no wallet: pass a wallet to `connect`, such as `window.ethereum`");
    signal?.throwIfAborted();
    const accounts = await unless(signal, wallet.request({ method: "eth_requestAccounts" }));
    const list = Array.isArray(accounts) ? accounts.filter((account): account is string => typeof account === "string") : [];
    const account = accountId === undefined ? list[0] : list.find((account) => sameAddress(account, accountId));
    if (account === undefined) {
      throw new Error(accountId === undefined ? "the wallet returned no account" : `the wallet did not return the account \`${accountId}\``);
    }
    return new Eip1193Provider(wallet, account);
  }

  async sign(message: string): Promise<string> {
    // Sends hex, because wallets interpret other strings in different ways.
    const signature = await this.wallet.request({ method: "personal_sign", params: [toHex(message), this.accountId] });
    if (typeof signature !== "string") throw new Error("the wallet returned no signature");
    return signature;
  }
}

/** Signs with a private key in memory, for servers and tests. */
export class PrivateKeyProvider implements Provider {
  readonly #key: string;

  private constructor(
    key: string,
    readonly accountId: string,
    readonly signMethod: SignMethod,
  ) {
    this.#key = key;
  }

  /** Creates a provider from 64 hexadecimal digits, with or without `0x`. */
  static async from(privateKey: string, signMethod: SignMethod = SignMethod.PERSONAL_SIGN): Promise<PrivateKeyProvider> {
    await ready();
    // A key that is not a string would fail with a message about the module's internals.
    return new PrivateKeyProvider(privateKey, accountOf(typeof privateKey === "string" ? privateKey : ""), signMethod);
  }

  sign(message: string): Promise<string> {
    return Promise.resolve().then(() => {
      const signed = /^0x[0-9a-f]{64}$/i.test(message) ? claim(this.#key, message) : authorization(this.#key, toText(message));
      return signed.slice(signed.indexOf(":") + 1);
    });
  }
}

/** Returns true if two addresses are equal. Accepts any value, because callers without types may pass any. */
export function sameAddress(one: unknown, other: unknown): boolean {
  return typeof one === "string" && typeof other === "string" && one.toLowerCase() === other.toLowerCase();
}

const HEX = /^0x([0-9a-f]{2})*$/i;

/** Returns hex unchanged, and any other string as the hex of its UTF-8 bytes. */
export function toHex(message: string): string {
  return HEX.test(message) ? message : hex(new TextEncoder().encode(message));
}

export function hex(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Decodes hex as UTF-8. Returns any other string unchanged. Throws if the bytes are not UTF-8. */
function toText(message: string): string {
  if (!HEX.test(message)) return message;
  const bytes = Uint8Array.from(message.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
