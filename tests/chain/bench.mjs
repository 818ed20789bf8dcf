// `cargo xtask bench chain`: node tests/chain/bench.mjs ROUNDS SEED. Prints the figures as JSON, and fails at the first difference.
import { anvil } from "./contracts.mjs";
import { compare } from "./differential.mjs";

const program = anvil();
if (!program) throw new Error("npm has no anvil for this machine");
const [rounds, seed] = process.argv.slice(2).map(Number);
const started = performance.now();
const counts = await compare(program, rounds, seed);
console.log(JSON.stringify({ rounds, seed, seconds: Math.round((performance.now() - started) / 1000), ...counts }));
