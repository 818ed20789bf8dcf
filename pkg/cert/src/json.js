import { CertError } from './error.js';

/** As deep as the WebAssembly reads, and a bound for what refers to itself. */
const MAX_DEPTH = 256;

/**
 * Writes a value as `JSON.stringify` does, so that it hashes like the JSON file it ends up in, but
 * refuses what that would silently drop or change. A number that is not finite becomes `1e999`, for
 * the WebAssembly to refuse where it counts.
 */
export function toJson(value) {
  const path = [];

  function write(value, key) {
    switch (typeof value) {
      case 'string':
        return writeText(value);
      case 'number':
        return Number.isFinite(value) ? String(value) : '1e999';
      case 'boolean':
        return value ? 'true' : 'false';
      case 'object':
        return value === null ? 'null' : writeObject(value, key);
      default:
        throw notJson(typeof value);
    }
  }

  /** Half of a surrogate pair would get an escape of its own, and what is said of it be about that. */
  function writeText(text) {
    if (/\p{Surrogate}/u.test(text)) {
      throw failed('surrogate-unpaired', 'a string holds half of a surrogate pair');
    }
    return JSON.stringify(text);
  }

  function writeObject(value, key) {
    if (typeof value.toJSON === 'function') {
      const replaced = value.toJSON(String(key));
      if (replaced !== value) {
        return write(replaced, key);
      }
    }
    if (path.length >= MAX_DEPTH) {
      throw failed('json-too-deep', `JSON may be nested at most ${MAX_DEPTH} levels deep`);
    }
    return Array.isArray(value) ? writeList(value) : writeMap(value);
  }

  function writeList(list) {
    let text = '[';
    for (let index = 0; index < list.length; index += 1) {
      path.push(index);
      const item = list[index];
      text += (index > 0 ? ',' : '') + (item === undefined ? 'null' : write(item, index));
      path.pop();
    }
    return `${text}]`;
  }

  function writeMap(map) {
    const prototype = Object.getPrototypeOf(map);
    if (prototype !== Object.prototype && prototype !== null) {
      const tag = Object.prototype.toString.call(map);
      if (tag !== '[object Object]') {
        throw notJson(tag);
      }
    }
    let text = '{';
    for (const key of Object.keys(map)) {
      const item = map[key];
      if (item !== undefined) {
        path.push(key);
        text += `${text.length > 1 ? ',' : ''}${writeText(key)}:${write(item, key)}`;
        path.pop();
      }
    }
    return `${text}}`;
  }

  function notJson(what) {
    return failed('json-invalid', `${what} is no JSON value`);
  }

  function failed(code, message) {
    const place = path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${step}`)).join('');
    return new CertError(code, place ? `${message} (at \`${place}\`)` : message, [...path]);
  }

  return write(value, '');
}
