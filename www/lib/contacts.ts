// The address list of this browser: the names of accounts. The service knows no names, so a manager gives them. Losing the list loses names, not abilities. Does not use the DOM.
import { isObject, visible } from '../../pkg/view/src/json.ts';

/** The key of the list in the browser's storage. */
const KEY = 'assay.contacts';
/** The maximum number of accounts in the list. */
export const MAX_CONTACTS = 1000;
/** The maximum length of a name, in UTF-16 code units. */
export const MAX_NAME = 80;

const ACCOUNT = /^0x[0-9a-f]{40}$/;

/** The names of accounts. The keys are addresses in lower case. */
export type Names = ReadonlyMap<string, string>;

/** Returns true for the form of an account's address. */
export const isAccount = (text: string): boolean => ACCOUNT.test(text.toLowerCase());

/** Returns a name as it is kept: without control characters, and not longer than a name may be. */
export const cleanName = (text: string): string => visible(text.trim().slice(0, MAX_NAME));

/** Returns the list with another name of an account. An empty name removes the account. A full list takes no other accounts. */
export function withName(names: Names, account: string, name: string): Names {
  const next = new Map(names);
  const key = account.toLowerCase();
  const clean = cleanName(name);
  if (clean === '') {
    next.delete(key);
  } else if (next.has(key) || next.size < MAX_CONTACTS) {
    next.set(key, clean);
  }
  return next;
}

/** Returns an account with this name in the list, other than `account`, or null. An impostor would choose the name of a colleague. */
export function namesake(names: Names, account: string, name: string): string | null {
  const folded = foldedName(name);
  const [found] = [...names].find(([other, its]) => other !== account.toLowerCase() && folded !== '' && foldedName(its) === folded) ?? [];
  return found ?? null;
}

/** Returns a name as it is compared: without capital letters, accents, and the forms and spaces that look alike. */
const foldedName = (name: string) => cleanName(name).normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').toLowerCase();

/** Returns the names in a stored list. Drops all that this version does not know. */
export function namesIn(text: string | null): Names {
  const value: unknown = parsed(text);
  const entries = isObject(value) ? Object.entries(value) : [];
  return new Map(entries.flatMap(([account, name]): [string, string][] => (ACCOUNT.test(account) && typeof name === 'string' ? [[account, cleanName(name)]] : [])).slice(0, MAX_CONTACTS));
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}

/** Returns the list of this browser. */
export function readNames(): Names {
  try {
    return namesIn(localStorage.getItem(KEY));
  } catch {
    return new Map();
  }
}

/** Gives an account a name in this browser's list. Returns the list. It is read first, so the change of another tab is not lost. */
export function keepName(account: string, name: string): Names {
  const names = withName(readNames(), account, name);
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(names)));
  } catch {
    // Without storage, the name is kept until the page is left.
  }
  return names;
}

/** Removes all names from this browser. */
export function removeNames(): void {
  localStorage.removeItem(KEY);
}
