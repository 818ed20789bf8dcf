import { answer } from './callbacks.js';
import { core } from './core.js';
import { CertError } from './error.js';
import { encoder, pack } from './pack.js';

export { CertError } from './error.js';
export { init } from './core.js';

// The operations by their numbers in cert-wasm.
const IMPRINT = 0;
const NOTARIZE = 1;
const DISCLOSE = 2;
const CALCULATE = 3;
const VERIFY = 4;
const EXPOSE = 5;

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
    const [nonces, secret, assetId] = keyOf(typeof noncer === 'function' ? undefined : noncer);
    this.#hasher = hasher;
    this.#noncer = typeof noncer === 'function' ? noncer : undefined;
    const [text, list] = pack(schema);
    this.#schema = [text.slice(), list.slice()];
    this.#certifier = new (core().Certifier)(text, list, nonces, secret, assetId);
    given(this.#certifier.check());
  }

  identify(options) {
    return identifyPacked(this.#schema, options);
  }

  async imprint(data) {
    return this.#run(IMPRINT, pack(data));
  }

  async notarize(data) {
    return JSON.parse(await this.#run(NOTARIZE, pack(data)));
  }

  async disclose(data, paths) {
    return JSON.parse(await this.#run(DISCLOSE, pack(data, paths)));
  }

  expose(data, paths) {
    return JSON.parse(given(this.#certifier.run(EXPOSE, ...pack(data, paths))));
  }

  async calculate(data, proofs) {
    let packed;
    try {
      packed = pack(data, proofs);
    } catch (error) {
      // What is no JSON has no imprint; that is no error of who asks.
      if (error instanceof CertError) {
        return null;
      }
      throw error;
    }
    return (await this.#run(CALCULATE, packed)) || null;
  }

  async verify(data, proofs, imprint) {
    if (typeof imprint !== 'string') {
      throw new CertError('option-invalid', 'the imprint to verify against has to be a string');
    }
    return JSON.parse(await this.#run(VERIFY, pack(data, proofs, imprint)));
  }

  /** Runs an operation: at once, unless there are callbacks to wait for. */
  #run(operation, [text, list]) {
    const [hasher, noncer] = [this.#hasher, this.#noncer];
    if (!hasher && !noncer) {
      return given(this.#certifier.run(operation, text, list));
    }
    const run = this.#certifier.start(operation, text, list, Boolean(hasher), Boolean(noncer));
    return answer(run, hasher, noncer)
      .then(() => given(run.finish()))
      .finally(() => run.free());
  }
}

export function identify(schema, options) {
  return identifyPacked(pack(schema), options);
}

function identifyPacked(packed, options) {
  const { sorted } = known(options ?? {}, ['sorted']);
  return given(core().identify(...packed, Boolean(sorted)));
}

/** What the WebAssembly gave: a text, or an error in JSON. The last character says which. */
function given(result) {
  const text = result.slice(0, -1);
  if (result.endsWith('=')) {
    return text;
  }
  const [code, path, message] = JSON.parse(text);
  throw new CertError(code, message, path);
}

/** Refuses what is no option: a misspelt one would quietly leave nonces public. */
function known(options, names) {
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined) {
    throw new CertError('option-invalid', `there is no option \`${other}\`, only ${names.join(', ')}`);
  }
  return options;
}

/** What keys the nonces, as cert-wasm takes it: nothing (0), a secret (1), or a secret for one asset (2). */
function keyOf(noncer) {
  if (noncer === undefined) {
    return [0, [], []];
  }
  if (typeof noncer !== 'object' || noncer === null) {
    throw new CertError('option-invalid', 'the option `noncer` has to be a function or `{ secret }`');
  }
  const { secret, assetId } = known(noncer, ['secret', 'assetId']);
  if (assetId !== undefined && typeof assetId !== 'string') {
    throw new CertError('option-invalid', 'the option `assetId` has to be a string');
  }
  return assetId === undefined ? [1, bytesOf(secret), []] : [2, bytesOf(secret), bytesOf(assetId)];
}

function bytesOf(secret) {
  if (typeof secret === 'string') {
    return encoder.encode(secret);
  }
  if (secret instanceof ArrayBuffer) {
    return new Uint8Array(secret);
  }
  if (ArrayBuffer.isView(secret)) {
    return new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength);
  }
  throw new CertError('option-invalid', 'the option `secret` has to be bytes or a string');
}
