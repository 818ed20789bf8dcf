// Runs a few rounds of fault injection. `cargo xtask bench faults` runs any number of rounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Trial } from "./trial.mjs";

test("all accepted work is done exactly once after aborts and kills", async (context) => {
  const trial = await Trial.start();
  try {
    for (const [step, kill] of [
      ["create:after", false],
      ["create:before", true],
      ["delivered:before", false],
      ["intent-known:before", false],
      ["credit:after", true],
      [undefined, true],
    ]) {
      await context.test(`${step ?? "at any moment"}${kill ? ", killed" : ""}`, async () => {
        await trial.round(step, kill);
        if (step) assert.equal(trial.reached[step], 1);
      });
    }
  } finally {
    await trial.stop();
  }
});
