import { answer } from './callbacks.js';
import { call, certifierOf, free } from './core.js';
import { CertError } from './error.js';
import { encoder, pack } from './pack.js';
import { proofsOf, questionsOf, reportOf, resultOf, textOf } from './results.js';
import { sorted } from './sorted.js';

export { CertError } from './error.js';
export { init } from './core.js';

// The operations by their numbers in cert-wasm.
const IMPRINT = 0;
const NOTARIZE = 1;
const DISCLOSE = 2;
const CALCULATE = 3;
const VERIFY = 4;
const EXPOSE = 5;
const COMPILE = 6;
const IDENTIFY = 7;

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
    const key = keyOf(typeof noncer === 'function' ? undefined : noncer);
    this.#hasher = hasher;
    this.#noncer = typeof noncer === 'function' ? noncer : undefined;
    this.#certifier = certifierOf(this);
    const packed = pack(key ? [schema, ...key] : [schema]);
    try {
      call(this.#certifier, resultOf, COMPILE, packed);
    } finally {
      if (key) {
        // What is packed next may be shorter than a secret.
        packed.fill(0);
      }
    }
    this.#schema = JSON.stringify(schema);
  }

  identify(options) {
    return identifyText(this.#schema, options);
  }

  async imprint(data) {
    return this.#run(IMPRINT, textOf, pack([data]));
  }

  async notarize(data) {
    return this.#run(NOTARIZE, proofsOf, pack([data]));
  }

  async disclose(data, paths) {
    return this.#run(DISCLOSE, proofsOf, pack([data], undefined, paths ?? null));
  }

  expose(data, paths) {
    return JSON.parse(call(this.#certifier, textOf, EXPOSE, pack([data], undefined, paths ?? null)));
  }

  async calculate(data, proofs) {
    let packed;
    try {
      packed = pack([data], proofs ?? null);
    } catch (error) {
      // What is no JSON has no imprint; that is no error of who asks.
      if (error instanceof CertError) {
        return null;
      }
      throw error;
    }
    return this.#run(CALCULATE, (bytes) => textOf(bytes) || null, packed);
  }

  async verify(data, proofs, imprint) {
    if (typeof imprint !== 'string') {
      throw new CertError('option-invalid', 'the imprint to verify against has to be a string');
    }
    return this.#run(VERIFY, reportOf, pack([data, imprint], proofs ?? null));
  }

  /** Runs an operation: at once, unless there are callbacks to wait for. */
  #run(operation, read, packed) {
    const [hasher, noncer] = [this.#hasher, this.#noncer];
    if (!hasher && !noncer) {
      return call(this.#certifier, read, operation, packed);
    }
    // What is packed meanwhile takes the same place.
    const task = [operation, packed.slice(), (hasher ? 1 : 0) + (noncer ? 2 : 0)];
    const questions = call(this.#certifier, questionsOf, ...task);
    // Whoever waits for the answers keeps the certifier, too.
    return answer(questions, hasher, noncer).then((answers) => call(this.#certifier, read, ...task, pack(answers)));
  }
}

export function identify(schema, options) {
  // What is no JSON is refused.
  pack([schema]);
  return identifyText(JSON.stringify(schema), options);
}

function identifyText(text, options) {
  const certifier = certifierOf();
  try {
    const given = known(options ?? {}, ['sorted']).sorted ? JSON.stringify(sorted(JSON.parse(text))) : text;
    return call(certifier, textOf, IDENTIFY, pack([given]));
  } finally {
    free(certifier);
  }
}

/** Refuses what is no option: a misspelt one would quietly leave nonces public. */
function known(options, names) {
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined) {
    throw new CertError('option-invalid', `there is no option \`${other}\`, only ${names.join(', ')}`);
  }
  return options;
}

/** What keys the nonces, if anything does, as cert-wasm takes it: a secret, of whose bytes each is a character, and an asset's id. */
function keyOf(noncer) {
  if (noncer === undefined) {
    return undefined;
  }
  if (typeof noncer !== 'object' || noncer === null) {
    throw new CertError('option-invalid', 'the option `noncer` has to be a function or `{ secret }`');
  }
  const { secret, assetId } = known(noncer, ['secret', 'assetId']);
  if (assetId !== undefined && typeof assetId !== 'string') {
    throw new CertError('option-invalid', 'the option `assetId` has to be a string');
  }
  return [Array.from(bytesOf(secret), (byte) => String.fromCharCode(byte)).join(''), assetId ?? null];
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
