// Counts the rows that D1 bills. Creates a build of the Worker that logs the rows of each batch, and each periodic run. Then adds up
// the rows in the log.
import { cp, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/** The code that wraps the Worker's entry point. It logs the rows of each batch, and each periodic run. */
const COUNTER = `
  import Assay from "./assay.js";
  globalThis.assayBatch = async (database, text) => {
    try {
      const statements = JSON.parse(text).map(([sql, values]) => database.prepare(sql).bind(...values));
      const results = await database.batch(statements);
      const sum = (name) => results.reduce((total, { meta }) => total + (meta[name] ?? 0), 0);
      console.log(JSON.stringify({ event: "rows", read: sum("rows_read"), written: sum("rows_written"), size: results.at(-1)?.meta.size_after }));
      return JSON.stringify(results.map(({ results }) => results));
    } catch (error) {
      throw [error?.message ?? error, error?.cause?.message].filter(Boolean).join(": ");
    }
  };
  export default class extends Assay {
    async scheduled(event) {
      console.log(JSON.stringify({ event: "sweep" }));
      return super.scheduled(event);
    }
  }
`;

/** Returns the sums of all batches in a log, and the number of periodic runs. */
export function rows(log) {
  const total = { read: 0, written: 0, batches: 0, size: 0, sweeps: 0 };
  for (const [text] of log.matchAll(/\{"event":"(rows|sweep)".*\}/g)) {
    const { event, read, written, size } = JSON.parse(text);
    if (event === "sweep") total.sweeps += 1;
    else Object.assign(total, { read: total.read + read, written: total.written + written, batches: total.batches + 1, size: size ?? total.size });
  }
  return total;
}

/** Copies a build and adds the counter. */
export async function counting(source, dist) {
  await cp(source, dist, { recursive: true });
  await rename(path.join(dist, "worker.js"), path.join(dist, "assay.js"));
  await writeFile(path.join(dist, "worker.js"), COUNTER);
}
