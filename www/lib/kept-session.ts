// The note of this browser that it keeps a session as a cookie (lib/staying.ts). Without it, no request looks for the cookie.
import { own } from '../../pkg/view/src/json.ts';

const KEY = 'assay.staying';

/** The content of the note. */
export interface Kept {
  readonly account: string;
  readonly isWallet: boolean;
  /** The service's name, which begins the texts that the account signs. */
  readonly service: string;
}

/** Returns the note, or null. The session may have ended. */
export function keptSession(): Kept | null {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    const [account, isWallet, service] = [own(found, 'account'), own(found, 'isWallet'), own(found, 'service')];
    return typeof account === 'string' && typeof isWallet === 'boolean' && typeof service === 'string' ? { account, isWallet, service } : null;
  } catch {
    return null;
  }
}

/** Keeps a note, or removes it. */
export function noteSession(found: Kept | null): void {
  try {
    if (found === null) {
      localStorage.removeItem(KEY);
    } else {
      localStorage.setItem(KEY, JSON.stringify(found));
    }
  } catch {
    // Without storage, the visitor signs in again after a reload.
  }
}
