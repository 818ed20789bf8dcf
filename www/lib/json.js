// Handles untrusted JSON: reads it within bounds, uses only own keys, and shows it so that hidden characters cannot mislead a reader.
import { foreign } from './foreign.js';
import { shorten, visible } from './visible.js';

export { shorten, visible };

/** The maximum length of a document, in characters, like the service's limit for badges. */
export const MAX_CHARACTERS = 5 * 1024 * 1024;

/**
 * An error that a visitor can act on, unlike a defect of the page. Its message is an English sentence, or the key if `Refusal.of` made the
 * error. If the error has a `key`, www/texts has the sentence in each language, with places for `values`.
 */
export class Refusal extends Error {
  constructor(message, key, values = {}) {
    super(message);
    this.key = key;
    this.values = values;
  }

  static of(key, values) {
    return new Refusal(key, key, values);
  }
}

/** Returns a sentence about an error: the refusal's or the library's own sentence, or a general one for a defect of the page. */
export function sentenceOf(error) {
  if (error instanceof Refusal) {
    return error.message;
  }
  if (error?.name === 'CertError') {
    const where = error.path.length > 0 && !error.message.endsWith(')') ? ` (at ${pathText(error.path)})` : '';
    const sentence = visible(error.message);
    return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${where}.`;
  }
  console.error(error);
  return 'Something went wrong on this page. Your documents have not left your machine.';
}

/** Parses the text that a visitor gave as `what`, such as the document. Refuses other text with a sentence. */
export function parseJson(text, what) {
  if (text.trim() === '') {
    throw new Refusal(`The ${what} is missing.`, `certify.${what}Missing`);
  }
  checkSize(text.length, what);
  try {
    return JSON.parse(text);
  } catch (error) {
    const kind = foreign(text);
    throw new Refusal(`The ${what} ${kind ?? `is not JSON: ${visible(error.message)}`}`);
  }
}

/** Like `parseJson`, but refuses a list, because a page handles one document at a time. `task` is the page's verb, such as `Certify`. */
export function parseDocument(text, what, task) {
  const value = parseJson(text, what);
  if (Array.isArray(value)) {
    throw new Refusal(`This is a list. ${task} one document at a time.`, 'certify.list');
  }
  return value;
}

/** Refuses a file of a known other format, before the page shows its text. */
export function checkKind(text, what) {
  const kind = isJson(text) ? null : foreign(text);
  if (kind !== null) {
    throw new Refusal(`The ${what} ${kind}`);
  }
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function checkSize(length, what) {
  if (length > MAX_CHARACTERS) {
    const values = { megabytes: megabytes(length), most: megabytes(MAX_CHARACTERS) };
    throw new Refusal(`The ${what} is too long: ${values.megabytes} MB. At most ${values.most} MB are possible.`, 'certify.tooLong', values);
  }
}

function megabytes(length) {
  return (length / 1024 / 1024).toFixed(1);
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own property of an object, never an inherited one. */
export function own(value, key) {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Sets an own property of any name, even `__proto__`. */
export function setOwn(target, key, value) {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

export function valueAt(document, path) {
  return path.reduce(own, document);
}

/** Returns a path as readable text: `holder.grades[2]`. */
export function pathText(path) {
  if (path.length === 0) {
    return 'the document as a whole';
  }
  return path.reduce((text, step) => {
    if (typeof step === 'number') {
      return `${text}[${step}]`;
    }
    const plain = /^[\p{L}\p{N}_$-]+$/u.test(step);
    return plain ? `${text}${text && '.'}${step}` : `${text}[${valueText(step)}]`;
  }, '');
}

/** Returns a value as JSON on one line. Invisible characters, and characters that reorder others, are escaped. */
export function valueText(value) {
  return value === undefined ? '—' : visible(JSON.stringify(value));
}

/** Returns a count with its noun: `1 value`, `2 values`. */
export function count(number, thing) {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
