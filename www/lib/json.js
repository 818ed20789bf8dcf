// JSON that comes from strangers: read within bounds, walked by own keys alone, and shown so that nothing in it can pose as
// something else.
import { foreign } from './foreign.js';

/** Characters of one document at most; the service fetches no more for a badge. */
export const MAX_CHARACTERS = 5 * 1024 * 1024;

/** An error that a visitor can act on, as opposed to a defect of the page. */
export class Refusal extends Error {}

/** The sentence of what went wrong: a refusal's own, the library's, or an admission. */
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

/** Parses what a person gave as `what`, or refuses it with a sentence. */
export function parseJson(text, what) {
  if (text.trim() === '') {
    throw new Refusal(`The ${what} is missing.`);
  }
  checkSize(text.length, what);
  try {
    return JSON.parse(text);
  } catch (error) {
    const kind = foreign(text);
    throw new Refusal(`The ${what} ${kind ?? `is not JSON: ${visible(error.message)}`}`);
  }
}

/** As `parseJson`, for a document, of which there may be one; `task` is the page's, such as `Certify`. */
export function parseDocument(text, what, task) {
  const value = parseJson(text, what);
  if (Array.isArray(value)) {
    throw new Refusal(`This is a list. ${task} one document at a time.`);
  }
  return value;
}

/** Refuses a file that is known not to be JSON, before its text is shown anywhere. */
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
    throw new Refusal(`The ${what} is too long: ${megabytes(length)} MB, where ${megabytes(MAX_CHARACTERS)} MB are read at most.`);
  }
}

function megabytes(length) {
  return (length / 1024 / 1024).toFixed(1);
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A property of an object's own; never one that every object has. */
export function own(value, key) {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Sets an own property under any name, `__proto__` included. */
export function setOwn(target, key, value) {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

export function valueAt(document, path) {
  return path.reduce(own, document);
}

/** A path as people write it: `holder.grades[2]`. */
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

/** A value in JSON, on one line, with every character that would not be seen, or would reorder others, as an escape. */
export function valueText(value) {
  return value === undefined ? '—' : visible(JSON.stringify(value));
}

/** Text with invisible characters and those that change the direction of writing made visible. */
export function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029\u115f\u1160\u3164]/gu, (found) => `\\u{${found.codePointAt(0).toString(16)}}`);
}

/** The beginning of a long text. */
export function shorten(text, most) {
  return text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text;
}

/** `1 value`, `2 values`. */
export function count(number, thing) {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
