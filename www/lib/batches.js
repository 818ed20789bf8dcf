// Stores the batches of certificates that this browser has begun, in IndexedDB. After a tab was closed, a new tab can continue the batch, and no row is
// issued twice. A batch holds private values, and the secret from which the documents' keys are derived, until it is removed.

import { Refusal, isObject } from './json.js';

const NAME = 'assay.batches';
const BATCHES = 'batches';
const LINES = 'lines';
const OF_BATCH = 'batch';

let opened;

function open() {
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
async function within(stores, mode, act) {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(stores, mode, { durability: 'strict' });
    const request = act(...stores.map((name) => transaction.objectStore(name)));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Returns all batches, the newest first. */
export async function allBatches() {
  const batches = await within([BATCHES], 'readonly', (store) => store.getAll());
  return batches.toSorted((one, other) => other.begun - one.begun);
}

/** Adds or replaces a batch, which has an `id` and the time `begun`. */
export const keepBatch = (batch) => within([BATCHES], 'readwrite', (store) => store.put(batch));

/** Removes a batch and its lines. */
export function removeBatch(id) {
  return within([BATCHES, LINES], 'readwrite', (batches, lines) => {
    batches.delete(id);
    const request = lines.index(OF_BATCH).openCursor(IDBKeyRange.only(id));
    request.onsuccess = () => {
      request.result?.delete();
      request.result?.continue();
    };
  });
}

/** Returns the store of a batch's state for `issueMany` of the client. The state has the lines of docs/batch.md. */
export function storeOf(id) {
  return {
    async read() {
      const appended = await within([LINES], 'readonly', (store) => store.index(OF_BATCH).getAll(IDBKeyRange.only(id)));
      return appended.map(({ text }) => text).join('');
    },
    async append(text) {
      await within([LINES], 'readwrite', (store) => store.add({ [OF_BATCH]: id, text }));
    },
  };
}

/**
 * Returns a batch's progress. `assets` has the asset of each row by its key, and `issued` the keys of issued rows. `sent` has the keys of rows
 * in orders that have not failed, so these rows are issued or may still be issued.
 */
export function progressOf(text) {
  const [assets, orders, issued] = [new Map(), new Map(), new Set()];
  for (const line of text.split('\n').slice(0, -1).map((line) => JSON.parse(line))) {
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
export const isSavable = ({ rows }, { assets }) => rows.length > 0 && assets.size >= rows.length;

/**
 * Returns a batch with its state as one string, for another browser. The string contains private values and the secret. Two browsers that continue the same batch
 * issue no row twice, because each row has its asset id, and a ledger refuses an asset id that exists. Only a row whose
 * certificate was withdrawn in the meantime could be issued again.
 */
export async function saveBatch(batch) {
  const lines = await storeOf(batch.id).read();
  if (!isSavable(batch, progressOf(lines))) {
    throw Refusal.of('many.listEarly');
  }
  return JSON.stringify({ assayList: VERSION, batch: { ...batch, secret: [...batch.secret] }, lines });
}

/** Adds a batch from the text of `saveBatch`. If this browser already has the batch, the longer state is kept. Refuses the text if neither state is a continuation of the other. */
export async function loadBatch(text) {
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
    await within([BATCHES, LINES], 'readwrite', (batches, stored) => {
      batches.put(batch);
      stored.add({ [OF_BATCH]: batch.id, text: lines.slice(present.length) });
    });
  });
  if (!isFree) {
    throw Refusal.of('many.otherTab');
  }
}

function parsed(text) {
  let saved;
  try {
    saved = JSON.parse(text);
    const { batch, lines } = saved;
    const [service] = JSON.parse(batch.kind);
    const texts = [batch.id, batch.name, batch.account, batch.delimiter, lines, service, ...['id', 'ref', 'name', 'schemaId', 'uriPrefix', 'uriPostfix'].map((key) => batch.ledger[key]), ...batch.columns];
    const isBatch = saved.assayList === VERSION && /^[0-9a-f]{32}$/.test(batch.id) && texts.every((value) => typeof value === 'string') && isObject(batch.schema)
      && Number.isSafeInteger(batch.begun) && batch.paths.every(Array.isArray) && batch.secret.length === 32 && batch.secret.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256)
      && batch.rows.every(({ row, cells, key, document }) => Number.isSafeInteger(row) && Array.isArray(cells) && typeof key === 'string' && isObject(document));
    if (!isBatch || !lines.endsWith('\n') || !isSavable(batch, progressOf(lines))) {
      throw new Error('not a saved list');
    }
  } catch {
    throw Refusal.of('many.listWrong');
  }
  const { batch, lines } = saved;
  const [service] = JSON.parse(batch.kind);
  if (service !== location.origin) {
    throw Refusal.of('many.listElsewhere', { service });
  }
  return { batch: { ...batch, secret: new Uint8Array(batch.secret) }, lines };
}

/** Runs `act` while this tab has the lock of the batch. Returns false immediately if another tab has the lock. */
export function alone(id, act) {
  return navigator.locks.request(`${NAME}.${id}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) {
      return false;
    }
    await act();
    return true;
  });
}
