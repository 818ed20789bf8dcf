// Photographs of printed codes: pictures of a code that is turned, seen at an angle, blurred, small, badly lit and noisy.

/** The light modules around a code. */
const QUIET = 4;
/** The samples of a pixel on a side. */
const SAMPLES = 2;

/**
 * Returns the photograph of a code, a `Bitmap2D` of lean-qr, as pixels.
 * `module` is the width of a module in pixels, `turn` the rotation in degrees, and `tilt` the part by which the upper edge is shorter than the lower one.
 * `blur` is the radius of the blur in pixels, `shadow` the part of the light that is missing at the right edge, and `noise` the largest error of a
 * pixel, of 255. The noise is the same each time.
 */
export function photograph(code, { module, turn = 0, tilt = 0, blur = 0, shadow = 0, noise = 0 }) {
  const side = code.size + 2 * QUIET;
  const width = Math.ceil(side * module * 1.6);
  const [sin, cos] = [Math.sin((turn * Math.PI) / 180), Math.cos((turn * Math.PI) / 180)];
  /** Returns the light of a point of the picture: 1 for paper, 0 for ink. */
  const light = (x, y) => {
    const [dx, dy] = [(x - width / 2) / module, (y - width / 2) / module];
    const [turnedX, turnedY] = [dx * cos + dy * sin, dy * cos - dx * sin];
    const far = 1 - (tilt * turnedY) / side;
    const [column, row] = [Math.floor(turnedX * far + side / 2) - QUIET, Math.floor(turnedY * far + side / 2) - QUIET];
    return code.get(column, row) ? 0 : 1;
  };
  const sharp = new Float32Array(width * width);
  for (let y = 0; y < width; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let sum = 0;
      for (let sample = 0; sample < SAMPLES ** 2; sample += 1) {
        sum += light(x + ((sample % SAMPLES) + 0.5) / SAMPLES, y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES);
      }
      sharp[y * width + x] = sum / SAMPLES ** 2;
    }
  }
  const soft = blurred(blurred(sharp, width, blur), width, blur);
  const data = new Uint8ClampedArray(width * width * 4);
  let state = 1;
  soft.forEach((value, index) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const lit = (40 + 190 * value) * (1 - (shadow * (index % width)) / width) + noise * (state / 2 ** 31 - 1);
    data.fill(lit, index * 4, index * 4 + 3);
    data[index * 4 + 3] = 255;
  });
  return { width, height: width, data };
}

/** Returns the mean of the square around each pixel. The square has a side of 2·radius + 1, of which the outermost pixels count in part. */
function blurred(pixels, width, radius) {
  if (radius === 0) return pixels;
  const reach = Math.ceil(radius);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, index) => (Math.abs(index - reach) === reach ? radius - reach + 1 : 1));
  const total = weights.reduce((sum, weight) => sum + weight);
  const along = (from, step, size) => {
    const to = new Float32Array(from.length);
    from.forEach((_, index) => {
      const at = Math.floor(index / step) % size;
      let sum = 0;
      weights.forEach((weight, offset) => {
        const other = Math.min(size - 1, Math.max(0, at + offset - reach));
        sum += weight * from[index + (other - at) * step];
      });
      to[index] = sum / total;
    });
    return to;
  };
  return along(along(pixels, 1, width), width, width);
}
