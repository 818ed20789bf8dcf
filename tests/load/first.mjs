// Measures the first answer of a new isolate, in the service and in a bare Worker. Each round starts a new process of the runtime, so the script
// and the WebAssembly are compiled again. The time of the process itself is in both figures.
import { startServer } from "../support/server.mjs";
import { alternate, quantile, succeed } from "./measure.mjs";

/** The number of starts of each Worker. */
const STARTS = 12;

/** Starts a server, and returns the milliseconds from its start to its first answer, and those of this answer and of the next one alone. */
async function start(options, path, headers) {
  const started = performance.now();
  const server = await startServer({ ...options, quiet: true });
  try {
    const first = await succeed(`${server.url}${path}`, { headers });
    const ms = performance.now() - started;
    const next = await succeed(`${server.url}${path}`, { headers });
    return { ms, first: first.ms, next: next.ms };
  } finally {
    await server.stop();
  }
}

/** Returns the median milliseconds of each Worker. `workers` has the options of its server by name. */
export async function firstAnswers(workers, path, headers) {
  const parts = Object.fromEntries(Object.keys(workers).map((name) => [name, []]));
  const starts = Object.entries(workers).map(([name, options]) => [
    name,
    async () => {
      const taken = await start(options, path, headers);
      parts[name].push(taken);
      return taken;
    },
  ]);
  await alternate(Object.fromEntries(starts), STARTS);
  const median = (name, part) =>
    quantile(
      parts[name].map((taken) => taken[part]),
      0.5,
    );
  return Object.fromEntries(Object.keys(workers).map((name) => [name, Object.fromEntries(["ms", "first", "next"].map((part) => [part, median(name, part)]))]));
}
