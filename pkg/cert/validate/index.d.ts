import type { Data, Json, WasmSource } from '../index.js';

export { CertError } from '../index.js';

/** Something that a schema does not allow. */
export interface Violation {
  /** Where in the data: keys of objects and indexes of arrays. */
  path: (string | number)[];
  /** The keyword of the schema that does not allow it, such as `type` or `required`. */
  keyword: string;
  /** Where in the schema that keyword is, as a JSON Pointer. */
  schemaPath: string;
  /** A sentence that does not repeat the value. */
  message: string;
}

/**
 * A JSON Schema, compiled to validate data: draft 7, 2019-09 and 2020-12, and 4 and 6. The draft is the one that `$schema` names,
 * else draft 7. `format` is asserted. Nothing is fetched: a reference that leads out of the schema is an error.
 */
export class Validator {
  /**
   * @throws `CertError`: `schema-invalid` with the path in the schema; `schema-reference-unresolved`. While a Worker's modules are
   * evaluated it cannot compile: then the first `validate` throws them.
   */
  constructor(schema: Data | boolean);

  /** What the schema does not allow in the data: nothing where it is valid, else at most a hundred violations. */
  validate(data: Data | Json): Violation[];
}

/** Validates once. Keep a {@link Validator} for more. */
export function validate(schema: Data | boolean, data: Data | Json): Violation[];

/**
 * Loads the WebAssembly: in browsers to be awaited before anything else; in Node and workerd it is
 * there already. Without a `source` it is fetched from beside this package's own modules.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;
