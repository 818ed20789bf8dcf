// The choice of a ledger on the pages that issue: one of the account's ledgers, or a new one. Does not use the DOM.
import type { OwnLedger } from '../lib/issuing.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import type { Costs } from '../lib/sign-in.ts';

/** The value of the choice of a new ledger. */
export const NEW = '';
/** The value while the person has to choose a ledger: the account has none of its own but others let it issue in theirs, or the chosen one was taken from it. */
export const UNCHOSEN = '?';

export interface LedgerChoice {
  /** The search in progress, or null. */
  readonly search: object | null;
  /** The account's ledgers, or null until they are known. */
  readonly found: readonly OwnLedger[] | null;
  /** The schemas that certificates of these ledgers have, by their ids. The schema in the page's language is the first one. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** Whether this service hosts the files of a new ledger. */
  readonly isHosting: boolean;
  /** The id of the chosen ledger, `NEW`, or `UNCHOSEN`. */
  readonly chosen: string;
  /** The ledger that was chosen last, which later searches keep. `NEW` if the person chose a new one. Null if the page offered a new one, or nothing. */
  readonly held: OwnLedger | typeof NEW | null;
  /** The name of a new ledger, and the folder of its files. */
  readonly name: string;
  readonly folder: string;
}

/** The account's ledgers with one of the schemas, the schemas by their ids, and whether the service hosts files. */
export interface FoundLedgers {
  /** The id of the ledger in which the account issued last in this browser, or null. */
  readonly last: string | null;
  /** The ledger in which the account issued last in this browser if it may not issue there any more. Otherwise null. */
  readonly lost: OwnLedger | null;
  readonly found: readonly OwnLedger[];
  readonly schemas: ReadonlyMap<string, JsonObject>;
  readonly isHosting: boolean;
}

export type LedgerAction =
  | { readonly type: 'ledgersSearched'; readonly search: object }
  | ({ readonly type: 'ledgersFound'; readonly search: object } & FoundLedgers)
  | { readonly type: 'ledgersFailed'; readonly search: object }
  | { readonly type: 'ledgerDeployed'; readonly ledger: OwnLedger; readonly isHosting: boolean }
  | { readonly type: 'ledgerLost'; readonly ledger: OwnLedger }
  | { readonly type: 'ledgerChosen'; readonly id: string }
  | { readonly type: 'ledgerNamed'; readonly name: string }
  | { readonly type: 'folderEntered'; readonly folder: string };

export const NO_LEDGERS: LedgerChoice = { search: null, found: null, schemas: new Map(), isHosting: false, chosen: NEW, held: null, name: '', folder: '' };

/** Returns the choice after an action. An answer to an earlier search changes nothing. */
export function reduceLedgers(choice: LedgerChoice, action: LedgerAction): LedgerChoice {
  switch (action.type) {
    case 'ledgersSearched':
      return { ...choice, search: action.search, found: null };
    case 'ledgersFound': {
      const { search, found, schemas, isHosting } = action;
      return search === choice.search ? { ...choice, search: null, found, schemas, isHosting, ...chosenOf(choice, action) } : choice;
    }
    case 'ledgersFailed':
      return action.search === choice.search ? { ...choice, search: null } : choice;
    case 'ledgerDeployed': {
      const found = [action.ledger, ...(choice.found ?? [])];
      return { ...choice, found, isHosting: action.isHosting, chosen: action.ledger.id, held: action.ledger };
    }
    case 'ledgerLost': {
      const { ledger } = action;
      return { ...choice, found: choice.found?.filter(({ id }) => id !== ledger.id) ?? null, chosen: UNCHOSEN, held: ledger };
    }
    case 'ledgerChosen':
      return { ...choice, chosen: action.id, held: action.id === NEW ? NEW : (choice.found?.find(({ id }) => id === action.id) ?? null) };
    case 'ledgerNamed':
      return { ...choice, name: action.name };
    case 'folderEntered':
      return { ...choice, folder: action.folder };
  }
}

/** Returns the choice after a search. A chosen ledger never changes by itself: if it is not found any more, the person has to choose. A ledger of another schema belongs to another form. */
function chosenOf({ held }: LedgerChoice, { found, schemas, last, lost }: FoundLedgers): Pick<LedgerChoice, 'chosen' | 'held'> {
  if (held === NEW) {
    return { chosen: NEW, held };
  }
  const wanted = held !== null && schemas.has(held.schemaId.toLowerCase()) ? held : lost;
  if (wanted !== null) {
    const kept = found.find(({ id }) => id === wanted.id);
    return { chosen: kept?.id ?? UNCHOSEN, held: kept ?? wanted };
  }
  const chosen = firstOf(found, last);
  return { chosen, held: found.find(({ id }) => id === chosen) ?? null };
}

/** Returns the choice for an account. Another account has other ledgers, so the search begins anew. */
export const choiceFor = (choice: LedgerChoice, before: string | undefined, after: string | undefined): LedgerChoice => (before === after ? choice : { ...choice, held: null });

/** Returns the ledger that the account had chosen, and on which it may not issue any more. Null if there is none. */
export const lostLedger = ({ chosen, held }: LedgerChoice): OwnLedger | null => (chosen === UNCHOSEN && held !== NEW ? held : null);

/**
 * Returns the ledger that is offered first: the one in which the account issued last, or its own. Only the person chooses a ledger that another account deployed, because
 * anybody can let any account issue in a ledger.
 */
function firstOf(found: readonly OwnLedger[], last: string | null): string {
  const offered = found.find(({ id }) => id === last) ?? found.find(({ isForeign }) => !isForeign);
  return offered?.id ?? (found.length > 0 ? UNCHOSEN : NEW);
}

/** Returns the id of the field in which the choice without a ledger is not complete, or null. */
export const incompleteField = ({ chosen, name }: LedgerChoice): 'ledger-choice' | 'ledger-name' | null => (chosen !== NEW ? 'ledger-choice' : name.trim() === '' ? 'ledger-name' : null);

/** Returns the chosen ledger. Undefined for a new one, and before the person has chosen. */
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
