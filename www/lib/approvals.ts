// Lets the service take its fee from an account, or destroy its assets. Deposits do the first, and new registers the second. An account with given tokens, or on a register of
// another owner, needs an approval of its own, which its user signs. Does not use the DOM.
import { ApiError, Priority } from '/client/index.js';
import type { Client, Payment } from '/client/index.js';
import { FeeError } from './fee-error.ts';

/** The longest time to wait until a record is final, in milliseconds. */
export const PATIENCE = 300_000;
/** The service's codes for the payer of an order, and for the maker of a ledger, who has not let the service take its fee. */
const NO_FEE: readonly number[] = [422076, 422080];
/** The service's code for an owner who has not let the service destroy their assets on a ledger. */
const NO_DESTRUCTION: readonly number[] = [422081];

/** Returns true if the service's answer in an error, or in one of its causes, has these codes and no others. */
function isRefused(error: unknown, wanted: readonly number[]): boolean {
  if (error instanceof ApiError) {
    return error.errors.length > 0 && error.errors.every(({ code }) => wanted.includes(code));
  }
  return error instanceof Error && error.cause !== undefined && isRefused(error.cause, wanted);
}

/** Lets `spender` take at most `amount` from the client's account, in base units of the platform token. */
async function allowFees(client: Client, spender: string, amount: string): Promise<void> {
  const sent = await client.createApproval({ spender, value: BigInt(amount) }, Priority.MEDIUM);
  await client.waitForApproval(sent.data.ref, { timeout: PATIENCE });
}

/**
 * Runs an attempt to send orders or a deployment. If the account has not let the service take its fee yet, lets it, and runs the attempt once more. Refuses before the
 * approval is paid if the balance is then too low for them. `cost` returns their price.
 */
export async function payingFees<Result>(client: Client, cost: (payment: Payment) => bigint, attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (!isRefused(error, NO_FEE)) {
      throw error;
    }
    const { data } = await client.getAccount();
    const permission = BigInt(data.payment.dappValueApproveCost);
    const [total, balance] = [cost(data.payment) + permission, BigInt(data.balance)];
    if (total > balance) {
      throw new FeeError({ cost: total, permission, balance });
    }
    // The whole balance, so the user does not sign an approval for each order. The service takes only fees of orders that the user has signed.
    await allowFees(client, data.gateway.proxies.transferValue, data.balance);
    return attempt();
  }
}

/** Runs an attempt to destroy assets of a ledger. If the account has not let the service do so yet, lets it, and runs the attempt once more. */
export async function destroying(client: Client, ledgerId: string, attempt: () => Promise<void>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (!isRefused(error, NO_DESTRUCTION)) {
      throw error;
    }
    const { data } = await client.getAccount();
    if (data.isPaymentRequired) {
      // The ledger itself collects the fee of this approval.
      await allowFees(client, ledgerId, data.payment.assetApproveCost);
    }
    const sent = await client.createApproval({ ledgerId, receiverId: data.gateway.proxies.destroyAsset, approve: true }, Priority.MEDIUM);
    await client.waitForApproval(sent.data.ref, { timeout: PATIENCE });
    await attempt();
  }
}
