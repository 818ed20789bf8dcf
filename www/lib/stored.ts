// The databases of this browser, in IndexedDB. Each has one or a few object stores, and the same form for ever: a change of the form is another database.

/** The place of an object store. `create` makes the stores of a database with several ones, or with keys of its own. By default, it makes `store` alone. */
export interface Place {
  readonly database: string;
  readonly store: string;
  readonly create?: (database: IDBDatabase) => void;
}

/**
 * Runs `act` in a transaction on all stores of a database. Resolves to the result of the request that `act` returns when the transaction is on the disk. `other` returns
 * another store of the database.
 */
export async function within<Result>(
  { database: name, store, create = (database) => database.createObjectStore(store) }: Place,
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore, other: (name: string) => IDBObjectStore) => IDBRequest | undefined,
): Promise<Result | undefined> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => create(request.result);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction([...database.objectStoreNames], mode, { durability: 'strict' });
      const request = act(transaction.objectStore(store), (other) => transaction.objectStore(other));
      transaction.oncomplete = () => resolve(request?.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}
