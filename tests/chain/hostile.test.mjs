// Runs the attacks of `cargo xtask bench chain-hostile` at small sizes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { anvil } from "./contracts.mjs";
import { ATTACKS, SIZES } from "./hostile.mjs";

const skip = !anvil() && "npm has no anvil for this machine";

for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`bounds hold on a chain: ${name}`, { skip }, async (context) => {
    const bounds = await attack(SIZES.short);
    for (const { what, value, limit, unit } of bounds) context.diagnostic(`${what}: ${value} of ${limit} ${unit}`);
    assert.deepEqual(
      bounds.filter(({ holds, timed }) => !holds && !timed),
      [],
    );
  });
}
