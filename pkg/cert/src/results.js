import { failure } from './error.js';
import { NUMBER, WHOLE, WORD } from './pack.js';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** What the WebAssembly gave: the last byte says whether it is an error, which is thrown. */
export function resultOf(bytes) {
  const result = bytes.subarray(0, -1);
  if (bytes[result.length] === 0) {
    return result;
  }
  const [cell, each] = reader(result);
  const code = cell();
  const path = each(cell);
  throw failure(code, cell(), path);
}

/** A result that is text. */
export function textOf(bytes) {
  return decoder.decode(resultOf(bytes));
}

/** A result that is packed proofs. */
export function proofsOf(bytes) {
  const [cell, each] = reader(resultOf(bytes));

  function node() {
    return { index: cell(), hash: cell() };
  }

  function value() {
    const index = cell();
    const disclosed = cell();
    const nonce = cell();
    return disclosed === undefined ? { index, nonce } : { index, value: disclosed, nonce };
  }

  return each(() => ({ path: each(cell), nodes: each(node), values: each(value) }));
}

/** A result that is a packed report. */
export function reportOf(bytes) {
  const [cell, each] = reader(resultOf(bytes));

  function entry() {
    const path = each(cell);
    const status = cell();
    const reason = cell();
    return reason === undefined ? { path, status } : { path, status, reason };
  }

  const valid = cell();
  const imprint = cell();
  const reasons = each(() => ({ code: cell(), path: each(cell), message: cell() }));
  const entries = each(entry);
  const lists = each(() => ({ path: each(cell), length: cell(), complete: cell() }));
  const [proven, notProven, notCovered, more] = each(cell);
  const omitted = proven === undefined ? {} : { omitted: { proven, notProven, notCovered, lists: more } };
  return { valid, imprint, reasons, entries, lists, ...omitted, proven: JSON.parse(cell()) };
}

/** A result that is packed paths. */
export function pathsOf(bytes) {
  const [cell, each] = reader(resultOf(bytes));
  return each(() => each(cell));
}

/** A result that is packed questions: `[path, position, value, parts]`, for a nonce without a position. */
export function questionsOf(bytes) {
  const [cell, each] = reader(resultOf(bytes));
  let last = [];
  return each(() => {
    // Each path shares the beginning of the one before.
    last = [...last.slice(0, cell()), ...each(cell)];
    return [last, cell(), cell(), each(cell)];
  });
}

/** Reads what is packed: `Packed` of cert-core says how. */
function reader(packed) {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const end = packed.length - 4;
  let at = end - 4 * view.getUint32(end, true);
  const text = decoder.decode(packed.subarray(0, at));
  let start = 0;

  function next() {
    at += 4;
    return view.getUint32(at - 4, true);
  }

  function string(size) {
    const from = start;
    start += size;
    return text.slice(from, start);
  }

  function cell() {
    const number = next();
    const size = number >>> 3;
    switch (number & 7) {
      case WHOLE:
        return size;
      case WORD:
        return [null, true, false][size];
      case NUMBER:
        return Number(string(size));
      default:
        return string(size);
    }
  }

  function each(read) {
    const items = [];
    for (let count = next() >>> 3; count > 0; count -= 1) {
      items.push(read());
    }
    return items;
  }

  return [cell, each];
}
