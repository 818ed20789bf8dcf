// Reads the QR codes in pictures.
import { Refusal, shorten, visible } from '/view/json.ts';
import { assetOf } from '/lib/link.ts';
import { part } from '/lib/part.ts';
import { shortIn } from '/lib/short.ts';

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
  if (assetOf(text) === null && shortIn(text) === null) {
    throw Refusal.of('verify.qrForeign', { text: visible(shorten(text, 100)) });
  }
  return text;
}
