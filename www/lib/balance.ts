// The balance of the account of a session: one value for all views. Does not use the DOM.
import type { Account } from '/client/index.js';
import type { Costs, SignedIn } from './sign-in.ts';

/** The event of the window after the balance of a session has changed. */
export const BALANCE_CHANGED = 'assay.balance';

/** Returns the costs of an account, or null if nothing has to be paid. */
export const costsOf = ({ isPaymentRequired, payment, balance, feeAllowance }: Account): Costs | null => (isPaymentRequired ? { ...payment, balance, feeAllowance } : null);

/** Notes what the service says about the account of a session. */
export function noteAccount(session: SignedIn, account: Account): void {
  session.costs = costsOf(account);
  dispatchEvent(new Event(BALANCE_CHANGED));
}

/** Reads the balance again, after a payment or because the account may have got tokens. */
export async function readBalance(session: SignedIn): Promise<void> {
  noteAccount(session, (await session.client.getAccount()).data);
}

/** Reads the balance after work that has cost something. If that fails, the earlier balance stays. The service has the last word about it. */
export function refreshBalance(session: SignedIn): void {
  if (session.costs !== null) {
    readBalance(session).catch(() => {});
  }
}
