import { convert } from '../../src/error.js';
import { toJson } from '../../src/json.js';
import { SchemaValidator, ready } from './core.js';

export { CertError } from '../../src/error.js';
export { init } from './core.js';

export class Validator {
  #schema;
  #compiled;

  constructor(schema) {
    this.#schema = toJson(schema);
    ready();
    if (mayDraw()) {
      this.#compile();
    }
  }

  validate(data) {
    const json = toJson(data);
    return JSON.parse(convert(() => this.#compile().validate(json)));
  }

  #compile() {
    this.#compiled ??= convert(() => new SchemaValidator(this.#schema));
    return this.#compiled;
  }
}

/**
 * Compiling draws random numbers, for hash tables. A Worker may not do so while its modules are evaluated, which would end it: a
 * schema given there is compiled when it is first used.
 */
function mayDraw() {
  try {
    crypto.getRandomValues(new Uint8Array(1));
    return true;
  } catch {
    return false;
  }
}

export function validate(schema, data) {
  return new Validator(schema).validate(data);
}
