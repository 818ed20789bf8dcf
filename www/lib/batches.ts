// Stores the batches of certificates that this browser has begun, in IndexedDB. After a tab was closed, a new tab can continue the batch, and no row is
// issued twice. A batch holds private values, and the secret from which the documents' keys are derived, until it is removed.

import type { BatchStore, Ledger } from '/client/index.js';
import { Refusal, isObject, own } from '../../pkg/view/src/json.ts';
import type { JsonObject, Path } from '../../pkg/view/src/json.ts';

/** A row of a batch. `row` is its number in the table, and `key` identifies it in the batch. */
export interface BatchRow {
  row: number;
  cells: string[];
  key: string;
  document: JsonObject;
}

/** The ledger of a batch. */
export type BatchLedger = Pick<Ledger, 'id' | 'ref' | 'name' | 'schemaId' | 'uriPrefix' | 'uriPostfix'>;

/** A batch. Of the `kind`, the first part of its JSON is the address of the service. `begun` is in milliseconds since 1970. */
export interface Batch {
  id: string;
  kind: string;
  name: string;
  account: string;
  begun: number;
  ledger: BatchLedger;
  schema: JsonObject;
  paths: Path[];
  columns: string[];
  delimiter: string;
  /** The secret from which the documents' keys are derived, 32 bytes. */
  secret: Uint8Array;
  rows: BatchRow[];
}

/** The assets of a batch's rows by their keys, the keys of issued rows, and the keys of rows in orders that have not failed. */
export interface Progress {
  assets: Map<string, string>;
  issued: Set<string>;
  sent: Set<string>;
}

const NAME = 'assay.batches';
const BATCHES = 'batches';
const LINES = 'lines';
const OF_BATCH = 'batch';

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(BATCHES, { keyPath: 'id' });
      request.result.createObjectStore(LINES, { autoIncrement: true }).createIndex(OF_BATCH, OF_BATCH);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/** Runs `act` in a transaction. Resolves to the result of the request that `act` returns, once the transaction would survive a crash. */
async function within<Result>(stores: string[], mode: IDBTransactionMode, act: (store: (name: string) => IDBObjectStore) => IDBRequest<Result> | undefined): Promise<Result | undefined> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(stores, mode, { durability: 'strict' });
    const request = act((name) => transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Returns all batches, the newest first. */
export async function allBatches(): Promise<Batch[]> {
  const batches = await within<Batch[]>([BATCHES], 'readonly', (store) => store(BATCHES).getAll());
  return (batches ?? []).toSorted((one, other) => other.begun - one.begun);
}

/** Adds or replaces a batch, which has an `id` and the time `begun`. */
export const keepBatch = (batch: Batch) => within([BATCHES], 'readwrite', (store) => store(BATCHES).put(batch));

/** Removes a batch and its lines. */
export function removeBatch(id: string) {
  return within([BATCHES, LINES], 'readwrite', (store) => {
    store(BATCHES).delete(id);
    const request = store(LINES).index(OF_BATCH).openCursor(IDBKeyRange.only(id));
    request.onsuccess = () => {
      request.result?.delete();
      request.result?.continue();
    };
    return undefined;
  });
}

/** Returns the store of a batch's state for `issueMany` of the client. The state has the lines of docs/batch.md. */
export function storeOf(id: string): BatchStore & { read(): Promise<string> } {
  return {
    async read() {
      const appended = await within<{ text: string }[]>([LINES], 'readonly', (store) => store(LINES).index(OF_BATCH).getAll(IDBKeyRange.only(id)));
      return (appended ?? []).map(({ text }) => text).join('');
    },
    async append(text: string) {
      await within([LINES], 'readwrite', (store) => store(LINES).add({ [OF_BATCH]: id, text }));
    },
  };
}

/** A line of a batch's state (docs/batch.md). */
type Line = { kind: 'row'; key: string; asset: string } | { kind: 'order'; id: string; rows: string[] } | { kind: 'final' | 'failed'; id: string };

/** Returns a batch's progress. Rows in orders that have not failed are issued or may still be issued. */
export function progressOf(text: string): Progress {
  const [assets, orders, issued] = [new Map<string, string>(), new Map<string, string[]>(), new Set<string>()];
  for (const line of text
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line))) {
    if (line.kind === 'row') {
      assets.set(line.key, line.asset);
    } else if (line.kind === 'order') {
      orders.set(line.id, line.rows);
    } else if (line.kind === 'final') {
      for (const key of orders.get(line.id) ?? []) {
        issued.add(key);
      }
    } else if (line.kind === 'failed') {
      orders.delete(line.id);
    }
  }
  return { assets, issued, sent: new Set([...orders.values()].flat()) };
}

/** The version of saved lists. */
const VERSION = 1;

/** Returns true if every row has its asset id. A copy of the batch then cannot issue a row as another asset. */
export const isSavable = ({ rows }: Pick<Batch, 'rows'>, { assets }: Progress) => rows.length > 0 && assets.size >= rows.length;

/**
 * Returns a batch with its state as one string, for another browser. The string contains private values and the secret. Two browsers that continue the same batch
 * issue no row twice, because each row has its asset id, and a ledger refuses an asset id that exists. Only a row whose
 * certificate was withdrawn in the meantime could be issued again.
 */
export async function saveBatch(batch: Batch): Promise<string> {
  const lines = await storeOf(batch.id).read();
  if (!isSavable(batch, progressOf(lines))) {
    throw Refusal.of('many.listEarly');
  }
  return JSON.stringify({ assayList: VERSION, batch: { ...batch, secret: [...batch.secret] }, lines });
}

/** Adds a batch from the text of `saveBatch`. If this browser already has the batch, the longer state is kept. Refuses the text if neither state is a continuation of the other. */
export async function loadBatch(text: string) {
  const { batch, lines } = parsed(text);
  const isFree = await alone(batch.id, async () => {
    const present = await storeOf(batch.id).read();
    if (present !== '' && present.startsWith(lines)) {
      return;
    }
    if (!lines.startsWith(present)) {
      throw Refusal.of('many.listOther');
    }
    // One transaction stores both, because a batch without its lines would get other asset ids.
    await within([BATCHES, LINES], 'readwrite', (store) => {
      store(BATCHES).put(batch);
      return store(LINES).add({ [OF_BATCH]: batch.id, text: lines.slice(present.length) });
    });
  });
  if (!isFree) {
    throw Refusal.of('many.otherTab');
  }
}

/** The text of `saveBatch`, parsed. The secret is a list of bytes. */
interface SavedBatch {
  batch: Omit<Batch, 'secret'> & { secret: number[] };
  lines: string;
}

const areTexts = (values: unknown[]) => values.every((value) => typeof value === 'string');
const isListOf = (value: unknown, isItem: (item: unknown) => boolean) => Array.isArray(value) && value.every(isItem);
const isByte = (value: unknown) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256;
const isRow = (value: unknown) => isObject(value) && Number.isSafeInteger(value.row) && Array.isArray(value.cells) && typeof value.key === 'string' && isObject(value.document);

function isSaved(value: unknown): value is SavedBatch {
  const [batch, lines] = [own(value, 'batch'), own(value, 'lines')];
  if (own(value, 'assayList') !== VERSION || !isObject(batch) || typeof lines !== 'string' || !lines.endsWith('\n')) {
    return false;
  }
  const { id, name, account, delimiter, kind, ledger, columns, schema, begun, paths, secret, rows } = batch;
  const ofLedger = ['id', 'ref', 'name', 'schemaId', 'uriPrefix', 'uriPostfix'].map((key) => own(ledger, key));
  return (
    typeof id === 'string' &&
    /^[0-9a-f]{32}$/.test(id) &&
    areTexts([name, account, delimiter, kind, ...ofLedger]) &&
    isListOf(columns, (column) => typeof column === 'string') &&
    isObject(schema) &&
    Number.isSafeInteger(begun) &&
    isListOf(paths, Array.isArray) &&
    isListOf(secret, isByte) &&
    own(secret, 'length') === 32 &&
    isListOf(rows, isRow)
  );
}

function parsed(text: string): { batch: Batch; lines: string } {
  try {
    const saved: unknown = JSON.parse(text);
    if (isSaved(saved) && isSavable(saved.batch, progressOf(saved.lines))) {
      const service: unknown = own(JSON.parse(saved.batch.kind), 0);
      if (typeof service === 'string') {
        return fromHere(saved, service);
      }
    }
  } catch (error) {
    if (error instanceof Refusal) {
      throw error;
    }
  }
  throw Refusal.of('many.listWrong');
}

/** Returns a saved batch of this service. Refuses a batch of another service. */
function fromHere({ batch, lines }: SavedBatch, service: string) {
  if (service !== location.origin) {
    throw Refusal.of('many.listElsewhere', { service });
  }
  return { batch: { ...batch, secret: new Uint8Array(batch.secret) }, lines };
}

/** Runs `act` while this tab has the lock of the batch. Returns false immediately if another tab has the lock. */
export async function alone(id: string, act: () => Promise<void>): Promise<boolean> {
  return navigator.locks.request(`${NAME}.${id}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) {
      return false;
    }
    await act();
    return true;
  });
}
