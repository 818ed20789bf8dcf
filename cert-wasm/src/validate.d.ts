import type { Data, Freeable, Json, WasmSource } from '../../dist/index.js';

export { CertError } from '../../dist/index.js';

export interface Validator extends Freeable {}

/** A violation of the schema. */
export interface Violation {
  /** The path in the data: keys of objects and indexes of arrays. */
  path: (string | number)[];
  /** The keyword of the schema that is violated, such as `type` or `required`. */
  keyword: string;
  /** The path of that keyword in the schema, as a JSON Pointer. */
  schemaPath: string;
  /** A sentence about the violation. It does not repeat the value. */
  message: string;
}

/**
 * Loads the WebAssembly. In browsers, await this function before anything else. In Node and other servers, the WebAssembly is loaded at its
 * first use. Without a `source`, the function loads the package's own WebAssembly.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;
