// Runs a few scenarios in which the service, its providers or its chain fail. `cargo xtask bench faults --ledger anvil` runs all scenarios, any
// number of times.
import { after, before, test } from "node:test";
import { anvil } from "./contracts.mjs";
import { SCENARIOS, Trial } from "./trial.mjs";

const skip = !anvil() && "npm has no anvil for this machine";

let trial;
before(async () => {
  if (!skip) trial = await Trial.start();
});
after(() => trial?.stop());

/** The scenarios of this test. The other scenarios need many blocks, or differ little from these. */
const SHORT = [
  "killed at perform:after",
  "aborted at observe:before",
  "all providers drop connections",
  "the first provider says that kept transactions were performed",
  "the second provider is on a fork",
  "the first provider omits logs and empties bloom filters",
  "all blocks that are not final are reorganised",
  "a transaction is dropped from the pool",
  "the relayer's key is used elsewhere meanwhile",
  "the relayer has no funds",
  "another account performs an order first",
  // Last, because the service then has another provider.
  "a provider fails in the night",
];

for (const name of SHORT) {
  test(`every request is performed exactly once: ${name}`, { skip }, () => trial.round(name, SCENARIOS[name]));
}
