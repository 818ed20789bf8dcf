// Measures the quantities that D1 bills: rows read and written, and bytes stored, for a badge, an order and an idle
// minute. The figures of docs/operating.md ("Costs") come from this program.
//
//   node tests/load/rows.mjs
//
// Needs `cargo xtask build worker` and `cargo xtask build client`. Prints JSON.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Host } from "../demo/host.mjs";
import { Sender } from "../support/sender.mjs";
import { startServer } from "../support/server.mjs";
import { certified } from "./certified.mjs";
import { counting, rows } from "./counter.mjs";
import { close, dataOf, succeed } from "./measure.mjs";

const DIST = fileURLToPath(new URL("../../edge-api/dist", import.meta.url));
const SETTINGS = { ENVIRONMENT: "development", DEPOSITS: "test", ALLOW_PRIVATE_FETCH: "true", BADGE_CACHE_SECONDS: "3600" };
const TIMES = 100;

async function main() {
  const base = await mkdtemp(path.join(tmpdir(), "assay-rows-"));
  const [dist, state] = ["dist", "state"].map((name) => path.join(base, name));
  const host = await Host.start();
  const issuer = await Sender.of();
  let server;
  try {
    await counting(DIST, dist);
    server = await startServer({ vars: SETTINGS, state, dist });
    await issuer.connect(server.url);
    await issuer.client.createDeposit(10_000_000);
    const { imprint, deployment } = await certified(host);
    const ledger = await issuer.deploy({ name: "L", ...deployment });
    const { headers } = issuer;
    const order = async (id, imprint) => {
      const body = JSON.stringify(await issuer.creation(ledger.ledgerId, id, imprint, issuer.id));
      const { ref } = dataOf(await succeed(`${issuer.url}/orders`, { method: "POST", headers, body }));
      return ref;
    };
    await issuer.client.waitForOrder(await order("1", imprint), { interval: 50 });

    /** Runs `act`, which repeats an event `times` times. Returns the rows and bytes of one event. Without `times`, counts the periodic runs. */
    const measured = async (times, act) => {
      const start = server.log().length;
      const before = rows(server.log());
      await act();
      await new Promise((resolve) => setTimeout(resolve, 500));
      const { read, written, size, sweeps } = rows(server.log().slice(start));
      const count = times ?? sweeps;
      return { read: read / count, written: written / count, stored: (size - before.size) / count, times: count };
    };
    const badge = `${server.url}/badge?ledgerId=${ledger.ledgerId}&assetId=1`;
    await succeed(badge);
    const badges = await measured(TIMES, async () => {
      for (let n = 0; n < TIMES; n++) await succeed(badge);
    });
    const orders = await measured(TIMES, async () => {
      for (let n = 0; n < TIMES; n++) await order(String(n + 2), "0".repeat(64));
      while (JSON.parse((await succeed(`${server.url}/orders?statuses=7&limit=1`, { headers })).body).meta.total <= TIMES) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    });
    await server.stop();
    server = await startServer({ vars: SETTINGS, state, dist, sweepEvery: 1 });
    const minutes = await measured(undefined, () => new Promise((resolve) => setTimeout(resolve, 5500)));
    process.stdout.write(`${JSON.stringify({ badges, orders, minutes })}\n`);
  } finally {
    close();
    await server?.stop();
    await host.stop();
    await rm(base, { recursive: true, force: true });
  }
}

await main();
