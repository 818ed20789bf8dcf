// Reads pictures that a visitor chose.
import { element } from './page.ts';

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
  const scale = Math.min(1, MAX_PIXELS / Math.max(bitmap.width, bitmap.height));
  const canvas = element('canvas', { width: Math.max(1, Math.round(bitmap.width * scale)), height: Math.max(1, Math.round(bitmap.height * scale)) });
  const context = canvas.getContext('2d');
  if (context === null) {
    throw new Error('this browser cannot draw');
  }
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const found = QUALITIES.map((quality) => canvas.toDataURL('image/jpeg', quality)).find(({ length }) => length <= MAX_PICTURE);
  if (found === undefined) {
    throw new Error('the picture has too many details');
  }
  return found;
}
