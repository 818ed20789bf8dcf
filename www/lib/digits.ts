// Writes bytes as decimal digits, which no program that passes on a link changes, and which QR codes store in few bits. Does not use the DOM.
import { Refusal } from '../../pkg/view/src/json.ts';

/** The digits for 0 to 7 bytes. Seven bytes are a group. */
const DIGITS = [0, 3, 5, 8, 10, 13, 15, 17] as const;
const GROUP = 7;

/** The number of digits for a number of bytes. */
export const digitsOf = (bytes: number): number => Math.floor(bytes / GROUP) * DIGITS[GROUP] + (DIGITS[bytes % GROUP] ?? 0);

export function toDigits(bytes: Uint8Array): string {
  const groups = Array.from({ length: Math.ceil(bytes.length / GROUP) }, (_, index) => bytes.subarray(index * GROUP, (index + 1) * GROUP));
  return groups.map((group) => numberOf(group).toString().padStart(digitsOf(group.length), '0')).join('');
}

const numberOf = (bytes: Uint8Array) => bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);

/** Returns the first `length` bytes of digits. Refuses digits that end before that, and a number that is too large for the bytes of its group. */
export function fromDigits(digits: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += GROUP) {
    const size = Math.min(GROUP, length - at);
    const group = digits.slice(digitsOf(at), digitsOf(at + size));
    let number = group.length === digitsOf(size) ? BigInt(group) : -1n;
    for (let index = at + size - 1; index >= at; index -= 1) {
      bytes[index] = Number(BigInt.asUintN(8, number));
      number >>= 8n;
    }
    if (number !== 0n) {
      throw Refusal.of('file.link');
    }
  }
  return bytes;
}
