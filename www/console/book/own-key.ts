// Keeps the key of each account for shared register books, and the last version that this browser has seen of each book.
import { within } from '/lib/stored.ts';
import { type Seen, UNSEEN, lower } from './checking.ts';

const KEYS = { database: 'assay.book-keys', store: 'keys' };
const SEEN = { database: 'assay.book-seen', store: 'seen' };

/** Returns the key of an account in this browser, or null. */
export const ownKey = async (account: string): Promise<CryptoKey | null> => (await within<CryptoKey>(KEYS, 'readonly', (keys) => keys.get(lower(account)))) ?? null;

/** Keeps the key of an account. An earlier one is lost. */
export async function keepKey(account: string, key: CryptoKey): Promise<void> {
  await within(KEYS, 'readwrite', (keys) => keys.put(key, lower(account)));
}

const idOf = (account: string, ledger: string) => `${lower(account)}/${lower(ledger)}`;

/** Returns what this browser knows about the book of a register. */
export const seenOf = async (account: string, ledger: string): Promise<Seen> => (await within<Seen>(SEEN, 'readonly', (seen) => seen.get(idOf(account, ledger)))) ?? UNSEEN;

/** Forgets what this browser knows about the book of a register. Its next version then counts as the first that this browser sees. */
export async function forgetSeen(account: string, ledger: string): Promise<void> {
  await within(SEEN, 'readwrite', (seen) => seen.delete(idOf(account, ledger)));
}

/** Returns the number of accounts that have a key in this browser. */
export const countKeys = async (): Promise<number> => (await within<number>(KEYS, 'readonly', (keys) => keys.count())) ?? 0;

/** Removes the keys of all accounts. What this browser knows about the books stays, so an older version is still refused afterwards. */
export async function removeKeys(): Promise<void> {
  await within(KEYS, 'readwrite', (keys) => keys.clear());
}

/** Notes what this browser knows about the book of a register. Another tab may have seen a later version, which stays. */
export async function noteSeen(account: string, ledger: string, seen: Seen): Promise<void> {
  const id = idOf(account, ledger);
  await within<Seen>(SEEN, 'readwrite', (store) => {
    const request: IDBRequest<Seen | undefined> = store.get(id);
    request.onsuccess = () => {
      if ((request.result ?? UNSEEN).version <= seen.version) {
        store.put(seen, id);
      }
    };
    return request;
  });
}
