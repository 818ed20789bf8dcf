// Runs N rounds of fault injection. Each round aborts the Worker at the next step. Every third round also kills the process. A round after the
// last step only kills the process, at a random moment.
//
//   node tests/faults/run.mjs --rounds N
//
// Reports its progress on standard error, and prints the results.
import { parseArgs } from "node:util";
import { STEPS, Trial } from "./trial.mjs";
import { keepFigures, note, printTable } from "../support/figures.mjs";

const { values } = parseArgs({ options: { rounds: { type: "string" } } });
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error("`--rounds` must be a whole number of 1 or more");
const started = performance.now();
const trial = await Trial.start();
try {
  for (let round = 0; round < rounds; round++) {
    // The round after the last step has no step: the process is killed at a random moment.
    const step = STEPS[round % (STEPS.length + 1)];
    const kill = !step || round % 3 === 0;
    const what = `round ${round + 1}, aborted at ${step ?? "any moment"}${kill ? ", killed" : ""}`;
    await trial.round(step, kill).catch((error) => {
      throw new Error(`${what}: ${error.message}`, { cause: error });
    });
    if ((round + 1) % 10 === 0) process.stderr.write(`  ${round + 1} of ${rounds} rounds\n`);
  }
  const unreached = STEPS.filter((step) => trial.reached[step] === 0);
  if (rounds > STEPS.length && unreached.length > 0) throw new Error(`no round reached ${unreached.join(", ")}`);
  const { reached, killed, resent, repeated } = trial;
  const seconds = (performance.now() - started) / 1000;
  printTable(["the Worker aborted", "times"], Object.entries(reached));
  note(
    `Rounds: ${rounds}; with the process killed: ${killed}; requests that got no answer and were sent again: ${resent}. Every order, deposit and payment happened exactly once. No webhook event was lost, and ${repeated} arrived twice.`,
  );
  await keepFigures({ rounds, reached, killed, resent, repeated, seconds });
} finally {
  await trial.stop();
}
