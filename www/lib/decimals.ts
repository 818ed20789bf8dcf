// Decimal numbers as people read them. Does not use the DOM.

/**
 * At most two decimals, or two digits of a number below 0.01, so no price looks like nothing. The digits after these are cut, so a balance never looks larger than it
 * is. Browsers know these options since 2023.
 */
const SHOWN: Intl.NumberFormatOptions = { maximumFractionDigits: 2, maximumSignificantDigits: 2, roundingPriority: 'morePrecision', roundingMode: 'trunc' };

/** Returns a decimal number, such as `1190.4761`, with the signs of a language. */
export const shownDecimal = (number: string, locale: string): string => new Intl.NumberFormat(locale, SHOWN).format(number as Intl.StringNumericLiteral);
