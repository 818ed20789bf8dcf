// Reads the QR codes in pictures.
import { Refusal, shorten, visible } from '/view/json.ts';
import { assetOf } from '/lib/link.ts';
import { part } from '/lib/part.ts';

/** Returns a function that reads the code in a picture, or null if it finds none. The reader is loaded first. */
export async function codeReader(): Promise<(pixels: ImageData) => string | null> {
  const { default: decodeQR } = await part(import('/qr/decode.js'));
  return (pixels) => {
    try {
      return decodeQR(pixels);
    } catch {
      return null;
    }
  };
}

/** Returns the text of a code. Refuses a text that names no certificate. */
export function certificateIn(text: string): string {
  if (assetOf(text) === null) {
    throw Refusal.of('verify.qrForeign', { text: visible(shorten(text, 100)) });
  }
  return text;
}

/** Draws a picture, or the current picture of a video, with at most `most` pixels in width and height. */
export function pixelsOf(source: CanvasImageSource, size: { readonly width: number; readonly height: number }, most: number): ImageData {
  const scale = Math.min(1, most / Math.max(size.width, size.height));
  const scaled = (length: number) => Math.max(1, Math.round(length * scale));
  const [width, height] = [scaled(size.width), scaled(size.height)];
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (context === null) {
    throw new Error('the browser cannot draw pictures');
  }
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.drawImage(source, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}
