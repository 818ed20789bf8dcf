import { answer } from './callbacks.js';
import { core } from './core.js';
import { CertError, convert } from './error.js';
import { toJson } from './json.js';

export { CertError } from './error.js';
export { init } from './core.js';

export class Cert {
  #schema;
  #certifier;
  #hasher;
  #noncer;

  constructor(options) {
    const { schema, hasher, noncer } = known(options ?? {}, ['schema', 'hasher', 'noncer']);
    if (schema === undefined) {
      throw new CertError('option-invalid', 'the option `schema` is required');
    }
    if (hasher !== undefined && typeof hasher !== 'function') {
      throw new CertError('option-invalid', 'the option `hasher` has to be a function');
    }
    const { secret, assetId } = typeof noncer === 'function' ? {} : keyOf(noncer);
    this.#hasher = hasher;
    this.#noncer = typeof noncer === 'function' ? noncer : undefined;
    this.#schema = toJson(schema);
    this.#certifier = convert(() => new (core().Certifier)(this.#schema, secret, assetId));
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

/** Refuses what is no option: a misspelt one would quietly leave nonces public. */
function known(options, names) {
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined) {
    throw new CertError('option-invalid', `there is no option \`${other}\`, only ${names.join(', ')}`);
  }
  return options;
}

/** The secret of a keyed noncer and the asset it is for; neither where there is no noncer. */
function keyOf(noncer) {
  if (noncer === undefined) {
    return {};
  }
  if (typeof noncer !== 'object' || noncer === null) {
    throw new CertError('option-invalid', 'the option `noncer` has to be a function or `{ secret }`');
  }
  const { secret, assetId } = known(noncer, ['secret', 'assetId']);
  if (assetId !== undefined && typeof assetId !== 'string') {
    throw new CertError('option-invalid', 'the option `assetId` has to be a string');
  }
  return { secret: bytesOf(secret), assetId };
}

function bytesOf(secret) {
  if (typeof secret === 'string') {
    return new TextEncoder().encode(secret);
  }
  if (secret instanceof ArrayBuffer) {
    return new Uint8Array(secret);
  }
  if (ArrayBuffer.isView(secret)) {
    return new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength);
  }
  throw new CertError('option-invalid', 'the option `secret` has to be bytes or a string');
}
