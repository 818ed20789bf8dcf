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
        return JSON.stringify(value);
      case 'number':
        return Number.isFinite(value) ? String(value) : '1e999';
      case 'boolean':
        return value ? 'true' : 'false';
      case 'object':
        return value === null ? 'null' : writeObject(value, key);
      default:
        throw notJson(`a ${typeof value}`);
    }
  }

  function writeObject(value, key) {
    if (typeof value.toJSON === 'function') {
      const replaced = value.toJSON(String(key));
      if (replaced !== value) {
        return write(replaced, key);
      }
    }
    if (path.length >= MAX_DEPTH) {
      throw new CertError('json-too-deep', `JSON may be nested at most ${MAX_DEPTH} levels deep`, [...path]);
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
        text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key)}:${write(item, key)}`;
        path.pop();
      }
    }
    return `${text}}`;
  }

  function notJson(what) {
    return new CertError('json-invalid', `${what} is no JSON value`, [...path]);
  }

  return write(value, '');
}
