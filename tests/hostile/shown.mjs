// Prints the bounds of attacks with the measured values.
import { keepFigures, printTable } from "../support/figures.mjs";

/** Prints attacks `{ name, bounds }`, where a bound is `{ what, value, limit, unit, holds }`. The process fails if a bound does not hold. */
export async function showBounds(attacks) {
  const rows = attacks.flatMap(({ name, bounds }) => [[name, "", "", ""], ...bounds.map(({ what, value, limit, unit }) => [`  ${what}`, value ?? "not measured", limit, unit])]);
  printTable(["attack", "measured", "bound", ""], rows);
  await keepFigures({ attacks });
  const broken = attacks.flatMap(({ name, bounds }) => bounds.filter(({ holds }) => !holds).map(({ what, value }) => `${name}: ${what}: ${value}`));
  if (broken.length > 0) throw new Error(`bounds that did not hold:\n  ${broken.join("\n  ")}`);
}
