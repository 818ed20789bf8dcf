import { failure } from './error.js';

/** As deep as the WebAssembly reads, and a bound for what refers to itself. */
const MAX_DEPTH = 256;

// The kinds of numbers in a list; `Packed` of cert-core has their meaning.
const STRING = 0;
export const NUMBER = 1;
export const WHOLE = 2;
export const WORD = 3;
const ARRAY = 4;
const OBJECT = 5;
const KEY = 6;
const KEY_AGAIN = 7;

// The words.
const NULL = 0;
const TRUE = 1;
const FALSE = 2;
const ABSENT = 3;
const OTHER = 4;

/** Sizes are below this, so that eight times as much and a kind is a number of 32 bits. */
const MAX_SIZE = 2 ** 29;

/** So much text is gathered before it is encoded: a call to the encoder takes as long as some hundred characters. */
const CHUNK = 8192;

/** Buffers of up to so many bytes are kept for the next time. */
const KEPT = 2 ** 22;

/** Makes bytes of text. */
export const encoder = new TextEncoder();
let buffers;

/**
 * Packs values, and proofs or paths after them, for the WebAssembly: all their text in one piece, as bytes, and after it a list
 * of numbers that says what is where. What it gives holds until the next call. Values are read as `JSON.stringify` reads them, so
 * that they hash like the JSON file they end up in, but what that would silently drop or change is refused.
 */
export function pack(values, proofs, paths) {
  let { bytes, list } = buffers ?? { bytes: new Uint8Array(1024), list: new Uint32Array(256) };
  // A `toJSON` may pack, too.
  buffers = undefined;
  let text = '';
  let end = 0;
  let length = 0;
  const keys = new Map();
  /** The path of the value at hand is the first `depth` steps. */
  const path = [];
  let depth = 0;

  function put(size, kind) {
    if (size >= MAX_SIZE) {
      throw notJson('what is too large to be certified');
    }
    if (length === list.length) {
      list = longer(list, 2 * length);
    }
    list[length] = size * 8 + kind;
    length += 1;
  }

  function write(value, key) {
    if (typeof value === 'string') {
      return writeText(value, STRING);
    }
    if (typeof value === 'number') {
      return value >>> 0 === value && value < MAX_SIZE ? put(value, WHOLE) : writeText(String(value), NUMBER);
    }
    if (typeof value === 'boolean') {
      return put(value ? TRUE : FALSE, WORD);
    }
    if (typeof value === 'object') {
      return value === null ? put(NULL, WORD) : writeObject(value, key);
    }
    throw notJson(typeof value);
  }

  function writeText(string, kind) {
    if (!string.isWellFormed()) {
      throw failed('surrogate-unpaired', 'a string holds half of a surrogate pair');
    }
    put(string.length, kind);
    text += string;
    if (text.length > CHUNK) {
      encode();
    }
  }

  function encode() {
    // A UTF-16 code unit takes at most three bytes.
    const needed = end + 3 * text.length;
    if (needed > bytes.length) {
      bytes = longer(bytes, Math.max(needed, 2 * bytes.length));
    }
    end += encoder.encodeInto(text, bytes.subarray(end)).written;
    text = '';
  }

  function writeObject(value, key) {
    if (typeof value.toJSON === 'function') {
      const replaced = value.toJSON(String(key));
      if (replaced !== value) {
        return write(replaced, key);
      }
    }
    if (depth >= MAX_DEPTH) {
      throw failed('json-too-deep', `JSON may be nested at most ${MAX_DEPTH} levels deep`);
    }
    depth += 1;
    if (Array.isArray(value)) {
      writeList(value);
    } else {
      writeMap(value);
    }
    depth -= 1;
  }

  function writeList(items) {
    const count = items.length;
    put(count, ARRAY);
    for (let index = 0; index < count; index += 1) {
      path[depth - 1] = index;
      const item = items[index];
      write(item === undefined ? null : item, index);
    }
  }

  function writeMap(map) {
    const prototype = Object.getPrototypeOf(map);
    if (prototype !== Object.prototype && prototype !== null) {
      const tag = Object.prototype.toString.call(map);
      if (tag !== '[object Object]') {
        depth -= 1;
        throw notJson(tag);
      }
    }
    const at = length;
    let count = 0;
    put(0, OBJECT);
    for (const key of Object.keys(map)) {
      const item = map[key];
      if (item !== undefined) {
        path[depth - 1] = key;
        writeKey(key);
        write(item, key);
        count += 1;
      }
    }
    list[at] = count * 8 + OBJECT;
  }

  function writeKey(key) {
    const known = keys.get(key);
    if (known === undefined) {
      keys.set(key, keys.size);
      writeText(key, KEY);
    } else {
      put(known, KEY_AGAIN);
    }
  }

  /** Whatever has not the form of evidence is only said to be there, for the WebAssembly to refuse. */
  function writeProofs(evidence) {
    const given = objectOf(evidence);
    writeEach(Array.isArray(given) ? given : given.data, writeProof);
  }

  function writeProof(proof) {
    const { path, nodes, values } = objectOf(proof);
    writeEach(path, writeCell);
    writeEach(nodes, writeNode);
    writeEach(values, writeValue);
  }

  function writeNode(node) {
    const { index, hash } = objectOf(node);
    writeCell(index);
    writeCell(hash);
  }

  function writeValue(entry) {
    const { index, value, nonce } = objectOf(entry);
    writeCell(index);
    writeCell(value);
    writeCell(nonce);
  }

  function writeEach(items, writeItem) {
    const given = objectOf(items);
    if (!Array.isArray(given)) {
      return put(OTHER, WORD);
    }
    const count = given.length;
    put(count, ARRAY);
    for (let index = 0; index < count; index += 1) {
      writeItem(given[index]);
    }
  }

  /** A single value, or nothing. */
  function writeCell(value) {
    // Most cells are hashes.
    if (typeof value === 'string') {
      return writeText(value, STRING);
    }
    if (typeof value === 'number' || typeof value === 'boolean') {
      return write(value);
    }
    if (value === undefined) {
      return put(ABSENT, WORD);
    }
    const given = objectOf(value);
    return typeof given === 'object' ? put(value === null ? NULL : OTHER, WORD) : writeCell(given);
  }

  function notJson(what) {
    return failed('json-invalid', `${what} is no JSON value`);
  }

  function failed(code, message) {
    return failure(code, message, path.slice(0, depth));
  }

  for (const value of values) {
    write(value, '');
  }
  if (proofs !== undefined) {
    writeProofs(proofs);
  }
  if (paths !== undefined) {
    writeEach(paths, (path) => writeEach(path, writeCell));
  }
  encode();
  // After the text comes the list, and how long it is.
  put(0, 0);
  list[length - 1] = length - 1;
  const total = end + 4 * length;
  if (total > bytes.length) {
    bytes = longer(bytes, 2 * total);
  }
  bytes.set(new Uint8Array(list.buffer, 0, 4 * length), end);
  if (bytes.length <= KEPT && list.byteLength <= KEPT) {
    buffers = { bytes, list };
  }
  return bytes.subarray(0, total);
}

/** What JSON would have of an object; of anything else an object without anything. */
function objectOf(value) {
  if (typeof value !== 'object' || value === null) {
    return {};
  }
  return typeof value.toJSON === 'function' ? (value.toJSON('') ?? {}) : value;
}

/** The same numbers in an array with room for more. What is let go may have held a secret. */
function longer(numbers, length) {
  const more = new numbers.constructor(length);
  more.set(numbers);
  numbers.fill(0);
  return more;
}
