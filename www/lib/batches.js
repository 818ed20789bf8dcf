// Batches of certificates that this browser has begun, in IndexedDB. With them, a tab that was closed can continue, and no row is issued twice.
// They hold private values and the secret of the documents' keys until they are removed.

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

/** Runs `act` in a transaction. Resolves to the result of the request that it returns, once the transaction would survive a crash. */
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

/** Returns the state of a batch as `issueMany` of the client reads and appends it: the lines of docs/batch.md. */
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
 * in orders that have not failed, so these rows are issued or may still be.
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

/** Runs `act` while no other tab works on the batch. Returns false at once if another tab does. */
export function alone(id, act) {
  return navigator.locks.request(`${NAME}.${id}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) {
      return false;
    }
    await act();
    return true;
  });
}
