// Chooses what a printed code has. Does not use the DOM.
import { correction, generate } from 'lean-qr';
import type { Bitmap2D } from 'lean-qr';

/** The largest version of a code that is easy to read from paper. It has 85 modules on a side. */
const MAX_PRINTED = 17;

/**
 * Returns a link as a code has it. A code stores capitals and digits in fewer bits than other characters, so the address of a compact link has
 * capitals. Hosts ignore case, and the service accepts such a path. Camera apps refuse a scheme in capitals.
 */
export function codeText(link: string): string {
  const [, scheme, address = '', fragment = ''] = /^(https?)(:\/\/[^#]*)(#2\d+)$/.exec(link) ?? [];
  return scheme === undefined ? link : scheme + address.toUpperCase() + fragment;
}

/** Returns the first link whose code is easy to read from paper, or null. More error correction is more important than the order. */
export function printable(links: readonly string[]): string | null {
  const fitting = (['M', 'L'] as const).flatMap((level) => links.filter((link) => printedCode(link, level) !== null));
  return fitting[0] ?? null;
}

/** Returns the code of a link that is easy to read from paper, or null. */
export function printedCode(link: string, level: 'M' | 'L'): Bitmap2D | null {
  try {
    // The encoder divides the text into segments of numbers, capitals and bytes. It throws if the text does not fit.
    return generate(codeText(link), { minCorrectionLevel: correction[level], maxVersion: MAX_PRINTED });
  } catch {
    return null;
  }
}
