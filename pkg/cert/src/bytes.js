/** Throws for every value that is not an `ArrayBuffer`. Unlike `instanceof`, this getter accepts buffers of all realms, for example in jsdom. */
const lengthOf = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get;

/** Returns the bytes of a buffer or of a view of one, of any realm. Returns undefined for other values, and for detached buffers. */
export function viewOf(value) {
  try {
    if (ArrayBuffer.isView(value)) {
      return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    }
    lengthOf.call(value);
    return new Uint8Array(value);
  } catch {
    return undefined;
  }
}

/** Decodes base64. */
export function fromBase64(text) {
  if (Uint8Array.fromBase64) {
    return Uint8Array.fromBase64(text);
  }
  // Node's Buffer is ten times as fast as `atob`. It is a property here, because bundlers add a library for the variable.
  if (globalThis.Buffer) {
    return globalThis.Buffer.from(text, 'base64');
  }
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = characters.charCodeAt(at);
  }
  return bytes;
}
