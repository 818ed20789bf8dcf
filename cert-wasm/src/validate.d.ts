import type { Data, Freeable, Json, WasmSource } from '../../dist/index.js';

export { CertError } from '../../dist/index.js';

export interface Validator extends Freeable {}

/** Something that a schema does not allow. */
export interface Violation {
  /** The path in the data: keys of objects and indexes of arrays. */
  path: (string | number)[];
  /** The keyword of the schema that does not allow it, such as `type` or `required`. */
  keyword: string;
  /** The path of that keyword in the schema, as a JSON Pointer. */
  schemaPath: string;
  /** A sentence that does not repeat the value. */
  message: string;
}

/**
 * Loads the WebAssembly: in browsers to be awaited before anything else; in Node and workerd it is
 * there already. Without a `source` it is fetched from beside this package's own modules.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;
