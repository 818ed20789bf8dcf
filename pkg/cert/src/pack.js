import { CertError } from './error.js';

/** As deep as the WebAssembly reads, and a bound for what refers to itself. */
const MAX_DEPTH = 256;

// The kinds of numbers in a list; `Value::unpack` of cert-core has their meaning.
const STRING = 0;
const NUMBER = 1;
const WHOLE = 2;
const WORD = 3;
const ARRAY = 4;
const OBJECT = 5;
const KEY = 6;
const KEY_AGAIN = 7;

/** Sizes are below this, so that eight times as much and a kind is a number of 32 bits. */
const MAX_SIZE = 2 ** 29;

/** So much text is gathered before it is encoded: a call to the encoder takes as long as some hundred characters. */
const CHUNK = 8192;

/** Buffers up to this length are kept for the next time. */
const KEPT = 2 ** 20;

/** Makes bytes of text. */
export const encoder = new TextEncoder();
let buffers;

/**
 * Packs values for the WebAssembly: all their text in one piece, as bytes, and a list of numbers that says
 * what is where. Both hold until the next call. Values are read as `JSON.stringify` reads them, so that they
 * hash like the JSON file they end up in, but what that would silently drop or change is refused.
 */
export function pack(...values) {
  let { bytes, list } = buffers ?? { bytes: new Uint8Array(1024), list: new Uint32Array(256) };
  // A `toJSON` may pack, too.
  buffers = undefined;
  let text = '';
  let end = 0;
  let length = 0;
  let surrogates = false;
  const keys = new Map();
  /** The path of the value at hand is the first `depth` steps. */
  const path = [];
  let depth = 0;
  let careful = false;

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
    switch (typeof value) {
      case 'string':
        return writeText(value, STRING);
      case 'number':
        return value >>> 0 === value && value < MAX_SIZE ? put(value, WHOLE) : writeText(String(value), NUMBER);
      case 'boolean':
        return put(value ? 1 : 2, WORD);
      case 'object':
        return value === null ? put(0, WORD) : writeObject(value, key);
      default:
        throw notJson(typeof value);
    }
  }

  function writeText(string, kind) {
    if (careful && /\p{Surrogate}/u.test(string)) {
      throw failed('surrogate-unpaired', 'a string holds half of a surrogate pair');
    }
    put(string.length, kind);
    text += string;
    if (text.length > CHUNK) {
      encode();
    }
  }

  function encode() {
    surrogates ||= /[\ud800-\udfff]/.test(text);
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

  function notJson(what) {
    return failed('json-invalid', `${what} is no JSON value`);
  }

  function failed(code, message) {
    return new CertError(code, message, path.slice(0, depth));
  }

  function writeAll() {
    for (const value of values) {
      write(value, '');
    }
    encode();
  }

  writeAll();
  // UTF-8 has no form for half of a surrogate pair. Where there is any surrogate, each string is looked at.
  if (surrogates) {
    careful = true;
    end = 0;
    length = 0;
    keys.clear();
    writeAll();
  }
  if (bytes.length <= KEPT && list.length <= KEPT) {
    buffers = { bytes, list };
  }
  return [bytes.subarray(0, end), list.subarray(0, length)];
}

/** The same numbers in an array with room for more. */
function longer(numbers, length) {
  const more = new numbers.constructor(length);
  more.set(numbers);
  return more;
}
