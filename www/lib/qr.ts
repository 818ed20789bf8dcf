// Draws QR codes.
import { correction, generate } from 'lean-qr';
import type { Bitmap2D } from 'lean-qr';

const SVG = 'http://www.w3.org/2000/svg';

/** The maximum length of a link in a code, in characters. Codes of longer texts are hard to read even from a screen. */
export const MAX_QR = 1300;
/** The largest version of a code that is easy to read from paper. It has 85 modules on a side. */
const MAX_PRINTED = 17;
/** The light modules around a code (ISO/IEC 18004). Scanners need them to find it. */
const QUIET = 4;

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

function printedCode(link: string, level: 'M' | 'L'): Bitmap2D | null {
  try {
    // The encoder divides the text into segments of numbers, capitals and bytes. It throws if the text does not fit.
    return generate(codeText(link), { minCorrectionLevel: correction[level], maxVersion: MAX_PRINTED });
  } catch {
    return null;
  }
}

/** Returns the picture of a link as SVG in black on the background. `label` is its text alternative. */
export function qrPicture(link: string, label: string): SVGSVGElement {
  const code = printedCode(link, 'M') ?? generate(codeText(link), { minCorrectionLevel: correction.L });
  const indexes = Array.from({ length: code.size }, (_, index) => index);
  const dots = indexes.flatMap((y) => indexes.filter((x) => code.get(x, y)).map((x) => `M${x + QUIET} ${y + QUIET}h1v1h-1z`));
  const size = code.size + 2 * QUIET;
  const picture = document.createElementNS(SVG, 'svg');
  picture.setAttribute('viewBox', `0 0 ${size} ${size}`);
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', label);
  picture.setAttribute('shape-rendering', 'crispEdges');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', dots.join(''));
  picture.append(path);
  return picture;
}
