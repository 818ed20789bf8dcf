// Compares the rules of order-core with the original contracts, in random rounds. `cargo xtask bench chain` runs it:
//
//   node tests/chain/bench.mjs ROUNDS SEED
//
// Prints the figures as JSON, and fails at the first difference.
import { anvil } from "./contracts.mjs";
import { compare } from "./differential.mjs";
import { keepFigures } from "../support/figures.mjs";

/** Maximum number of rounds on one chain. Rounds become slower as the state grows: 1,500 rounds take five times as long as 500. */
const ROUNDS_MAX = 500;

/** Adds the counts of a run to `sums`. */
function add(sums, counts) {
  for (const [name, count] of Object.entries(counts)) {
    if (typeof count === "object") add((sums[name] ??= {}), count);
    else sums[name] = (sums[name] ?? 0) + count;
  }
}

const program = anvil();
if (!program) throw new Error("npm has no anvil for this machine");
const [rounds, seed] = process.argv.slice(2).map(Number);
const started = performance.now();
const sums = {};
for (let done = 0, chain = 0; done < rounds; chain++) {
  const count = Math.min(ROUNDS_MAX, rounds - done);
  add(sums, await compare(program, count, seed + chain));
  done += count;
  process.stderr.write(`  ${done} of ${rounds} rounds, seed ${seed + chain}\n`);
}
const compared = { rounds, seed, seconds: Math.round((performance.now() - started) / 1000), ...sums };
console.log(JSON.stringify(compared, null, 2));
await keepFigures(compared);
