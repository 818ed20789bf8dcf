// Draws QR codes.
import { correction, generate } from 'lean-qr';
import { codeText, printedCode } from './printable.ts';

export { codeText, printable } from './printable.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** The maximum length of a link in a code, in characters. Codes of longer texts are hard to read even from a screen. */
export const MAX_QR = 1300;
/** The light modules around a code (ISO/IEC 18004). Scanners need them to find it. */
const QUIET = 4;

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
