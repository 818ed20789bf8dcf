// Runs the attacks of `cargo xtask bench hostile` at small sizes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ATTACKS, SIZES, attack } from "./set.mjs";

for (const name of Object.keys(ATTACKS)) {
  test(`bounds hold under attack: ${name}`, async (context) => {
    const bounds = await attack(name, SIZES.short);
    for (const { what, value, limit, unit } of bounds) context.diagnostic(`${what}: ${value} of ${limit} ${unit}`);
    assert.deepEqual(
      bounds.filter(({ holds, timed }) => !holds && !timed),
      [],
    );
  });
}
