import { ARRAY, KEY_AGAIN, NUMBER, OBJECT, WHOLE, WORD } from './pack.js';
import { TextDecoder } from './text.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Unpacks a value that the WebAssembly packed. */
export const unpack = (bytes) => reader(bytes)[0]();

/** Unpacks proofs that the WebAssembly packed. */
export function unpackProofs(bytes) {
  const [read, each] = reader(bytes);

  function node() {
    return { index: read(), hash: read() };
  }

  function value() {
    const index = read();
    const disclosed = read();
    const nonce = read();
    return disclosed === undefined ? { index, nonce } : { index, value: disclosed, nonce };
  }

  return each(() => ({ path: read(), nodes: each(node), values: each(value) }));
}

/** Returns two functions that read packed bytes: one reads a value, the other a list. The module `wire` of cert-wasm documents the format. */
function reader(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = bytes.length - 4;
  let at = end - 4 * view.getUint32(end, true);
  const text = decoder.decode(bytes.subarray(0, at));
  const keys = [];
  let start = 0;

  function next() {
    at += 4;
    return view.getUint32(at - 4, true);
  }

  function string(size) {
    start += size;
    return text.slice(start - size, start);
  }

  function key() {
    const number = next();
    if ((number & 7) === KEY_AGAIN) {
      return keys[number >>> 3];
    }
    const known = string(number >>> 3);
    keys.push(known);
    return known;
  }

  function read() {
    const number = next();
    const size = number >>> 3;
    switch (number & 7) {
      case WHOLE:
        return size;
      case WORD:
        return [null, true, false][size];
      case NUMBER:
        return Number(string(size));
      case ARRAY:
        return items(size, read);
      case OBJECT:
        return object(size);
      default:
        return string(size);
    }
  }

  function object(size) {
    const map = {};
    for (let left = size; left > 0; left -= 1) {
      const name = key();
      if (name === '__proto__') {
        Object.defineProperty(map, name, { value: read(), configurable: true, enumerable: true, writable: true });
      } else {
        map[name] = read();
      }
    }
    return map;
  }

  function items(count, readItem) {
    const all = [];
    for (let left = count; left > 0; left -= 1) {
      all.push(readItem());
    }
    return all;
  }

  return [read, (readItem) => items(next() >>> 3, readItem)];
}
