// Sentences with amounts of the platform token, and the way to more tokens.
import { amountsOf } from '/lib/amounts.ts';
import { say } from '/lib/texts.ts';
import { moneyLink } from './answer.ts';

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
