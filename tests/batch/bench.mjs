// Issues a large table on a new service in workerd until all orders are final. Then runs the command again. Prints the times.
//
//   node tests/batch/bench.mjs TOOL ROWS [OPTION...]
//
// Passes options on to `cert batch`, such as `--pdf`.
import assert from "node:assert/strict";
import { startServer } from "../support/server.mjs";
import { Desk, table } from "./world.mjs";
import { keepFigures, printTable } from "../support/figures.mjs";

const [tool, count] = [process.argv[2], Number(process.argv[3])];
/** The deposit in cents. It covers all certificates and a ledger, with a margin. A certificate costs 3 tokens, and a token 4.2 cents. */
const CENTS = String(Math.ceil((count + 10) * 3 * 4.3) + 1000);

const server = await startServer({ vars: { ENVIRONMENT: "development", DEPOSITS: "test" }, quiet: true });
const desk = await Desk.of({ url: server.url }, { rows: table(count), tool });
try {
  const options = ["--deposit", CENTS, ...process.argv.slice(4)];
  const started = performance.now();
  const { code, err } = await desk.issue(...options);
  const seconds = (performance.now() - started) / 1000;
  assert.equal(code, 0, err);
  const [, certifying, issuing] = /Certifying took ([\d.]+) s, issuing ([\d.]+) s/.exec(err).map(Number);
  const pdfs = /PDFs took ([\d.]+) s/.exec(err);
  const again = performance.now();
  assert.equal((await desk.issue(...options)).code, 0);
  const nothingLeft = (performance.now() - again) / 1000;
  const issued = await assets(desk);
  assert.equal(issued, count);
  const times = [
    ["the whole command", seconds],
    ["certifying, with all files", certifying],
    ["issuing", issuing],
    ...(pdfs === null ? [] : [["writing PDFs", Number(pdfs[1])]]),
    ["again, with nothing left to issue", nothingLeft],
  ];
  printTable(
    ["cert batch", "s", "share"],
    times.map(([name, time]) => [`${count} rows: ${name}`, time.toFixed(2), `${((time / seconds) * 100).toFixed(0)} %`]),
  );
  await keepFigures({ rows: count, seconds, certifying, issuing, nothingLeft });
} finally {
  await desk.leave();
  await server.stop();
}

/** Returns the number of assets on the batch's ledger. */
async function assets(desk) {
  const { ledger } = (await desk.state()).find(({ kind }) => kind === "ledger");
  const client = await desk.client(server.url);
  const ids = new Set();
  for await (const { id } of client.ledgerAssets(ledger)) ids.add(id);
  return ids.size;
}
