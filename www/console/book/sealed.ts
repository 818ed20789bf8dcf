// Encrypts register books in the format of `age` (https://age-encryption.org/v1), so the command-line tool `age` opens them too. Does not use the DOM.
import { bech32 } from '@scure/base';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { base64url, fromBase64url } from '../../lib/base64url.ts';
import { MAX_BOOK } from '../../lib/book.ts';
import { through } from '../../lib/file.ts';
import { Refusal } from '../../../pkg/view/src/json.ts';

/** The number of bytes of an X25519 key. */
const KEY_BYTES = 32;
/** The parts of an X25519 private key in PKCS #8 before the key itself (RFC 8410). Browsers import no other form of 32 bytes. */
const PKCS8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20];

/** Returns a new recovery key: a secret of `age`, which begins with `AGE-SECRET-KEY-1`. */
export const newRecovery = (): Promise<string> => generateX25519Identity();

/** Returns the key of a recovery key, as typed from paper. No script can export it. Refuses a text with a mistake: the recovery key has a checksum. */
export async function keyOf(recovery: string): Promise<CryptoKey> {
  const bytes = secretIn(recovery.replace(/\s/g, ''));
  try {
    return await crypto.subtle.importKey('pkcs8', new Uint8Array([...PKCS8, ...bytes]), { name: 'X25519' }, false, ['deriveBits']);
  } catch {
    throw Refusal.of('book.sharing.browser');
  }
}

function secretIn(text: string): Uint8Array {
  try {
    const { prefix, bytes } = bech32.decodeToBytes(text);
    if (prefix.toUpperCase() === 'AGE-SECRET-KEY-' && bytes.length === KEY_BYTES) {
      return bytes;
    }
  } catch {
    // The refusal below.
  }
  throw Refusal.of('book.sharing.recoveryWrong');
}

/** Returns the public key of a key, as `PUT /account/book-key` takes it: 32 bytes as base64url. */
export const publicKeyOf = async (key: CryptoKey): Promise<string> => base64url(bech32.decodeToBytes(await identityToRecipient(key)).bytes);

/** Returns the recipient of `age` for a public key. Throws if it is none. */
function recipientOf(key: string): string {
  const bytes = fromBase64url(key);
  if (bytes.length !== KEY_BYTES) {
    throw Refusal.of('book.sharing.keyWrong');
  }
  return bech32.encodeFromBytes('age', bytes);
}

/** Returns a book, compressed and encrypted to public keys. Refuses a key to which nobody can encrypt. */
export async function seal(book: string, keys: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const encrypter = new Encrypter();
  for (const key of keys) {
    encrypter.addRecipient(recipientOf(key));
  }
  const packed = await through(new TextEncoder().encode(book), new CompressionStream('gzip'), Infinity);
  try {
    return new Uint8Array(await encrypter.encrypt(packed));
  } catch {
    throw Refusal.of('book.sharing.keyWrong');
  }
}

/** Returns the content of a file in the format of `age`. Refuses one that is encrypted to other keys only, or damaged. */
export async function decrypted(sealed: Uint8Array<ArrayBuffer>, key: CryptoKey): Promise<Uint8Array<ArrayBuffer>> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(key);
  try {
    return new Uint8Array(await decrypter.decrypt(sealed));
  } catch (error) {
    throw Refusal.of(error instanceof Error && /no identity matched/.test(error.message) ? 'book.sharing.notForYou' : 'book.sharing.damaged');
  }
}

/** Returns the text of an encrypted book. Refuses one that is larger than a book may be. */
export async function unseal(sealed: Uint8Array<ArrayBuffer>, key: CryptoKey): Promise<string> {
  const packed = await decrypted(sealed, key);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await through(packed, new DecompressionStream('gzip'), MAX_BOOK));
  } catch {
    throw Refusal.of('book.sharing.damaged');
  }
}
