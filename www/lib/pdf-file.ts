// Finds the certificate's file that is attached to a PDF, as docs/spec/pdf.md specifies. Does not use the DOM. This module also runs in Node.
import { MEDIA_TYPE } from './file.ts';
import { MAX_CHARACTERS, Refusal } from '../../pkg/view/src/json.ts';

/** The largest PDF, in bytes. */
export const MAX_PDF = 20 * 1024 * 1024;
/** The most streams that are looked at, and the most bytes of a stream's dictionary. */
const MAX_STREAMS = 100_000;
const MAX_DICTIONARY = 2048;
/** The header stands in the first bytes. Some programs write other bytes before it. */
const HEADER_WITHIN = 1024;

/** Returns true if bytes begin like a PDF. */
export const isPdf = (bytes: Uint8Array): boolean => latin(bytes.subarray(0, HEADER_WITHIN)).includes('%PDF-');

/**
 * Returns the text of the certificate's file in a PDF. Refuses with one of the keys `file.size`, `pdf.empty` (no certificate), `pdf.encrypted`,
 * `pdf.several` and `pdf.broken`.
 *
 * A PDF stores an attachment as a stream whose dictionary has the media type, directly in the file. So the reader needs neither the table of objects nor
 * compressed objects.
 */
export async function certificateIn(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (bytes.length > MAX_PDF) {
    throw Refusal.of('file.size', { megabytes: (bytes.length / 1024 / 1024).toFixed(1) });
  }
  // The text has one character for each byte, so their positions are equal.
  const text = latin(bytes);
  let found: string | null = null;
  let streams = 0;
  for (let keyword = text.indexOf('stream'); keyword >= 0; keyword = text.indexOf('stream', keyword + 6)) {
    streams += 1;
    if (streams > MAX_STREAMS) {
      throw Refusal.of('pdf.broken');
    }
    const dictionary = dictionaryBefore(text, keyword);
    if (dictionary === null || !isCertificate(dictionary)) {
      continue;
    }
    const content = await contentOf(bytes, text, keyword + 6, dictionary).catch((error) => {
      // A password changes the content and leaves the dictionary as it is.
      throw error instanceof Refusal && error.key === 'pdf.broken' && isEncrypted(text) ? Refusal.of('pdf.encrypted') : error;
    });
    if (found !== null && found !== content) {
      throw Refusal.of('pdf.several');
    }
    found = content;
  }
  if (found === null) {
    throw Refusal.of(isEncrypted(text) ? 'pdf.encrypted' : 'pdf.empty');
  }
  return found;
}

const isEncrypted = (text: string) => text.includes('/Encrypt');

function latin(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return parts.join('');
}

/** Returns the dictionary that ends before the keyword of its stream, with its names decoded, or null. */
function dictionaryBefore(text: string, keyword: number): string | null {
  const before = text.slice(Math.max(keyword - MAX_DICTIONARY, 0), keyword).replace(/[\t\n\f\r ]+$/, '');
  const start = before.endsWith('>>') ? before.lastIndexOf(' obj') : -1;
  return start < 0 ? null : before.slice(start, -2).replace(/#([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function isCertificate(dictionary: string): boolean {
  const value = valueOf(dictionary, '/Subtype') ?? '';
  return value.startsWith(`/${MEDIA_TYPE}`) && !/^[\w+.-]/.test(value.slice(MEDIA_TYPE.length + 1));
}

/** Returns the text after a key, or null. */
function valueOf(dictionary: string, key: string): string | null {
  for (let at = dictionary.indexOf(key); at >= 0; at = dictionary.indexOf(key, at + key.length)) {
    const after = dictionary.slice(at + key.length);
    // `/Subtype` is also the start of `/Subtypes`.
    if (!/^[a-z0-9]/i.test(after)) {
      return after.trimStart();
    }
  }
  return null;
}

async function contentOf(bytes: Uint8Array<ArrayBuffer>, text: string, keywordEnd: number, dictionary: string): Promise<string> {
  const start = text.startsWith('\r\n', keywordEnd) ? keywordEnd + 2 : text.startsWith('\n', keywordEnd) ? keywordEnd + 1 : -1;
  const end = text.indexOf('endstream', keywordEnd);
  if (start < 0 || end < 0) {
    throw Refusal.of('pdf.broken');
  }
  const filter = valueOf(dictionary, '/Filter');
  if (filter !== null && !/^\[?\s*\/FlateDecode\s*(?![\s]*\/(?:ASCII|Flate|LZW))/.test(filter)) {
    throw Refusal.of('pdf.broken');
  }
  const content = filter === null ? trimmed(bytes.subarray(start, end)) : await inflated(bytes.subarray(start, end));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw Refusal.of('pdf.broken');
  }
}

function trimmed(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let end = bytes.length;
  while (end > 0 && [9, 10, 12, 13, 32].includes(bytes[end - 1] ?? 0)) {
    end -= 1;
  }
  return checkedSize(bytes.subarray(0, end));
}

function checkedSize(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.length > MAX_CHARACTERS) {
    throw Refusal.of('file.size', { megabytes: (bytes.length / 1024 / 1024).toFixed(1) });
  }
  return bytes;
}

/** Decompresses a stream of zlib. A few bytes can decompress to many, so it stops at the largest size of a file. */
async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  // A line break may follow the stream, which `DecompressionStream` refuses. It may also be part of the stream, so both are tried.
  const ends = [/\r\n$/, /[\r\n]$/, /$/].map((pattern) => bytes.length - (pattern.exec(latin(bytes.subarray(-2)))?.[0].length ?? 0));
  for (const end of new Set(ends)) {
    try {
      return await inflatedWhole(bytes.subarray(0, end));
    } catch (error) {
      if (error instanceof Refusal) {
        throw error;
      }
    }
  }
  throw Refusal.of('pdf.broken');
}

async function inflatedWhole(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  const parts: BlobPart[] = [];
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) {
      return new Uint8Array(await new Blob(parts).arrayBuffer());
    }
    length += value.byteLength;
    if (length > MAX_CHARACTERS) {
      await reader.cancel();
      throw Refusal.of('file.size', { megabytes: (length / 1024 / 1024).toFixed(1) });
    }
    parts.push(value);
  }
}
