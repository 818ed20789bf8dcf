// Reads files as text, by the rules of the command `cert`. tests/vectors/text/encodings.json checks both programs.
// Does not use the DOM. This module also runs in Node.
import { foreignKind } from '../../pkg/view/src/foreign.ts';
import { MAX_CHARACTERS, Refusal, visible } from '../../pkg/view/src/json.ts';

/** The members of a file that are read. */
type Readable = Pick<File, 'name' | 'size' | 'arrayBuffer'>;

/**
 * Returns the text of a file. Refuses a file of more than `most` bytes with the key `file.size`, a file of a known other format with a key of
 * `foreign`, and any other file that is not text with the key `file.text`.
 */
export async function readText(file: Readable, most = MAX_CHARACTERS): Promise<string> {
  if (file.size > most) {
    throw Refusal.of('file.size', { megabytes: (file.size / 1024 / 1024).toFixed(1) });
  }
  const { text, isText } = decoded(new Uint8Array(await file.arrayBuffer()));
  if (isText) {
    return text;
  }
  const kind = foreignKind(text);
  throw kind === null ? notText(file.name) : Refusal.of(`foreign.${kind}`);
}

/** Returns the refusal of a file whose bytes are not text. */
export const notText = (name: string) => new Refusal(`The file ${visible(name)} is not readable as text. Save it as UTF-8.`, 'file.text', { name: visible(name) });

/**
 * Decodes UTF-8 with or without a byte order mark, or UTF-16 with one. Returns `{ text, isText }`. If `isText` is false, the text has
 * replacement characters, and is only good enough to recognize the format of the file. A certified value with a replacement character would
 * look changed.
 */
export function decoded(bytes: Uint8Array): { text: string; isText: boolean } {
  const encoding = encodingOf(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    // Neither JSON nor a key contains U+0000. Most bytes of UTF-16 or UTF-32 without a mark are valid UTF-8 with many of them.
    return { text, isText: !text.includes('\0') };
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), isText: false };
  }
}

function encodingOf([first, second]: Uint8Array) {
  if (first === 0xff && second === 0xfe) {
    return 'utf-16le';
  }
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
