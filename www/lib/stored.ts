// A small store of this browser: a database of IndexedDB with one object store. It keeps keys that no script can export.

/** The place of a store. */
export interface Place {
  readonly database: string;
  readonly store: string;
}

/** Runs `act` in a transaction. Resolves to the result of its request when the transaction is on the disk. */
export async function within<Result>({ database: name, store }: Place, mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<Result | undefined> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(store);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(store, mode, { durability: 'strict' });
      const request = act(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}
