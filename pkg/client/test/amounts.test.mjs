// Amounts are converted exactly or refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromUnits, toUnits } from "@assay/client";

const EXACT = [
  [0, 0n],
  [1, 10n ** 18n],
  [0.1, 10n ** 17n],
  [1.5, 15n * 10n ** 17n],
  [1e-18, 1n],
  [1.5e-7, 150_000_000_000n],
  [123456789.123456, 123456789123456n * 10n ** 12n],
  [Number.MAX_SAFE_INTEGER, 9007199254740991n * 10n ** 18n],
  ["0", 0n],
  ["100", 100n * 10n ** 18n],
  ["0.1", 10n ** 17n],
  ["0.000000000000000001", 1n],
  ["1.500000000000000000000", 15n * 10n ** 17n],
  ["1.123456789012345678", 1123456789012345678n],
  [0n, 0n],
  [7n, 7n],
  [2n ** 256n - 1n, 2n ** 256n - 1n],
];

for (const [amount, units] of EXACT) {
  test(`${typeof amount} ${amount} is ${units} base units`, () => assert.equal(toUnits(amount), units));
}

const REFUSED = [
  NaN,
  Infinity,
  -1,
  -0.5,
  1e-19,
  1.5e-18,
  0.1 + 0.2,
  9007199254740992,
  1e21,
  1.1234567890123456,
  "",
  " 1",
  "1 ",
  "-1",
  "+1",
  "1e18",
  "0x10",
  ".5",
  "5.",
  "1,5",
  "1_000",
  "٣",
  "0.0000000000000000001",
  "1".repeat(79),
  "1".repeat(61),
  -1n,
  2n ** 256n,
  null,
  undefined,
  true,
  {},
  [1],
  new Number(1),
];

for (const amount of REFUSED) {
  test(`${typeof amount} ${typeof amount === "object" ? JSON.stringify(amount) : String(amount)} is refused`, () => assert.throws(() => toUnits(amount), RangeError));
}

test("base units converted to tokens and back stay the same", () => {
  const texts = [[0n, "0"], [1n, "0.000000000000000001"], [15n * 10n ** 17n, "1.5"], ["100000000000000000000", "100"], [2n ** 256n - 1n]];
  for (const [units, text] of texts) {
    if (text) assert.equal(fromUnits(units), text);
    assert.equal(toUnits(fromUnits(units)), BigInt(units));
  }
});

test("a difference of amounts has its sign, and malformed amounts are refused", () => {
  for (const [units, text] of [
    [-1n, "-0.000000000000000001"],
    [-15n * 10n ** 17n, "-1.5"],
    ["-1000000000000000000", "-1"],
    ["007", "0.000000000000000007"],
  ])
    assert.equal(fromUnits(units), text);
  for (const wrong of ["", " 1", "1.5", "0x10", "-", "1e3", 1, 1.5, null, undefined, true, {}, [1n]]) assert.throws(() => fromUnits(wrong), RangeError, String(wrong));
});
