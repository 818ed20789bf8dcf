// Base64url without padding (RFC 4648, section 5). Does not use the DOM.

/** Returns bytes as base64url characters. */
export function base64url(bytes: Iterable<number>): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Returns the bytes of base64url characters. Throws if the text is not base64url. */
export const fromBase64url = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
