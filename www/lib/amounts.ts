// Amounts of the platform token as people read them. Does not use the DOM.
import { fromUnits } from '/client/index.js';
import { shownDecimal } from './decimals.ts';
import { locale } from './texts.ts';

/** Returns an amount of base units in tokens, with at most two decimals. */
export const shownTokens = (units: bigint | string): string => shownDecimal(fromUnits(units), locale);

/** Returns the values of a text with amounts as they are shown, and as they are exactly. */
export function amountsOf(amounts: Readonly<Record<string, bigint | string>>): { readonly shown: Record<string, string>; readonly exact: Record<string, string> } {
  const each = (text: (units: bigint | string) => string) => Object.fromEntries(Object.entries(amounts).map(([name, units]) => [name, text(units)]));
  return { shown: each(shownTokens), exact: each(fromUnits) };
}
