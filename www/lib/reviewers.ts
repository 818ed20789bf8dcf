// The accounts that can sign a certificate too. Does not use the DOM.
import type { Client } from '/client/index.js';
import type { OwnLedger } from './issuing.ts';

/** The maximum number of accounts that are offered. */
const MAX_REVIEWERS = 100;

/** Returns the other accounts with a role on a register, in lower case. Only they see the register in their console. Leaves out the accounts with which the service performs orders. */
export async function reviewersOf(client: Client, { ref }: Pick<OwnLedger, 'ref'>): Promise<string[]> {
  const [{ data: account }, { data }] = await Promise.all([client.getAccount(), client.getLedgerAbilities(ref, { limit: MAX_REVIEWERS })]);
  const others = new Set([account.id, ...Object.values(account.gateway.proxies)].map((id: string) => id.toLowerCase()));
  return data.flatMap(({ accountId, abilities }) => (abilities.length === 0 || others.has(accountId.toLowerCase()) ? [] : [accountId.toLowerCase()]));
}
