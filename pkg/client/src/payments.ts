// The payment for a request. The service sets it, and the caller's options limit it.
import { toUnits } from "./amounts.js";
import type { TokenAmount } from "./amounts.js";
import { ClientError, ClientErrorCode, InvalidRequestError } from "./errors.js";
import { named, notAnOption } from "./named.js";
import { sameAddress } from "./providers.js";
import type { Account, Address, Amount, Payment, TokenTransferInput } from "./types.js";

/** The token and the receiver of payments. */
export interface PaymentConfig {
  tokenAddress: string;
  receiverAddress: string;
}

const ADDRESSES = ["tokenAddress", "receiverAddress"] as const;

export type CostName = Exclude<keyof Payment, keyof PaymentConfig>;

const COSTS: Record<CostName, true> = {
  assetCreateCost: true,
  assetTransferCost: true,
  valueTransferCost: true,
  assetUpdateCost: true,
  setAbilitiesCost: true,
  assetDestroyCost: true,
  assetRevokeCost: true,
  assetDeployCost: true,
  assetApproveCost: true,
  dappValueApproveCost: true,
};

/** The maximum cost of each operation. Operations without an entry must be free. */
export type MaxCosts = { [Name in CostName]?: TokenAmount | undefined };

/** The payment for a request of the caller that is about to be signed. */
export interface Bill {
  request: "order" | "deployment" | "approval";
  /** Null for the wildcard signer. */
  payerId: Address | null;
  tokenAddress: Address;
  receiverAddress: Address;
  value: Amount;
}

/** The limits that the caller has set for payments. */
export interface Bounds {
  readonly config?: Readonly<PaymentConfig>;
  readonly costs?: ReadonlyMap<string, bigint>;
}

/** The largest plausible limit, in base units. A caller with a higher limit has probably given base units as a string. */
const NO_PRICE = toUnits(1_000_000_000_000);

/** Returns the limits from the options, copied so that later changes to the options have no effect. */
export function bounds({ paymentConfig, maxCosts }: { paymentConfig?: unknown; maxCosts?: unknown }): Bounds {
  return {
    ...(paymentConfig === undefined ? {} : { config: pinned(paymentConfig) }),
    ...(maxCosts === undefined ? {} : { costs: limits(maxCosts) }),
  };
}

function pinned(given: unknown): PaymentConfig {
  const { tokenAddress, receiverAddress } = named(given, ADDRESSES, "paymentConfig");
  const isAddress = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-f]{40}$/i.test(value);
  if (!isAddress(tokenAddress)) throw notAnOption("`options.paymentConfig.tokenAddress` must be an Ethereum address");
  if (!isAddress(receiverAddress)) throw notAnOption("`options.paymentConfig.receiverAddress` must be an Ethereum address");
  return { tokenAddress, receiverAddress };
}

function limits(given: unknown): Map<string, bigint> {
  const entries = Object.entries(named(given, Object.keys(COSTS), "maxCosts")).filter(([, amount]) => amount !== undefined);
  return new Map(
    entries.map(([name, amount]) => {
      const units = limit(name, amount);
      if (typeof amount !== "bigint" && units > NO_PRICE) {
        throw notAnOption(`\`options.maxCosts.${name}\` is ${String(amount)} tokens: to give base units, as in the account's answer, use a bigint`);
      }
      return [name, units];
    }),
  );
}

function limit(name: string, amount: unknown): bigint {
  try {
    return toUnits(amount as TokenAmount);
  } catch (error) {
    throw notAnOption(`\`options.maxCosts.${name}\` must be an amount of tokens`, error);
  }
}

/** Returns the payment data of an account's answer. `fee` reports missing members, because only paying calls need them. */
export function paying(account: Partial<Account> | null | undefined): Payment {
  const payment = account?.payment;
  if (typeof account?.id !== "string" || typeof payment !== "object" || payment === null) {
    throw new Error("the account's answer lacks `id` or `payment`");
  }
  return payment;
}

/**
 * Returns the sum of these costs in base units.
 *
 * @throws {InvalidRequestError} with `code` and `path` if the account's answer lacks one of them, or an address for payments.
 */
export function sumOf(payment: Payment, costs: CostName[], code: number, path: string): bigint {
  const isText = (name: keyof Payment) => typeof payment[name] === "string" && payment[name] !== "";
  // An older service may answer with a number.
  const isCost = (name: keyof Payment) => /^\d{1,78}$/.test(String(payment[name] as unknown));
  const wrong = [...ADDRESSES.filter((name) => !isText(name)), ...costs.filter((name) => !isCost(name))];
  if (wrong.length > 0) {
    throw new InvalidRequestError([...new Set(wrong)].map((name) => ({ code, path, message: `the account's answer lacks \`payment.${name}\`, so the payment cannot be made` })));
  }
  return costs.reduce((sum, name) => sum + BigInt(payment[name]), 0n);
}

/**
 * Returns the transfer that pays these costs.
 *
 * @throws {InvalidRequestError} with `code` and `path` if the account's answer lacks data.
 * @throws {ClientError} if a cost exceeds its limit, or the token or receiver is not the one in the limits.
 */
export function fee(payment: Payment, bounds: Bounds, costs: CostName[], code: number, path: string): TokenTransferInput {
  const value = sumOf(payment, costs, code, path);
  const { config } = bounds;
  for (const name of ADDRESSES) {
    if (config && !sameAddress(config[name], payment[name])) throw notAllowed(`its \`payment.${name}\` is \`${payment[name]}\`, and \`paymentConfig\` has \`${config[name]}\``);
  }
  for (const name of new Set(costs)) {
    const cost = BigInt(payment[name]);
    if (bounds.costs && cost > (bounds.costs.get(name) ?? 0n)) {
      throw notAllowed(`its \`payment.${name}\` is ${cost} base units, and \`maxCosts\` ${bounds.costs.has(name) ? `allows ${bounds.costs.get(name)}` : `has no \`${name}\``}`);
    }
  }
  return { ledgerId: payment.tokenAddress, receiverId: payment.receiverAddress, value: String(value) };
}

function notAllowed(why: string): ClientError {
  return new ClientError(ClientErrorCode.PAYMENT_NOT_ALLOWED, null, `The service asks for a payment that the options do not allow: ${why}`);
}

export function billOf(request: Bill["request"], payerId: Address | null, { ledgerId, receiverId, value }: TokenTransferInput): Bill {
  return { request, payerId, tokenAddress: ledgerId, receiverAddress: receiverId, value };
}
