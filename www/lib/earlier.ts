// Finds what became of the rows of a list that were issued before. Does not use the DOM.
import type { Client } from '/client/index.js';
import { type Batch, type BatchLedger, type BatchRow, progressId, progressOf, storeOf } from './batches.ts';
import { groupsOf } from './few.ts';

/** The number of certificates that one request names: the service's maximum. */
const PAGE = 100;

/** The rows of a list by what became of them. */
export interface Standing {
  /** The rows that have no certificate yet. Rows of an order that still waits are among them. */
  readonly fresh: readonly BatchRow[];
  readonly issued: readonly BatchRow[];
  readonly withdrawn: readonly BatchRow[];
  /** The rows whose certificates have had another content since. A list knows the first content only. */
  readonly replaced: readonly BatchRow[];
}

/** Returns what became of the rows of a batch. */
export async function standingOf(client: Client, batch: Pick<Batch, 'id' | 'shares'>, { ref }: Pick<BatchLedger, 'ref'>, rows: readonly BatchRow[]): Promise<Standing> {
  const { assets, sent } = progressOf(await storeOf(progressId(batch)).read());
  const assetOf = ({ key }: BatchRow) => (sent.has(key) ? assets.get(key) : undefined);
  const ids = rows.flatMap((row) => assetOf(row) ?? []);
  const statuses = new Map<string, 'in-force' | 'replaced' | 'withdrawn'>();
  for (const filterIds of groupsOf(ids, PAGE)) {
    for await (const { id, status } of client.certificates({ ledgerRefs: [ref], filterIds, limit: PAGE })) {
      // A number that was issued again is listed twice, the newest first.
      statuses.set(id, statuses.get(id) ?? status);
    }
  }
  const those = (wanted: string | undefined) => rows.filter((row) => statuses.get(assetOf(row) ?? '') === wanted);
  return { fresh: those(undefined), issued: those('in-force'), withdrawn: those('withdrawn'), replaced: those('replaced') };
}
