// Asks the service about a certificate.
import type { Validity } from '/client/index.js';
import { own } from '/view/json.ts';
import { isValidity } from '/view/verdict.ts';

/** The ids of a certificate: its ledger and its number. */
export interface Ids {
  ledger: string;
  asset: string;
}

/**
 * Fetches the record of an asset from the service: the data of `/badge.json`. Throws if the service does not answer.
 * The browser caches answers. If `cache` is `reload`, the browser fetches a new answer and caches it.
 */
export async function validityOf({ ledger, asset }: Ids, cache: RequestCache = 'default'): Promise<Validity> {
  const answer = await fetch(`/badge.json?ledgerId=${ledger}&assetId=${asset}`, { cache });
  const data = own(await answer.json(), 'data');
  if (!isValidity(data)) {
    throw new Error('the service has no answer');
  }
  return data;
}
