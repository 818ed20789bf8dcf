// Adds any number of assets to ledgers in the database of a stopped server. Also updates the ledgers' stored numbers of assets.
import { Miniflare } from "miniflare";
import { readConfiguration, simulatorOptions } from "../../edge-api/host/runtime.mjs";

/** The number of rows per statement. It is small, so that no statement takes long. */
const AT_ONCE = 5_000;

/**
 * Adds assets of `owner` with the ids 1, 2, 3, … to ledgers. Their creation times are ten milliseconds apart and end now. `ledgers` are
 * pairs of an address and a count. Calls `progress` with each finished part.
 */
export async function seed({ dist, state, ledgers, owner, progress }) {
  const configuration = await readConfiguration();
  const simulator = new Miniflare(await simulatorOptions(configuration, { dist, state, vars: {}, privateNetwork: true }));
  try {
    const database = await simulator.getD1Database(configuration.d1_databases[0].binding);
    const started = Date.now();
    for (const [ledger, count] of ledgers) {
      for (let first = 1; first <= count; first += AT_ONCE) {
        const last = Math.min(first + AT_ONCE - 1, count);
        await database
          .prepare(
            `WITH RECURSIVE n(n) AS (SELECT ?3 UNION ALL SELECT n + 1 FROM n WHERE n < ?4)
             INSERT INTO assets (ledger_id, id, owner_id, imprint, created_at, updated_at)
             SELECT ?1, printf('%064x', n), ?2, lower(hex(randomblob(32))), ?5 + n * 10, ?5 + n * 10 FROM n`,
          )
          .bind(ledger.toLowerCase(), owner.toLowerCase(), first, last, started - count * 10)
          .run();
        progress(`${last} of ${count} assets`);
      }
      const kept = await database
        .prepare("UPDATE ledgers SET asset_count = (SELECT count(*) FROM assets WHERE ledger_id = ledgers.id) WHERE id = ?1 RETURNING asset_count")
        .bind(ledger.toLowerCase())
        .first("asset_count");
      if (kept !== count) throw new Error(`ledger ${ledger} has ${kept} assets instead of ${count}`);
    }
  } finally {
    await simulator.dispose();
  }
}
