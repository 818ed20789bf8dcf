import { answer } from './callbacks.js';
import { call, certifierOf } from './core.js';
import { CertError } from './error.js';
import { encoder, pack } from './pack.js';
import { pathsOf, proofsOf, questionsOf, reportOf, resultOf, textOf } from './results.js';
import { sorted } from './sorted.js';

export class Cert {
  #schema;
  #certifier;
  #hasher;
  #noncer;

  constructor(options) {
    const { schema, hasher, noncer, strict } = known(options, ['schema', 'hasher', 'noncer', 'strict']);
    if (schema === undefined) {
      throw wrong('the option `schema` is required');
    }
    if (hasher !== undefined && typeof hasher !== 'function') {
      throw wrong('the option `hasher` has to be a function');
    }
    const key = keyOf(typeof noncer === 'function' ? undefined : noncer);
    this.#hasher = hasher;
    this.#noncer = typeof noncer === 'function' ? noncer : undefined;
    this.#certifier = certifierOf();
    const packed = pack(key ? [schema, key.assetId] : [schema]);
    call(this.#certifier, resultOf, 'compile', packed, flag('strict', strict), key?.secret);
    this.#schema = JSON.stringify(schema);
  }

  identify(options) {
    return identifyText(this.#schema, options);
  }

  async imprint(data) {
    return this.#run('imprint', textOf, pack([data]));
  }

  async notarize(data) {
    return this.#run('notarize', proofsOf, pack([data]));
  }

  async disclose(data, paths) {
    return this.#run('disclose', proofsOf, pack([data], undefined, paths ?? null));
  }

  expose(data, paths) {
    return JSON.parse(call(this.#certifier, textOf, 'expose', pack([data], undefined, paths ?? null)));
  }

  uncovered(data) {
    return call(this.#certifier, pathsOf, 'uncovered', pack([data]));
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
    return this.#run('calculate', (bytes) => textOf(bytes) || null, packed);
  }

  async verify(data, proofs, imprint) {
    if (typeof imprint !== 'string') {
      throw wrong('the imprint to verify against has to be a string');
    }
    return this.#run('verify', reportOf, pack([data, imprint], proofs ?? null));
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
    const { sorted: isSorted } = known(options, ['sorted']);
    const given = flag('sorted', isSorted) ? JSON.stringify(sorted(JSON.parse(text))) : text;
    return call(certifier, textOf, 'identify', pack([given]));
  } finally {
    certifier.free();
  }
}

function wrong(message) {
  return new CertError('option-invalid', message);
}

/** Refuses what is no option: a misspelt one would quietly leave nonces public, and `identify(true)` ask for another id. */
function known(options, names) {
  if (typeof (options ?? {}) !== 'object') {
    throw wrong(`options have to be an object with ${names.join(', ')}, not a ${typeof options}`);
  }
  const other = Object.keys(options ?? {}).find((name) => !names.includes(name));
  if (other !== undefined) {
    throw wrong(`there is no option \`${other}\`, only ${names.join(', ')}`);
  }
  return options ?? {};
}

function flag(name, value = false) {
  if (typeof value !== 'boolean') {
    throw wrong(`the option \`${name}\` has to be true or false`);
  }
  return value;
}

/** Returns the key of the nonces, if there is one: the secret's bytes, and the id of the asset to derive a secret for, or null. */
function keyOf(noncer) {
  if (noncer === undefined) {
    return undefined;
  }
  if (typeof noncer !== 'object' || noncer === null) {
    throw wrong('the option `noncer` has to be a function or `{ secret }`');
  }
  const { secret, assetId } = known(noncer, ['secret', 'assetId']);
  if (assetId !== undefined && typeof assetId !== 'string') {
    throw wrong('the option `assetId` has to be a string');
  }
  return { secret: bytesOf(secret), assetId: assetId ?? null };
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
  throw wrong('the option `secret` has to be bytes or a string');
}
