// Hexadecimal digits. Does not use the DOM.

/** Returns bytes as lower-case hexadecimal digits. */
export const hex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
