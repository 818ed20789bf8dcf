// Notes in this browser which accounts administer the service, so the navigation shows their view without a request for everybody. The service decides, not the note.
// Without storage, the view is opened by its address.
import { keepNoted, readNoted } from '../../lib/noted.ts';

/** The key of the note in the browser's storage: the addresses in lower case. */
const KEY = 'assay.operators';

/** Returns true if the service let this account administer when it was last asked in this browser. */
export const isNoted = (account: string): boolean => readNoted(KEY).includes(account.toLowerCase());

/** Notes what the service answered. */
export function noteOperator(account: string, isOperator: boolean): void {
  const key = account.toLowerCase();
  const others = readNoted(KEY).filter((one) => one !== key);
  keepNoted(KEY, isOperator ? [...others, key] : others);
}
