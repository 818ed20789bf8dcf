// Stores the batches of certificates that this browser has begun, in IndexedDB. After a tab was closed, a new tab can continue the batch, and no row is
// issued twice. A batch holds private values, and the secret from which the documents' keys are derived, until it is removed.

import type { BatchStore, Ledger } from '/client/index.js';
import { Refusal, isObject, own } from '../../pkg/view/src/json.ts';
import type { JsonObject, Path } from '../../pkg/view/src/json.ts';
import { type Place, within } from './stored.ts';

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
  /** The account that has to sign each order too. Absent or empty without a second signature. */
  reviewer?: string;
  paths: Path[];
  columns: string[];
  delimiter: string;
  /** The secret from which the documents' keys are derived, 32 bytes. */
  secret: Uint8Array;
  rows: BatchRow[];
  /** The number of rows, once all files are saved and the rows are removed. */
  count?: number;
  /** The id of the earlier batch of this kind whose progress and secret the list shares. Without it, the batch has its own. */
  shares?: string;
}

/** Returns the id under which the progress of a batch is kept. Lists of one kind share it, so no row of theirs is issued twice. */
export const progressId = ({ id, shares }: Pick<Batch, 'id' | 'shares'>): string => shares ?? id;

/** The assets of a batch's rows by their keys, the keys of issued rows, and the keys of rows in orders that have not failed. */
export interface Progress {
  assets: Map<string, string>;
  issued: Set<string>;
  sent: Set<string>;
}

const NAME = 'assay.batches';
const LINES = 'lines';
const OF_BATCH = 'batch';
const BATCHES: Place = {
  database: NAME,
  store: 'batches',
  create(database) {
    database.createObjectStore('batches', { keyPath: 'id' });
    database.createObjectStore(LINES, { autoIncrement: true }).createIndex(OF_BATCH, OF_BATCH);
  },
};
const OF_LINES: Place = { ...BATCHES, store: LINES };

/** Returns all batches, the newest first. */
export async function allBatches(): Promise<Batch[]> {
  const batches = await within<Batch[]>(BATCHES, 'readonly', (batches) => batches.getAll());
  return (batches ?? []).toSorted((one, other) => other.begun - one.begun);
}

/** Adds or replaces a batch, which has an `id` and the time `begun`. */
export const keepBatch = (batch: Batch) => within(BATCHES, 'readwrite', (batches) => batches.put(batch));

/** Removes a batch. Its lines stay while another list shares them. */
export async function removeBatch(batch: Batch) {
  const id = progressId(batch);
  const isShared = (await allBatches()).some((other) => other.id !== batch.id && progressId(other) === id);
  return within(BATCHES, 'readwrite', (batches, other) => {
    batches.delete(batch.id);
    if (isShared) {
      return undefined;
    }
    const request = other(LINES).index(OF_BATCH).openCursor(IDBKeyRange.only(id));
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
      const appended = await within<{ text: string }[]>(OF_LINES, 'readonly', (lines) => lines.index(OF_BATCH).getAll(IDBKeyRange.only(id)));
      return (appended ?? []).map(({ text }) => text).join('');
    },
    async append(text: string) {
      await within(OF_LINES, 'readwrite', (lines) => lines.add({ [OF_BATCH]: id, text }));
    },
  };
}

/** A line of a batch's state (docs/batch.md). */
type Line = { kind: 'row'; key: string; asset: string } | { kind: 'order'; id: string; rows: string[]; body?: unknown } | { kind: 'final' | 'failed'; id: string };

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line));

/** A certificate of a list's order, with its row unless all files are saved. */
export interface Ordered {
  readonly ledgerId: string;
  readonly id: string;
  readonly row: BatchRow | null;
  readonly schema: JsonObject;
}

/** Returns the certificates of the orders that a colleague has to sign too, by the seeds of the orders. A declined order keeps nothing else by which the browser knows it. */
export async function orderedBySeed(account: string): Promise<Map<string, Ordered[]>> {
  const found = new Map<string, Ordered[]>();
  for (const batch of await allBatches()) {
    const { reviewer = '', rows, ledger, schema } = batch;
    if (reviewer === '' || batch.account.toLowerCase() !== account.toLowerCase()) {
      continue;
    }
    const text = await storeOf(progressId(batch)).read();
    const { assets } = progressOf(text);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    for (const line of linesOf(text)) {
      const seed = line.kind === 'order' ? own(own(line.body, 'order'), 'seed') : undefined;
      // Lists of one kind share their lines, and only one of them has the rows.
      if (line.kind !== 'order' || seed === undefined || (found.has(String(seed)) && !line.rows.some((key) => byKey.has(key)))) {
        continue;
      }
      const certificates = line.rows.flatMap((key) => {
        const id = assets.get(key);
        return id === undefined ? [] : [{ ledgerId: ledger.id, id, row: byKey.get(key) ?? null, schema }];
      });
      found.set(String(seed), certificates);
    }
  }
  return found;
}

/** Returns a batch's progress. Rows in orders that have not failed are issued or may still be issued. */
export function progressOf(text: string): Progress {
  const [assets, orders, issued] = [new Map<string, string>(), new Map<string, string[]>(), new Set<string>()];
  for (const line of linesOf(text)) {
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
  const { shares: _, ...single } = { ...batch, id: progressId(batch) };
  const lines = await storeOf(single.id).read();
  if (!isSavable(batch, progressOf(lines))) {
    throw Refusal.of('many.listEarly');
  }
  return JSON.stringify({ assayList: VERSION, batch: { ...single, secret: [...batch.secret] }, lines });
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
    await within(BATCHES, 'readwrite', (batches, other) => {
      batches.put(batch);
      return other(LINES).add({ [OF_BATCH]: batch.id, text: lines.slice(present.length) });
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
  const { id, name, account, delimiter, kind, ledger, columns, schema, reviewer = '', begun, paths, secret, rows } = batch;
  const ofLedger = ['id', 'ref', 'name', 'schemaId', 'uriPrefix', 'uriPostfix'].map((key) => own(ledger, key));
  return (
    typeof id === 'string' &&
    /^[0-9a-f]{32}$/.test(id) &&
    areTexts([name, account, delimiter, kind, reviewer, ...ofLedger]) &&
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
