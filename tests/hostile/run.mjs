// Runs all attacks, or only the named ones. Runs them at full size, or at small sizes with --short.
//
//   node tests/hostile/run.mjs [--short] [--dist DIR] [NAME…]
//
// Reports its progress on standard error, and prints every bound with the measured value. Fails if a bound does not hold.
import { parseArgs } from "node:util";
import { ATTACKS, SIZES, attack } from "./set.mjs";
import { showBounds } from "./shown.mjs";

const { values, positionals } = parseArgs({ options: { short: { type: "boolean" }, dist: { type: "string" } }, allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(ATTACKS);
const unknown = names.filter((name) => !(name in ATTACKS));
if (unknown.length > 0) throw new Error(`there is no attack "${unknown[0]}"; there are "${Object.keys(ATTACKS).join('", "')}"`);
const attacks = [];
for (const name of names) {
  process.stderr.write(`  ${name}\n`);
  const started = performance.now();
  const bounds = await attack(name, values.short ? SIZES.short : SIZES.full, { dist: values.dist }).catch((error) => {
    // An attack that does not complete counts as a bound that does not hold.
    process.stderr.write(`${error.stack}\n`);
    return [{ what: `it ended with: ${error.message}`, value: 1, limit: 0, unit: "", holds: false }];
  });
  attacks.push({ name, seconds: (performance.now() - started) / 1000, bounds });
}
await showBounds(attacks);
