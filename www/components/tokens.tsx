// Sentences with amounts of the platform token, and the way to more tokens.
import { amountsOf } from '/lib/amounts.ts';
import type { Costs, SignedIn } from '/lib/sign-in.ts';
import { say } from '/lib/texts.ts';
import { moneyLink } from './answer.ts';
import { useCosts } from './balance.ts';

/** A text with amounts of base units. If an amount is shortened, the title has the exact one. */
export function Tokens({ text, values, id, kind }: { readonly text: string; readonly values: Readonly<Record<string, bigint | string>>; readonly id?: string; readonly kind?: string }) {
  const { shown, exact } = amountsOf(values);
  const [sentence, whole] = [say(text, shown), say(text, exact)];
  return (
    <span id={id} class={kind} title={sentence === whole ? undefined : whole}>
      {sentence}
    </span>
  );
}

export function MoneyLink() {
  const { href, text, isNewTab } = moneyLink();
  return (
    <a href={href} target={isNewTab ? '_blank' : undefined} rel={isNewTab ? 'noopener' : undefined}>
      {text}
    </a>
  );
}

/**
 * Shows a price and the balance of the account, unless nothing has to be paid. `of` returns the price of orders and deployments. If the service may not
 * take as much yet, the price of this permission is added. If the balance is too low, leads to the view of money.
 */
export function Price({ id, session, of }: { readonly id: string; readonly session: SignedIn | null; readonly of: (costs: Costs) => bigint }) {
  const costs = useCosts(session, true);
  const price = costs === null ? 0n : of(costs);
  if (costs === null || price === 0n) {
    return <p class="hint" id={id} />;
  }
  // While a release is deployed in steps, the version before it may answer, which does not tell the amount.
  const isAllowed = costs.feeAllowance == null || BigInt(costs.feeAllowance) >= price;
  const permission = isAllowed ? 0n : BigInt(costs.dappValueApproveCost);
  const [cost, balance] = [price + permission, BigInt(costs.balance)];
  return (
    <p class={cost > balance ? 'problem' : 'hint'} id={id}>
      <Tokens text={permission === 0n ? 'issue.costs' : 'issue.firstCosts'} values={{ cost, permission, balance }} /> {cost > balance && <MoneyLink />}
    </p>
  );
}
