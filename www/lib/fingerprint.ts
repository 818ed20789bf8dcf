// The digits by which two people compare an account on the telephone. Does not use the DOM.
import { toDigits } from './digits.ts';

/** The number of bytes in the digits. For an account with the same digits, an impostor would have to try about 2^64 keys. */
const BYTES = 8;

/** Returns 20 digits in groups of four: the first eight bytes of the SHA-256 of the address in lower case. */
export async function fingerprintOf(account: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(account.toLowerCase())));
  return toDigits(hash.subarray(0, BYTES)).replace(/(\d{4})(?=\d)/g, '$1 ');
}
