// Converts amounts between tokens, for people, and base units, for the service. No digits are lost.

/** The number of decimals of the platform token, and of nearly every other token. */
const DECIMALS = 18;
/** A decimal string with at most this many significant digits survives the conversion to a JavaScript number and back. */
const EXACT_DIGITS = 15;
const LARGEST = (1n << 256n) - 1n;

/**
 * An amount: tokens as a number (`0.1`) or a decimal string (`"0.1"`), or base units as a bigint (`100000000000000000n`, or
 * `BigInt(record.value)` of a record).
 */
export type TokenAmount = number | string | bigint;

/**
 * Returns the base units of an amount.
 *
 * @throws {RangeError} if digits would be lost, or if the value is not an amount.
 */
export function toUnits(amount: TokenAmount): bigint {
  const units = typeof amount === "bigint" ? amount : parse(typeof amount === "number" ? decimal(amount) : amount);
  if (units < 0n) throw new RangeError("an amount cannot be negative");
  if (units > LARGEST) throw new RangeError("an amount has at most 256 bits");
  return units;
}

/**
 * Converts base units to tokens: `1500000000000000000n` becomes `"1.5"`. The amount may be negative, for example a difference.
 *
 * @throws {RangeError} if the value is neither a bigint nor a decimal string.
 */
export function fromUnits(units: bigint | string): string {
  const [, sign = "", whole] = /^(-?)(\d+)$/.exec(typeof units === "bigint" ? String(units) : typeof units === "string" ? units : "") ?? [];
  if (whole === undefined) throw new RangeError("base units are a bigint or a decimal string");
  const digits = whole.replace(/^0+/, "").padStart(DECIMALS + 1, "0");
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, "");
  return sign + digits.slice(0, -DECIMALS) + (fraction && `.${fraction}`);
}

function parse(text: unknown): bigint {
  const match = typeof text === "string" ? /^(\d{1,78})(?:\.(\d+))?$/.exec(text) : null;
  if (!match) throw new RangeError("an amount is a number, a decimal string such as `0.1`, or a bigint of base units");
  const fraction = (match[2] ?? "").replace(/0+$/, "");
  if (fraction.length > DECIMALS) throw new RangeError(`an amount has at most ${DECIMALS} decimals`);
  return BigInt(match[1] + fraction.padEnd(DECIMALS, "0"));
}

/** Converts a number to a decimal string. Throws if the number may have lost digits. */
function decimal(amount: number): string {
  if (!Number.isFinite(amount) || amount < 0) throw new RangeError("an amount is a finite number, zero or more");
  if (Number.isSafeInteger(amount)) return String(amount);
  const [mantissa = "", power = "0"] = amount.toExponential().split("e");
  const digits = mantissa.replace(".", "");
  if (amount > Number.MAX_SAFE_INTEGER || digits.length > EXACT_DIGITS) {
    throw new RangeError("a number with so many digits is not exact: give the amount as a string or as a bigint of base units");
  }
  // The number is not an integer, so it has digits after the decimal point.
  const places = digits.length - 1 - Number(power);
  const padded = digits.padStart(places + 1, "0");
  return `${padded.slice(0, -places)}.${padded.slice(-places)}`;
}
