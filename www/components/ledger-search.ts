// Finds the ledgers of an account in which certificates of a schema can be issued.
import type { Client } from '/client/index.js';
import { ledgersOf } from '/lib/issuing.ts';
import { serviceOf } from '/lib/signer.ts';
import { schemasById } from '/lib/titles.ts';
import type { JsonObject } from '/view/json.ts';
import type { FoundLedgers } from './ledger-state.ts';

/** Finds the ledgers, in whatever language of this page they were deployed. `schemaIn` returns the schema in a language, and `idOf` its id. */
export async function searchLedgers(client: Client, schemaIn: Parameters<typeof schemasById>[0], idOf: (schema: JsonObject) => Promise<string>): Promise<FoundLedgers> {
  const schemas: ReadonlyMap<string, JsonObject> = await schemasById(schemaIn, idOf);
  const found = await ledgersOf(client, [...schemas.keys()]);
  const { files } = await serviceOf();
  return { found, schemas, isHosting: Boolean(files) };
}
