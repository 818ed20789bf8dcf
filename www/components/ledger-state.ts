// The choice of a ledger on the pages that issue: one of the account's ledgers, or a new one. Does not use the DOM.
import type { OwnLedger } from '../lib/issuing.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import type { Costs } from '../lib/sign-in.ts';

/** The value of the choice of a new ledger. */
export const NEW = '';

export interface LedgerChoice {
  /** The search in progress, or null. */
  readonly search: object | null;
  /** The account's ledgers, or null until they are known. */
  readonly found: readonly OwnLedger[] | null;
  /** The schemas that certificates of these ledgers have, by their ids. The schema in the page's language is the first one. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** Whether this service hosts the files of a new ledger. */
  readonly isHosting: boolean;
  /** The id of the chosen ledger, or `NEW`. */
  readonly chosen: string;
  /** The name of a new ledger, and the folder of its files. */
  readonly name: string;
  readonly folder: string;
}

/** The account's ledgers with one of the schemas, the schemas by their ids, and whether the service hosts files. */
export interface FoundLedgers {
  readonly found: readonly OwnLedger[];
  readonly schemas: ReadonlyMap<string, JsonObject>;
  readonly isHosting: boolean;
}

export type LedgerAction =
  | { readonly type: 'ledgersSearched'; readonly search: object }
  | ({ readonly type: 'ledgersFound'; readonly search: object } & FoundLedgers)
  | { readonly type: 'ledgersFailed'; readonly search: object }
  | { readonly type: 'ledgerDeployed'; readonly ledger: OwnLedger; readonly isHosting: boolean }
  | { readonly type: 'ledgerChosen'; readonly id: string }
  | { readonly type: 'ledgerNamed'; readonly name: string }
  | { readonly type: 'folderEntered'; readonly folder: string };

export const NO_LEDGERS: LedgerChoice = { search: null, found: null, schemas: new Map(), isHosting: false, chosen: NEW, name: '', folder: '' };

/** Returns the choice after an action. An answer to an earlier search changes nothing. */
export function reduceLedgers(choice: LedgerChoice, action: LedgerAction): LedgerChoice {
  switch (action.type) {
    case 'ledgersSearched':
      return { ...choice, search: action.search, found: null };
    case 'ledgersFound': {
      const { search, found, schemas, isHosting } = action;
      return search === choice.search ? { ...choice, search: null, found, schemas, isHosting, chosen: firstOf(found) } : choice;
    }
    case 'ledgersFailed':
      return action.search === choice.search ? { ...choice, search: null } : choice;
    case 'ledgerDeployed': {
      const found = [action.ledger, ...(choice.found ?? [])];
      return { ...choice, found, isHosting: action.isHosting, chosen: firstOf(found) };
    }
    case 'ledgerChosen':
      return { ...choice, chosen: action.id };
    case 'ledgerNamed':
      return { ...choice, name: action.name };
    case 'folderEntered':
      return { ...choice, folder: action.folder };
  }
}

/** Returns the ledger that is offered first. Only the person chooses a ledger that another account deployed. */
const firstOf = (found: readonly OwnLedger[]): string => found.find(({ isForeign }) => !isForeign)?.id ?? NEW;

/** Returns the chosen ledger, or undefined for a new one. */
export const chosenLedger = ({ found, chosen }: LedgerChoice): OwnLedger | undefined => found?.find(({ id }) => id === chosen);

/** Returns the schema of a ledger's certificates. A ledger takes certificates with its own schema only, so their titles are in its language. */
export function schemaFor({ schemas }: LedgerChoice, { schemaId }: OwnLedger): JsonObject {
  const schema = schemas.get(schemaId.toLowerCase());
  if (schema === undefined) {
    throw new Error(`no certificate of this page has the schema \`${schemaId}\``);
  }
  return schema;
}

/** Returns the id of a new ledger's schema: that in the page's language. */
export function newSchemaId({ schemas }: LedgerChoice): string {
  const [id] = schemas.keys();
  if (id === undefined) {
    throw new Error('no schema of the new ledger is known');
  }
  return id;
}

/** Returns the total cost of a number of certificates, and of the ledger if it is new. `costs` is null if nothing has to be paid. */
export function costOf(costs: Costs | null, { chosen }: LedgerChoice, certificates: number): bigint {
  return costs === null ? 0n : BigInt(costs.assetCreateCost) * BigInt(certificates) + (chosen === NEW ? BigInt(costs.assetDeployCost) : 0n);
}
