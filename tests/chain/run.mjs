// Runs N rounds. In each round, the service, its providers or its chain fail as one scenario says. The scenarios take turns.
//
//   node tests/chain/run.mjs --rounds N [--only TEXT]
//
// `--only` selects the scenarios whose names contain the text. Reports its progress on standard error, and prints the results.
import { parseArgs } from "node:util";
import { SCENARIOS, Trial } from "./trial.mjs";
import { keepFigures, note, printTable } from "../support/figures.mjs";

const { values } = parseArgs({ options: { rounds: { type: "string" }, only: { type: "string", default: "" } } });
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error("`--rounds` must be a whole number of 1 or more");
const chosen = Object.entries(SCENARIOS).filter(([name]) => name.includes(values.only));
if (chosen.length === 0) throw new Error(`no scenario has a name with \`${values.only}\``);
const started = performance.now();
const trial = await Trial.start();
try {
  for (let round = 0; round < rounds; round++) {
    const [name, scenario] = chosen[round % chosen.length];
    await trial.round(name, scenario).catch((error) => {
      throw new Error(`round ${round + 1}, ${name}: ${error.message}`, { cause: error });
    });
    if ((round + 1) % 10 === 0) process.stderr.write(`  ${round + 1} of ${rounds} rounds\n`);
  }
  const { reached, killed, resent, requests } = trial;
  const seconds = (performance.now() - started) / 1000;
  printTable(["fault", "rounds"], Object.entries(trial.rounds));
  note(
    `Rounds: ${rounds}; with the process killed: ${killed}; requests that got no answer and were sent again: ${resent}. Each of ${requests} requests was performed exactly once, and the service called none of them final before the chain's contracts did.`,
  );
  await keepFigures({ rounds, scenarios: trial.rounds, reached, killed, resent, requests, seconds });
} finally {
  await trial.stop();
}
