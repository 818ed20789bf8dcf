// A page that shows one certificate without the service: a template of the build with the certificate's file inside (docs/spec/file.md).
// Does not use the DOM. This module also runs in Node.
import { MAX_CHARACTERS, own } from '../../pkg/view/src/json.ts';
import { FILE_ENDING, PRIVATE_ENDING, isMoment, readFile } from './file.ts';
import { readText } from './text-file.ts';

/** The endings of a saved page, and of one that shows the whole certificate. */
const PAGE_ENDING = FILE_ENDING.replace('.json', '.html');
const PRIVATE_PAGE_ENDING = PRIVATE_ENDING.replace('.json', '.html');
/** The maximum size of a saved page in bytes: the largest file of a certificate, and twice the largest template. */
const MAX_PAGE = MAX_CHARACTERS + 2 * 1024 * 1024;

/** The element with the certificate's file, and its end. The file has no `<`. */
const START = '<script type="application/json" id="certificate">';
const END = '</script>';

/** The service's answer when the page was saved. It is a note: nothing in the page proves it. */
export interface SavedRecord {
  /** The time of the answer. */
  saved: string;
  status: string;
  since: string | null;
  issuer: string;
  /** The id of the ledger's schema, or null. */
  schemaId: string | null;
}

const KIND = /^[a-zA-Z]{1,30}$/;
const SCHEMA_ID = /^0x[0-9a-f]{64}$/i;
const isText = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value);

/** Returns the note in a saved page, or null if it is not well-formed. */
export function readRecord(text: string): SavedRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const [saved, status, since, issuer, schemaId] = ['saved', 'status', 'since', 'issuer', 'schemaId'].map((name) => own(value, name));
  const isRecord = isMoment(saved) && isText(status, KIND) && (since === null || isMoment(since)) && isText(issuer, KIND) && (schemaId === null || isText(schemaId, SCHEMA_ID));
  return isRecord ? { saved, status, since, issuer, schemaId } : null;
}

/** Returns the page for a certificate's file. Refuses a file that no page could show. */
export function savedPage(template: string, { file, record, title }: { file: string; record: SavedRecord; title: string }): string {
  const certificate = data(JSON.parse(file));
  readFile(certificate);
  const parts: Readonly<Record<string, string>> = { certificate, record: data(record), title: escaped(title) };
  return template.replace(/@@(certificate|record|title)@@/g, (_, name: string) => parts[name] ?? '');
}

/** Returns JSON without the characters that could end its element. */
const data = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Returns the text of the certificate's file in a saved page, or null if a text is no saved page. */
export function certificateIn(text: string): string | null {
  if (!/^\s*<!doctype html/i.test(text)) {
    return null;
  }
  const start = text.indexOf(START);
  const end = text.indexOf(END, start);
  return start < 0 || end < 0 ? null : text.slice(start + START.length, end);
}

/** Reads a file as `readText` does. Of a saved page, returns the text of the certificate's file inside it. */
export async function readCertificateText(file: Pick<File, 'name' | 'size' | 'arrayBuffer'>): Promise<string> {
  const text = await readText(file, /\.html?$/i.test(file.name) ? MAX_PAGE : MAX_CHARACTERS);
  return certificateIn(text) ?? text;
}

/** Returns true if a name is that of a file or page that shows the whole certificate. */
export const isPrivateName = (name: string) => [PRIVATE_ENDING, PRIVATE_PAGE_ENDING].some((ending) => name.toLowerCase().endsWith(ending));

/** Returns the name of a saved page. */
export const pageName = (stem: string, isPrivate: boolean) => stem + (isPrivate ? PRIVATE_PAGE_ENDING : PAGE_ENDING);
