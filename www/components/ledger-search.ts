// Finds the ledgers of an account in which certificates of a schema can be issued.
import type { Client } from '/client/index.js';
import { type OwnLedger, ledgersOf } from '/lib/issuing.ts';
import { notedRegisters } from '/lib/last-register.ts';
import { serviceOf } from '/lib/service.ts';
import { schemasById } from '/lib/titles.ts';
import type { JsonObject } from '/view/json.ts';
import type { FoundLedgers } from './ledger-state.ts';

/** The maximum number of registers of earlier certificates that are looked at. */
const MAX_EARLIER = 5;

/** Finds the ledgers, in whatever language of this page they were deployed. `schemaIn` returns the schema in a language, and `idOf` its id. */
export async function searchLedgers(client: Client, schemaIn: Parameters<typeof schemasById>[0], idOf: (schema: JsonObject) => Promise<string>): Promise<FoundLedgers> {
  const schemas: ReadonlyMap<string, JsonObject> = await schemasById(schemaIn, idOf);
  const found = await ledgersOf(client, [...schemas.keys()]);
  const { files } = await serviceOf();
  return { found, schemas, isHosting: Boolean(files), ...(await earlier(client, found, schemas)) };
}

/** Returns the register in which the account issued last such a certificate in this browser: as `lost` if the account may not issue there any more. */
async function earlier(client: Client, found: readonly OwnLedger[], schemas: ReadonlyMap<string, JsonObject>): Promise<Pick<FoundLedgers, 'last' | 'lost'>> {
  const { accountId } = client.provider;
  const isFound = (id: string) => found.some((ledger) => ledger.id === id);
  const noted = notedRegisters(accountId);
  for (const id of noted.slice(0, MAX_EARLIER)) {
    if (isFound(id)) {
      return { last: id, lost: null };
    }
    // A register that cannot be read keeps nobody from issuing.
    const ledger = await client.getLedger(id).then(
      ({ data }) => data,
      () => null,
    );
    if (ledger !== null && schemas.has(ledger.schemaId.toLowerCase()) && !isSame(ledger.ownerId, accountId)) {
      return { last: null, lost: { ...ledger, isForeign: true } };
    }
  }
  return { last: noted.find(isFound) ?? null, lost: null };
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
