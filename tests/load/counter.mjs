// Counts the work in the database. Creates a build of the Worker that logs each batch with the rows that D1 bills, each answer, and each
// periodic run. Then adds up the log.
import { cp, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/** The code that wraps the Worker's entry point. */
const COUNTER = `
  import Assay from "./assay.js";
  globalThis.assayBatch = async (database, text) => {
    try {
      const statements = JSON.parse(text);
      const results = await database.batch(statements.map(([sql, values]) => database.prepare(sql).bind(...values)));
      const sum = (name, counted = results) => counted.reduce((total, { meta }) => total + (meta[name] ?? 0), 0);
      // Every five seconds, an isolate reads the pause and the blocked accounts in a batch of their own, before any request.
      const own = statements.some(([sql]) => sql.includes("FROM blocks LEFT JOIN ledgers")) ? [] : results;
      const work = { statements: own.length, read: sum("rows_read", own), written: sum("rows_written", own) };
      console.log(JSON.stringify({ event: "rows", read: sum("rows_read"), written: sum("rows_written"), size: results.at(-1)?.meta.size_after, work }));
      return JSON.stringify(results.map(({ results }) => results));
    } catch (error) {
      throw [error?.message ?? error, error?.cause?.message].filter(Boolean).join(": ");
    }
  };
  export default class extends Assay {
    async fetch(request) {
      const answer = await super.fetch(request);
      console.log(JSON.stringify({ event: "answer" }));
      return answer;
    }
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

/** Returns the work in the log of one request: the sums of the batches before its answer, and of those after it. Reads of the pause and of blocked accounts do not count. */
export function work(log) {
  const none = () => ({ batches: 0, statements: 0, read: 0, written: 0 });
  const parts = { before: none(), after: none() };
  let part = parts.before;
  for (const [text] of log.matchAll(/\{"event":"(rows|answer)".*\}/g)) {
    const { event, work } = JSON.parse(text);
    if (event === "answer") part = parts.after;
    else if (work.statements > 0) {
      part.batches += 1;
      for (const [name, count] of Object.entries(work)) part[name] += count;
    }
  }
  return parts;
}

/** Copies a build and adds the counter. */
export async function counting(source, dist) {
  await cp(source, dist, { recursive: true });
  await rename(path.join(dist, "worker.js"), path.join(dist, "assay.js"));
  await writeFile(path.join(dist, "worker.js"), COUNTER);
}
