import { pack } from '../../src/pack.js';
import { resultOf, textOf } from '../../src/results.js';
import { SchemaValidator, ready } from './core.js';

export class Validator {
  #schema;
  #compiled;

  constructor(schema) {
    this.#schema = pack([schema]).slice();
    ready();
    if (mayDraw()) {
      this.#compile();
    }
  }

  validate(data) {
    return JSON.parse(textOf(this.#compile().validate(pack([data]))));
  }

  #compile() {
    if (this.#compiled === undefined) {
      const compiled = new SchemaValidator(this.#schema);
      resultOf(compiled.check());
      this.#compiled = compiled;
    }
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
