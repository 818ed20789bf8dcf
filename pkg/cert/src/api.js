import { answer } from './callbacks.js';
import { core } from './core.js';
import { CertError, fromWasm } from './error.js';
import { toJson } from './json.js';

export { CertError } from './error.js';
export { init } from './core.js';

/** What a noncer keeps to itself. */
const secrets = new WeakMap();

export class KeyedNoncer {
  constructor(secret, { assetId } = {}) {
    const bytes =
      typeof secret === 'string' ? new TextEncoder().encode(secret) : bytesOf(secret);
    if (assetId !== undefined && typeof assetId !== 'string') {
      throw new CertError('option-invalid', '`assetId` has to be a string');
    }
    secrets.set(this, { bytes, assetId });
  }
}

function bytesOf(secret) {
  if (secret instanceof ArrayBuffer) {
    return new Uint8Array(secret.slice(0));
  }
  if (ArrayBuffer.isView(secret)) {
    return new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength).slice();
  }
  throw new CertError('option-invalid', 'a secret has to be bytes or a string');
}

export class Cert {
  #schema;
  #certifier;
  #hasher;
  #noncer;

  constructor({ schema, hasher, noncer } = {}) {
    if (schema === undefined) {
      throw new CertError('option-invalid', 'the option `schema` is required');
    }
    const keyed = secrets.get(noncer);
    for (const [name, callback] of [['hasher', hasher], ['noncer', keyed ? undefined : noncer]]) {
      if (callback !== undefined && typeof callback !== 'function') {
        throw new CertError('option-invalid', `the option \`${name}\` has to be a function`);
      }
    }
    this.#hasher = hasher;
    this.#noncer = keyed ? undefined : noncer;
    this.#schema = toJson(schema);
    this.#certifier = convert(
      () => new (core().Certifier)(this.#schema, keyed?.bytes, keyed?.assetId),
    );
  }

  identify({ sorted = false } = {}) {
    return identifyText(this.#schema, sorted);
  }

  async imprint(data) {
    return this.#finish(this.#start('imprint', data));
  }

  async notarize(data) {
    return this.#finish(this.#start('notarize', data));
  }

  async disclose(data, paths) {
    return this.#finish(this.#start('disclose', data, paths));
  }

  expose(data, paths) {
    const [json, more] = [toJson(data), toJson(paths)];
    return JSON.parse(convert(() => this.#certifier.expose(json, more)));
  }

  async calculate(data, proofs) {
    let run;
    try {
      run = this.#start('calculate', data, proofs);
    } catch (error) {
      // What is no JSON has no imprint; that is no error of who asks.
      if (error instanceof CertError) {
        return null;
      }
      throw error;
    }
    return this.#finish(run);
  }

  async verify(data, proofs, imprint) {
    if (typeof imprint !== 'string') {
      throw new CertError('option-invalid', 'the imprint to verify against has to be a string');
    }
    return this.#finish(this.#start('verify', data, proofs, imprint));
  }

  #start(operation, data, more = null, imprint = '') {
    const [json, moreJson] = [toJson(data), toJson(more)];
    const [hasher, noncer] = [this.#hasher !== undefined, this.#noncer !== undefined];
    return convert(() => this.#certifier.start(operation, json, moreJson, imprint, hasher, noncer));
  }

  async #finish(run) {
    try {
      if (this.#hasher || this.#noncer) {
        await answer(run, this.#hasher, this.#noncer);
      }
      return JSON.parse(convert(() => run.finish()));
    } finally {
      run.free();
    }
  }
}

export function identify(schema, { sorted = false } = {}) {
  return identifyText(toJson(schema), sorted);
}

function identifyText(schema, sorted) {
  return convert(() => core().identify(schema, Boolean(sorted)));
}

/** Calls into the WebAssembly, whose errors become real ones. */
function convert(call) {
  try {
    return call();
  } catch (error) {
    throw fromWasm(error);
  }
}
