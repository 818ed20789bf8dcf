// Reads and writes certificate files, `<name>.assay.json`, and the short form of a certificate in a link. docs/spec/file.md specifies both.
// Does not use the DOM. This module also runs in Node.
import { base64url, fromBase64url } from './base64url.ts';
import { duplicateKey } from './duplicates.ts';
import { MAX_CHARACTERS, Refusal, isObject, own } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import type { Compact } from './compact.ts';
import { plainText } from './link.ts';

export const MEDIA_TYPE = 'application/vnd.assay.certificate+json';
export const FILE_ENDING = '.assay.json';
/** The ending of the holder's file, which can show the whole certificate. */
export const PRIVATE_ENDING = `.private${FILE_ENDING}`;
/** The ending of a file that the holder makes for others. */
export const SHARED_ENDING = `.shared${FILE_ENDING}`;

/** What the evidence of a certificate belongs to. `document` is null if the evidence has the values. */
export interface Copy {
  schema: JsonObject;
  document: JsonObject | null;
  evidence: unknown;
}

/** Returns true for the content of a compact form, which lacks the public files. */
export const isCompact = (content: Copy | Compact): content is Compact => 'fragment' in content;

/** A copy of the service's answer about the issuer. */
export interface Confirmation {
  account: string;
  domain: string;
  name: string | null;
  firstSeen: string;
  lastSeen: string;
}

/** The content of a certificate file. `confirmation` is null if there is none. */
export interface CertificateFile extends Copy {
  service: string;
  ledger: string;
  asset: string;
  imprint: string;
  confirmation: Confirmation | null;
}

/** The maximum length of the short form, in characters. Programs that pass on links accept addresses of this length. */
export const MAX_FRAGMENT = 8192;
/** The first character of a short form is its version. */
const FRAGMENT_VERSION = '1';

type Test<Value = unknown> = (value: unknown) => value is Value;

const isText =
  (pattern: RegExp) =>
  (value: unknown): value is string =>
    typeof value === 'string' && pattern.test(value);
const isEvidence: Test = (value): value is unknown => Array.isArray(value) || (isObject(value) && ['string', 'undefined'].includes(typeof own(value, 'profile')));

/** A test for each member. All but `confirmation` are required. */
const MEMBERS = {
  assay: (value: unknown): value is 1 => value === 1,
  service: isOrigin,
  ledger: isText(/^0x[0-9a-fA-F]{40}$/),
  asset: isAssetId,
  imprint: isText(/^[0-9a-f]{64}$/),
  schema: isObject,
  document: (value: unknown): value is JsonObject | null => value === null || isObject(value),
  evidence: isEvidence,
  confirmation: isConfirmation,
};
const OPTIONAL: readonly string[] = ['confirmation'];

/** The members of a confirmation: a copy of the service's answer about the issuer. */
const CONFIRMATION = {
  account: isText(/^0x[0-9a-fA-F]{40}$/),
  // Only a domain on a machine for development has a port.
  domain: isText(/^[a-z0-9.-]{1,253}(:[1-9][0-9]{0,4})?$/),
  name: (value: unknown): value is string | null => value === null || (typeof value === 'string' && value.length <= 200),
  firstSeen: isMoment,
  lastSeen: isMoment,
};

/** The members of the short form. The link's address has ledger and asset, and the ledger has the imprint. */
const SHORT = { schema: MEMBERS.schema, document: MEMBERS.document, evidence: MEMBERS.evidence };

/** Returns true if a text looks like a certificate file. Only then does an error about its content help the visitor. */
export const isFile = (text: string) => /^\s*\{\s*"assay"\s*:\s*\d/.test(text);

/**
 * Returns the file's content. Refuses any other content with one of the keys `file.size`, `file.json`, `file.duplicate`, `file.version`, `file.unknown`, `file.missing`
 * and `file.member`.
 */
export function readFile(text: string): CertificateFile {
  const value = parse(text);
  const version = own(value, 'assay');
  if (typeof version === 'number' && Number.isInteger(version) && version > 1) {
    throw Refusal.of('file.version');
  }
  const file = checked(value, MEMBERS, OPTIONAL);
  return { ...withValues(file), confirmation: file.confirmation ?? null };
}

/** Returns the text of a file. Its members have a fixed order, so equal certificates have equal files. */
export function writeFile(file: Copy & Omit<CertificateFile, 'confirmation'> & { confirmation?: Confirmation | null }): string {
  const content: JsonObject = { assay: 1, ...file };
  const members = Object.keys(MEMBERS).filter((name) => content[name] !== undefined && (content[name] !== null || !OPTIONAL.includes(name)));
  const text = JSON.stringify(Object.fromEntries(members.map((name) => [name, content[name]])), null, 2);
  readFile(text);
  return text;
}

/** Returns the short form, or null if it would be longer than a link may be. */
export async function toFragment(file: Copy): Promise<string | null> {
  const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(Object.keys(SHORT).map((name) => [name, own(file, name)]))));
  const packed = await through(bytes, new CompressionStream('deflate-raw'), Infinity);
  const text = FRAGMENT_VERSION + base64url(packed);
  return text.length > MAX_FRAGMENT ? null : text;
}

/**
 * Returns `{ schema, document, evidence }` of a short form. Programs that pass on links add characters and break lines. Everything that cannot
 * belong to a short form is dropped, because the imprint on the ledger decides about the rest. Refuses any other text with the key `file.link`.
 */
export async function fromFragment(text: string): Promise<Copy> {
  const form = cleaned(text);
  if (!form.startsWith(FRAGMENT_VERSION)) {
    throw Refusal.of('file.link');
  }
  try {
    const value = parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await unpacked(fromCharacters(form.slice(1)))));
    return withValues(checked(value, SHORT));
  } catch {
    throw Refusal.of('file.link');
  }
}

/** Returns the short form to pass on: the text itself, unless another program changed it. */
export async function repairedFragment(text: string, file: Copy): Promise<string> {
  return isForm(text) ? text : ((await toFragment(file)) ?? cleaned(text));
}

const isForm = (text: string) => text.length <= MAX_FRAGMENT && /^1[\w-]+$/.test(text);

/** Returns true if a fragment is the name of a place in the page, such as `main`, or a parameter for statistics. These have nothing of a certificate. */
export const isAnchor = (text: string) => text === '' || /^[a-z_][\w.-]{0,40}(=|$)/i.test(text);

/** Returns the first characters of a text that a short form can have. Characters after the end of the short form may remain. */
export const cleaned = (text: string) =>
  plainText(text)
    .replace(/[^\w-]+/g, '')
    .slice(0, MAX_FRAGMENT);

function parse(text: string): unknown {
  if (text.length > MAX_CHARACTERS) {
    throw Refusal.of('file.size', { megabytes: (text.length / 1024 / 1024).toFixed(1) });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw Refusal.of('file.json');
  }
  const twice = duplicateKey(text);
  if (twice !== null) {
    throw Refusal.of('file.duplicate', { name: twice });
  }
  return value;
}

/** An object whose members have passed their tests. */
type Checked<Tests> = { [Name in keyof Tests]: Tests[Name] extends Test<infer Value> ? Value : never };

/** Returns an object with exactly the members of `tests`. */
function checked<Tests extends Record<string, Test>>(value: unknown, tests: Tests, optional: readonly string[] = []): Checked<Tests> {
  examine(value, tests, optional);
  return value;
}

function examine<Tests extends Record<string, Test>>(value: unknown, tests: Tests, optional: readonly string[]): asserts value is Checked<Tests> {
  if (!isObject(value)) {
    throw Refusal.of('file.json');
  }
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(tests, name));
  if (unknown !== undefined) {
    throw Refusal.of('file.unknown', { name: unknown });
  }
  for (const [name, test] of Object.entries(tests)) {
    if (!Object.hasOwn(value, name) && !optional.includes(name)) {
      throw Refusal.of('file.missing', { name });
    }
    if (Object.hasOwn(value, name) && !test(value[name])) {
      throw Refusal.of('file.member', { name });
    }
  }
}

/** Refuses a file that has the values neither in the document nor in the evidence. */
function withValues<File extends Copy>(file: File): File {
  if (file.document === null && !Array.isArray(own(file.evidence, 'values'))) {
    throw Refusal.of('file.member', { name: 'document' });
  }
  return file;
}

/** An origin of the web, such as `https://assay.example`. Only a service on this machine may lack TLS. */
function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) {
    return false;
  }
  const { origin, protocol, hostname } = new URL(value);
  const isHere = protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return origin === value && (protocol === 'https:' || isHere);
}

/** An unsigned 256-bit integer in decimal digits, without leading zeros. */
function isAssetId(value: unknown): value is string {
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,77})$/.test(value) && BigInt(value) < 1n << 256n;
}

/** Returns true for a time in UTC, as the service writes it. */
export function isMoment(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) && !Number.isNaN(Date.parse(value));
}

function isConfirmation(value: unknown): value is Confirmation {
  const tests = Object.entries<Test>(CONFIRMATION);
  return isObject(value) && Object.keys(value).length === tests.length && tests.every(([name, test]) => Object.hasOwn(value, name) && test(value[name]));
}

/** Returns the output of a compression stream. Refuses more than `limit` bytes, because a few bytes can decompress to many. */
export async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream, limit: number) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: BlobPart[] = [];
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) {
      return new Uint8Array(await new Blob(parts).arrayBuffer());
    }
    length += value.byteLength;
    if (length > limit) {
      await reader.cancel();
      throw Refusal.of('file.link');
    }
    parts.push(value);
  }
}

/** Returns the bytes of base64url characters. Drops a last character that has less than one byte. */
const fromCharacters = (text: string) => fromBase64url(text.length % 4 === 1 ? text.slice(0, -1) : text);

/** Decompresses a short form. A DEFLATE stream marks its own end, so bytes after it are ignored. */
async function unpacked(bytes: Uint8Array<ArrayBuffer>) {
  try {
    return await through(bytes, new DecompressionStream('deflate-raw'), MAX_CHARACTERS);
  } catch {
    return startOf(bytes);
  }
}

/** Decompresses as many bytes as possible. The caller checks the result, which may be incomplete. */
async function startOf(bytes: Uint8Array<ArrayBuffer>) {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  const parts: BlobPart[] = [];
  let length = 0;
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parts.push(next.value);
      length += next.value.byteLength;
    }
  })();
  reading.catch(() => undefined);
  try {
    // An error discards the output of the same write, so each write has one byte.
    for (const byte of bytes) {
      await writer.write(Uint8Array.of(byte));
      if (length > MAX_CHARACTERS) {
        throw Refusal.of('file.link');
      }
    }
    await writer.close();
    await reading;
  } catch {
    await reader.cancel().catch(() => undefined);
  }
  return new Uint8Array(await new Blob(length > MAX_CHARACTERS ? [] : parts).arrayBuffer());
}
