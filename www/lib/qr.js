// Draws QR codes.
import encodeQR from '/qr/index.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Returns the picture of a text as SVG in black on the background. `label` is its text alternative. */
export function qrPicture(text, label) {
  // The lowest level of error correction has the largest dots, and a clean print needs no
  // more correction.
  const rows = encodeQR(text, 'raw', { ecc: text.length > 200 ? 'low' : 'medium', border: 1 });
  const path = rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('');
  const picture = document.createElementNS(SVG, 'svg');
  picture.setAttribute('viewBox', `0 0 ${rows.length} ${rows.length}`);
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', label);
  picture.setAttribute('shape-rendering', 'crispEdges');
  const dots = document.createElementNS(SVG, 'path');
  dots.setAttribute('d', path);
  picture.append(dots);
  return picture;
}
