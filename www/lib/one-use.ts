// Encryption under keys that encrypt one text only, by AES-GCM. Such a key needs no random nonce. Does not use the DOM.
const ALGORITHM = 'AES-GCM';
const NONCE = new Uint8Array(12);

/** The number of bytes that encryption adds. */
export const TAG = 16;

/** Returns the cipher text of the only text of a key. */
export async function encrypted(key: Uint8Array<ArrayBuffer>, text: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.encrypt({ name: ALGORITHM, iv: NONCE }, await imported(key, 'encrypt'), text));
}

/** Returns the text of a cipher text. Rejects a changed one, and another key. */
export async function decrypted(key: Uint8Array<ArrayBuffer>, ciphertext: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return crypto.subtle.decrypt({ name: ALGORITHM, iv: NONCE }, await imported(key, 'decrypt'), ciphertext);
}

const imported = (key: Uint8Array<ArrayBuffer>, use: KeyUsage) => crypto.subtle.importKey('raw', key, ALGORITHM, false, [use]);
