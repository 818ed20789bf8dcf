// Drafts: what a person has begun in a view of the console and not finished. They stay in this browser, for each account and view, because they have private values.
import { within } from './stored.ts';

const DRAFTS = { database: 'assay.drafts', store: 'drafts' };
/** The maximum size of a draft without its file, in UTF-16 code units. A form can have pictures. */
const MAX_CONTENT = 2 * 1024 * 1024;
/** The maximum size of a draft's file, in bytes. It is the size of a table that the pages read. */
const MAX_FILE = 20 * 1024 * 1024;
/** The maximum number of drafts of all accounts, and the time in milliseconds after which a draft is removed. */
const MAX_DRAFTS = 10;
const MAX_AGE = 30 * 24 * 60 * 60 * 1000;

export interface Draft {
  /** The time of the last change, in milliseconds since 1970. */
  readonly at: number;
  /** JSON of this or of an earlier version of the page. */
  readonly content: unknown;
  readonly file: Uint8Array<ArrayBuffer> | null;
}

interface Stored {
  readonly at: number;
  readonly text: string;
}

type Key = readonly [account: string, view: string];

const keyOf = (account: string, view: string): Key => [account.toLowerCase(), view];
/** A draft has two entries, because its file is large and seldom changes. */
const contentKey = (key: Key) => [...key, 'content'];
const fileKey = (key: Key) => [...key, 'file'];
/** All keys that begin with `key`: lists come after texts. */
const below = (key: readonly string[]) => IDBKeyRange.bound(key, [...key, []]);

/** Returns the draft of an account in a view, or null. Removes drafts that are too old or too many. */
export async function readDraft(account: string, view: string): Promise<Draft | null> {
  const key = keyOf(account, view);
  await prune();
  const stored = await within<Stored>(DRAFTS, 'readonly', (drafts) => drafts.get(contentKey(key)));
  if (stored === undefined) {
    return null;
  }
  const file = await within<Uint8Array<ArrayBuffer>>(DRAFTS, 'readonly', (drafts) => drafts.get(fileKey(key)));
  try {
    return { at: stored.at, content: JSON.parse(stored.text), file: file ?? null };
  } catch {
    return null;
  }
}

async function prune(): Promise<void> {
  await within(DRAFTS, 'readwrite', (drafts) => {
    const found: { key: Key; at: number }[] = [];
    const request = drafts.openCursor();
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor !== null) {
        const [account, view, kind] = Array.isArray(cursor.key) ? cursor.key.map(String) : [];
        if (kind === 'content') {
          found.push({ key: keyOf(account ?? '', view ?? ''), at: (cursor.value as Stored).at });
        }
        cursor.continue();
        return;
      }
      const oldest = Date.now() - MAX_AGE;
      for (const [index, { key, at }] of found.toSorted((one, other) => other.at - one.at).entries()) {
        if (index >= MAX_DRAFTS || at < oldest) {
          drafts.delete(below(key));
        }
      }
    };
    return undefined;
  });
}

/** Keeps the content of a draft. Returns false for one that is too large, which removes the draft. */
export async function keepDraft(account: string, view: string, content: object): Promise<boolean> {
  const text = JSON.stringify(content);
  const isKept = text.length <= MAX_CONTENT;
  const stored: Stored = { at: Date.now(), text };
  await (isKept ? within(DRAFTS, 'readwrite', (drafts) => drafts.put(stored, contentKey(keyOf(account, view)))) : removeDraft(account, view));
  return isKept;
}

/** Keeps the file of a draft. Returns false for one that is too large. */
export async function keepDraftFile(account: string, view: string, file: Uint8Array): Promise<boolean> {
  const isKept = file.length <= MAX_FILE;
  if (isKept) {
    await within(DRAFTS, 'readwrite', (drafts) => drafts.put(file, fileKey(keyOf(account, view))));
  }
  return isKept;
}

export async function removeDraft(account: string, view: string): Promise<void> {
  await within(DRAFTS, 'readwrite', (drafts) => drafts.delete(below(keyOf(account, view))));
}

/** Removes all drafts of an account. */
export async function removeDrafts(account: string): Promise<void> {
  await within(DRAFTS, 'readwrite', (drafts) => drafts.delete(below([account.toLowerCase()])));
}

/** Returns the number of drafts in this browser, without those of `except`, whose drafts are removed when the session ends. */
export async function countDrafts(except: string | null): Promise<number> {
  const keys = (await within<IDBValidKey[]>(DRAFTS, 'readonly', (drafts) => drafts.getAllKeys())) ?? [];
  return keys.filter((key) => Array.isArray(key) && key[2] === 'content' && key[0] !== except?.toLowerCase()).length;
}

/** Removes the drafts of all accounts from this browser. */
export async function removeAllDrafts(): Promise<void> {
  await within(DRAFTS, 'readwrite', (drafts) => drafts.clear());
}
