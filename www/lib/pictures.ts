// Reads pictures from files and from a camera.

/** The maximum width and height of a picture in a document, in pixels: enough for printing. Such a picture has about 100 KB. */
const MAX_PIXELS = 900;
/** The maximum length of a picture's address, in characters. Pages show an address of up to 400,000 characters as a picture. */
const MAX_PICTURE = 300_000;
/** The qualities of JPEG to try, from 0 to 1. */
const QUALITIES = [0.85, 0.6, 0.4];

/**
 * Converts the picture in a file to a JPEG, and returns it as a `data:` address. Reduces a large picture. The conversion also removes the place
 * and time at which the picture was taken. Throws if the address is too long even at the lowest quality.
 */
export async function pictureIn(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file);
  const canvas = document.createElement('canvas');
  draw(canvas, bitmap, bitmap, MAX_PIXELS);
  bitmap.close();
  const found = QUALITIES.map((quality) => canvas.toDataURL('image/jpeg', quality)).find(({ length }) => length <= MAX_PICTURE);
  if (found === undefined) {
    throw new Error('the picture has too many details');
  }
  return found;
}

/** The sizes of a picture in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the pixels of a picture, or of the current picture of a video, reduced to at most `most` pixels in width and height. */
export function pixelsOf(source: CanvasImageSource, size: Size, most: number): ImageData {
  const canvas = new OffscreenCanvas(1, 1);
  return draw(canvas, source, size, most).getImageData(0, 0, canvas.width, canvas.height);
}

/** Draws a picture on white, reduced to at most `most` pixels in width and height. */
function draw(canvas: HTMLCanvasElement | OffscreenCanvas, source: CanvasImageSource, size: Size, most: number): CanvasDrawImage & CanvasImageData {
  const scale = Math.min(1, most / Math.max(size.width, size.height));
  const scaled = (length: number) => Math.max(1, Math.round(length * scale));
  [canvas.width, canvas.height] = [scaled(size.width), scaled(size.height)];
  const context = canvas instanceof HTMLCanvasElement ? canvas.getContext('2d') : canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) {
    throw new Error('this browser cannot draw');
  }
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return context;
}
