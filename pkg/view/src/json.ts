// Handles untrusted JSON: reads it within bounds, uses only own keys, and shows it so that hidden characters cannot mislead a reader.
import type { CertError } from '/cert/src/init.js';
import { foreign } from './foreign.ts';
import type { Values } from './say.ts';
import { shorten, visible } from './visible.ts';

export { shorten, visible };

/** An object of parsed JSON. Its members are not known. */
export type JsonObject = Record<string, unknown>;

/** The path of a value: keys of objects and indexes of lists. */
export type Path = readonly (string | number)[];

/** The maximum length of a document, in characters, like the service's limit for badges. */
export const MAX_CHARACTERS = 5 * 1024 * 1024;

/**
 * An error that a visitor can act on, unlike a defect of the page. Its message is an English sentence, or the key if `Refusal.of` made the
 * error. If the error has a `key`, pkg/view/texts has the sentence in each language, with places for `values`.
 */
export class Refusal extends Error {
  readonly key: string | undefined;
  readonly values: Values;

  constructor(message: string, key?: string, values: Values = {}) {
    super(message);
    this.key = key;
    this.values = values;
  }

  static of(key: string, values?: Values) {
    return new Refusal(key, key, values);
  }
}

/** Returns a sentence about an error: the refusal's or the library's own sentence, or a general one for a defect of the page. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) {
    return error.message;
  }
  if (isCertError(error)) {
    const where = error.path.length > 0 && !error.message.endsWith(')') ? ` (at ${pathText(error.path)})` : '';
    const sentence = visible(error.message);
    return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${where}.`;
  }
  console.error(error);
  return 'Something went wrong on this page. Your documents have not left your machine.';
}

/** Returns true for an error of the certification library. Each of its modules has its own class. */
export const isCertError = (error: unknown): error is CertError => error instanceof Error && error.name === 'CertError';

/** Parses the text that a visitor gave as `what`, such as the document. Refuses other text with a sentence. */
export function parseJson(text: string, what: string): unknown {
  if (text.trim() === '') {
    throw new Refusal(`The ${what} is missing.`, `certify.${what}Missing`);
  }
  checkSize(text.length, what);
  try {
    return JSON.parse(text);
  } catch (error) {
    const kind = foreign(text);
    throw new Refusal(`The ${what} ${kind ?? `is not JSON: ${visible(error instanceof Error ? error.message : '')}`}`);
  }
}

/** Like `parseJson`, but refuses a list, because a page handles one document at a time. `task` is the page's verb, such as `Certify`. */
export function parseDocument(text: string, what: string, task: string): unknown {
  const value = parseJson(text, what);
  if (Array.isArray(value)) {
    throw new Refusal(`This is a list. ${task} one document at a time.`, 'certify.list');
  }
  return value;
}

/** Refuses a file of a known other format, before the page shows its text. */
export function checkKind(text: string, what: string) {
  const kind = isJson(text) ? null : foreign(text);
  if (kind !== null) {
    throw new Refusal(`The ${what} ${kind}`);
  }
}

function isJson(text: string) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function checkSize(length: number, what: string) {
  if (length > MAX_CHARACTERS) {
    const values = { megabytes: megabytes(length), most: megabytes(MAX_CHARACTERS) };
    throw new Refusal(`The ${what} is too long: ${values.megabytes} MB. At most ${values.most} MB are possible.`, 'certify.tooLong', values);
  }
}

function megabytes(length: number) {
  return (length / 1024 / 1024).toFixed(1);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns true for the form of a path. */
export const isPath = (value: unknown): value is Path => Array.isArray(value) && value.every((step) => typeof step === 'string' || Number.isSafeInteger(step));

/** Returns an own property of an object, never an inherited one. */
export function own(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** Sets an own property of any name, even `__proto__`. */
export function setOwn(target: object, key: string | number, value: unknown) {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

export function valueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>(own, document);
}

/** Returns a path as readable text: `holder.grades[2]`. */
export function pathText(path: Path): string {
  if (path.length === 0) {
    return 'the document as a whole';
  }
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') {
      return `${text}[${step}]`;
    }
    const plain = /^[\p{L}\p{N}_$-]+$/u.test(step);
    return plain ? `${text}${text && '.'}${step}` : `${text}[${valueText(step)}]`;
  }, '');
}

/** Returns a value as JSON on one line. Invisible characters, and characters that reorder others, are escaped. */
export function valueText(value: unknown): string {
  return value === undefined ? '—' : visible(JSON.stringify(value));
}

/** Returns a count with its noun: `1 value`, `2 values`. */
export function count(number: number, thing: string) {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
