import { viewOf } from './bytes.js';
import { CertError, failure } from './error.js';
import { TextEncoder } from './text.js';

/** The maximum depth of JSON, because the WebAssembly reads no deeper values. This limit also ends the packing of cyclic values. */
const MAX_DEPTH = 256;

// The kinds of numbers in the packed list. The module `wire` of cert-wasm documents the kinds.
const STRING = 0;
export const NUMBER = 1;
export const WHOLE = 2;
export const WORD = 3;
export const ARRAY = 4;
export const OBJECT = 5;
export const KEY = 6;
export const KEY_AGAIN = 7;

// The constant values.
const NULL = 0;
const TRUE = 1;
const FALSE = 2;
const ABSENT = 3;
const OTHER = 4;

/** Sizes are below this bound, so eight times a size plus a kind fits in 32 bits. */
const MAX_SIZE = 2 ** 29;

/** The length at which collected text is encoded. A call of the encoder takes as long as encoding a few hundred characters. */
const CHUNK = 8192;

/** The maximum size, in bytes, of a buffer that is kept for the next call. */
const KEPT = 2 ** 22;

const encoder = new TextEncoder();

// The state of the value being packed. It is at module level, because most values are small: creating closures for each call would take as
// long as packing the value.
/** The encoded text, the list of numbers, and the used lengths of both. */
let [bytes, list, end, length] = emptied();
/** Text that is not encoded yet. */
let text;
/** The number of keys so far, and the numbers of the keys that can be referred to again. */
let count;
let keys;
/** The first `depth` steps are the path of the current value. */
let path;
let depth;
let isPacking = false;
/** True while each string is checked separately, to find a malformed string. */
let isCareful = false;
/** The maximum depth of a value that has to be exact JSON. 0 if the value is read as `JSON.stringify` reads it. */
let exact = 0;
/** Thrown if any of the collected strings is not well-formed. */
const UNPAIRED = {};

/**
 * Packs a value for the WebAssembly: all its text as bytes, followed by a list of numbers (see the module `wire` of cert-wasm). The result is valid
 * until the next call. The value is read as `JSON.stringify` reads it, so it has the same hash as the JSON file written from it. Values
 * that `JSON.stringify` would silently drop or change are refused.
 */
export function pack(value, levels = 0) {
  try {
    return packed(() => write(value, ''), levels);
  } catch (error) {
    if (error !== UNPAIRED) {
      throw error;
    }
  }
  // Reads the data again only to find the position of the error. The data is refused even if it has changed in the meantime.
  packed(() => write(value, ''), levels, true);
  throw unpaired([]);
}

/**
 * Packs a value that has to be exact JSON of at most `levels` levels. Undefined values, holes in lists, instances of classes and keys that
 * `JSON.stringify` leaves out are errors.
 */
export const packExact = (value, levels) => pack(value, levels);

/** Packs AIH-1 evidence of any shape, even missing evidence. Only evidence with AIH-2 as its `profile` is an error. */
export function packProofs(evidence) {
  const raw = objectOf(evidence);
  if (raw.profile === 'AIH-2') {
    throw failure('profile-unknown', 'the evidence is of AIH-2: import `Cert` from `@assay/cert/aih2` or `@assay/cert/verify`', []);
  }
  return packed(() => writeProofs(raw));
}

/** Packs paths. A value that is not JSON is packed as null, which the WebAssembly refuses. */
export function packPaths(paths) {
  try {
    return pack(paths ?? null);
  } catch (error) {
    if (!(error instanceof CertError)) {
      throw error;
    }
    if (error.code === 'surrogate-unpaired') {
      throw unpaired([]);
    }
    return pack(null);
  }
}

/** Returns the bytes of a secret, or undefined if it is neither bytes nor a string. */
export function bytesOf(secret) {
  if (typeof secret === 'string') {
    return encoder.encode(secret);
  }
  return viewOf(secret);
}

/** Returns the bytes that `fill` writes. Calls can be nested, because a user's `toJSON` may pack a value itself. */
function packed(fill, levels = 0, careful = false) {
  const outer = isPacking && [bytes, list, end, length, text, count, keys, path, depth, isCareful, exact];
  if (outer) {
    [bytes, list] = emptied();
  }
  isPacking = true;
  isCareful = careful;
  exact = levels;
  end = length = count = depth = 0;
  text = '';
  keys = new Map();
  path = [];
  try {
    fill();
    encode();
    // The list follows the text. Its last number is the count of the numbers before it.
    put(0, 0);
    list[length - 1] = length - 1;
    const total = end + 4 * length;
    if (total > bytes.length) {
      bytes = longer(bytes, 2 * total);
    }
    bytes.set(new Uint8Array(list.buffer, 0, 4 * length), end);
    return bytes.subarray(0, total);
  } finally {
    isPacking = outer !== false;
    // Keeps the buffers for the next call, but no references to the value.
    keys = path = text = undefined;
    if (outer) {
      [bytes, list, end, length, text, count, keys, path, depth, isCareful, exact] = outer;
    } else if (bytes.length > KEPT || list.byteLength > KEPT) {
      [bytes, list] = emptied();
    }
  }
}

function emptied() {
  return [new Uint8Array(1024), new Uint32Array(256), 0, 0];
}

function put(size, kind) {
  if (size >= MAX_SIZE) {
    throw failed('json-invalid', 'a value is too large to be certified');
  }
  if (length === list.length) {
    list = longer(list, 2 * length);
  }
  list[length] = size * 8 + kind;
  length += 1;
}

/** Writes a value, with its `toJSON` applied unless it has to be exact JSON. */
function write(value, key) {
  if (typeof value === 'string') {
    return writeText(value, STRING);
  }
  if (exact) {
    return writeOther(value);
  }
  // Ignores the `toJSON` of Node's Buffer, because no schema describes its result.
  const says = typeof value === 'object' && typeof value?.toJSON === 'function' && !ArrayBuffer.isView(value);
  writeOther(says ? value.toJSON(String(key)) : value);
}

function writeOther(value) {
  if (typeof value === 'string') {
    return writeText(value, STRING);
  }
  if (typeof value === 'number') {
    return value >>> 0 === value && value < MAX_SIZE ? put(value, WHOLE) : writeText(String(value), NUMBER);
  }
  if (typeof value === 'boolean') {
    return put(value ? TRUE : FALSE, WORD);
  }
  if (value === null) {
    return put(NULL, WORD);
  }
  if (typeof value !== 'object') {
    throw notJson(typeof value);
  }
  if (depth >= (exact || MAX_DEPTH)) {
    throw failed('json-too-deep', `JSON may be nested at most ${exact || MAX_DEPTH} levels deep`);
  }
  if (exact && !isPlain(value)) {
    throw notJson('an instance of a class');
  }
  depth += 1;
  if (Array.isArray(value)) {
    writeList(value);
  } else {
    writeMap(value);
  }
  depth -= 1;
}

function writeText(string, kind) {
  // Malformed text is found when it is encoded. But by then, the strings are joined: a string that ends with one half of
  // a surrogate pair would pass if the next string begins with the other half. Therefore the end of each string is
  // checked here.
  if ((string.charCodeAt(string.length - 1) & 0xfc00) === 0xd800 || (isCareful && !string.isWellFormed())) {
    throw unpaired(path.slice(0, depth));
  }
  put(string.length, kind);
  text += string;
  if (text.length > CHUNK) {
    encode();
  }
}

function encode() {
  if (!text.isWellFormed()) {
    throw UNPAIRED;
  }
  // A UTF-16 code unit takes at most three bytes.
  const needed = end + 3 * text.length;
  if (needed > bytes.length) {
    bytes = longer(bytes, Math.max(needed, 2 * bytes.length));
  }
  end += encoder.encodeInto(text, bytes.subarray(end)).written;
  text = '';
}

function writeList(items) {
  const count = items.length;
  // A list's own keys are its indexes and `length`. Holes are refused below.
  if (exact && Reflect.ownKeys(items).length > count + 1) {
    depth -= 1;
    throw notJson('a list with keys that are no indexes');
  }
  put(count, ARRAY);
  for (let index = 0; index < count; index += 1) {
    path[depth - 1] = index;
    const item = items[index];
    write(item === undefined && !exact ? null : item, index);
  }
}

/** Returns true if an object or list is not an instance of a class, in any realm. */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  if (Array.isArray(value)) {
    return Array.isArray(prototype);
  }
  return prototype === null || prototype === Object.prototype || Object.hasOwn(prototype, 'isPrototypeOf');
}

function writeMap(map) {
  const prototype = Object.getPrototypeOf(map);
  if (prototype !== Object.prototype && prototype !== null) {
    const tag = Object.prototype.toString.call(map);
    if (tag !== '[object Object]') {
      depth -= 1;
      throw ArrayBuffer.isView(map) ? failed('json-invalid', 'bytes are no JSON value: parse their text first') : notJson(tag);
    }
  }
  const names = Object.keys(map);
  if (exact && Reflect.ownKeys(map).length !== names.length) {
    depth -= 1;
    throw notJson('an object with keys that are symbols or not enumerable');
  }
  const at = length;
  let members = 0;
  put(0, OBJECT);
  for (const key of names) {
    const item = map[key];
    if (item !== undefined || exact) {
      path[depth - 1] = key;
      writeKey(key);
      write(item, key);
      members += 1;
    }
  }
  list[at] = members * 8 + OBJECT;
}

function writeKey(key) {
  // Only keys of nested objects can be referred to again.
  const known = depth > 1 ? keys.get(key) : undefined;
  if (known !== undefined) {
    return put(known, KEY_AGAIN);
  }
  if (depth > 1) {
    keys.set(key, count);
  }
  count += 1;
  writeText(key, KEY);
}

/** Writes evidence. Evidence of another shape, or with malformed Unicode, is only marked as present, and the WebAssembly refuses it. */
function writeProofs(raw) {
  const [at, from] = [length, end];
  try {
    writeEach(Array.isArray(raw) ? raw : raw.data, writeProof);
    encode();
  } catch (error) {
    if (error !== UNPAIRED && !(error instanceof CertError)) {
      throw error;
    }
    [length, end, text] = [at, from, ''];
    put(OTHER, WORD);
  }
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
  const raw = objectOf(items);
  if (!Array.isArray(raw)) {
    return put(OTHER, WORD);
  }
  const count = raw.length;
  put(count, ARRAY);
  for (let index = 0; index < count; index += 1) {
    writeItem(raw[index]);
  }
}

/** Writes a single value, or marks it as absent. */
function writeCell(value) {
  // Most cells are hashes.
  if (typeof value === 'string') {
    return writeText(value, STRING);
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return writeOther(value);
  }
  if (value === undefined) {
    return put(ABSENT, WORD);
  }
  const raw = objectOf(value);
  return typeof raw === 'object' ? put(value === null ? NULL : OTHER, WORD) : writeCell(raw);
}

function notJson(what) {
  return failed('json-invalid', `${what} is not a JSON value`);
}

function failed(code, message) {
  return failure(code, message, path.slice(0, depth));
}

function unpaired(path) {
  return failure('surrogate-unpaired', 'a string holds half of a surrogate pair', path);
}

/** Returns the result of an object's `toJSON`, or the object itself. For any other value, returns an empty object. */
function objectOf(value) {
  if (typeof value !== 'object' || value === null) {
    return {};
  }
  return typeof value.toJSON === 'function' ? (value.toJSON('') ?? {}) : value;
}

/** Returns a longer array that starts with the same numbers. */
function longer(numbers, length) {
  const more = new numbers.constructor(length);
  more.set(numbers);
  return more;
}
