// Reads the QR codes that pages draw.
import { decodeQR } from "qr/decode.js";

/** Returns the text of a code, a locator of its `<svg>`. */
export async function readCode(svg) {
  const path = await svg.locator("path").getAttribute("d");
  return decodeQR(pixels(path, Number((await svg.getAttribute("viewBox")).split(" ")[2])));
}

/** Returns the picture of a QR code's path, eight pixels a dot. */
function pixels(path, size) {
  const [scale, margin] = [8, 16];
  const width = size * scale + 2 * margin;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)/g)) {
    for (let row = 0; row < scale; row += 1) {
      const at = ((Number(y) * scale + margin + row) * width + Number(x) * scale + margin) * 4;
      for (let dot = 0; dot < scale; dot += 1) data.fill(0, at + dot * 4, at + dot * 4 + 3);
    }
  }
  return { width, height: width, data };
}
