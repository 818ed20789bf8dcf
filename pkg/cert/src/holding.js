import { CertError } from './error.js';
import { wrong } from './options.js';

/** The methods that give promises, of all classes. They fail by rejecting. */
const PROMISING = ['imprint', 'notarize', 'disclose', 'reduce', 'calculate', 'verify'];

/**
 * Gives a class whose instances each hold one of `Inner`, a class that wasm-bindgen wrote. An instance of `Inner` has the address of its
 * memory as a property, and its methods take any address. Here the address is out of reach, so that no method runs on a freed, copied or
 * foreign object.
 */
export function holding(name, Inner) {
  /** The inner instance of each, or `null` once it is freed. */
  const instances = new WeakMap();

  function inside(outer) {
    const inner = instances.get(outer);
    if (inner) {
      return inner;
    }
    throw inner === null
      ? new CertError('cert-freed', `this \`${name}\` was freed: make another one`)
      : wrong(`a method was called on an object that is no \`${name}\` of this entry`);
  }

  class Outer {
    constructor(options) {
      instances.set(this, new Inner(options));
    }

    free() {
      if (instances.get(this) !== null) {
        inside(this).free();
        instances.set(this, null);
      }
    }
  }

  const define = (key, value) => Object.defineProperty(Outer.prototype, key, { value, configurable: true, writable: true });
  Object.defineProperty(Outer, 'name', { value: name });
  for (const key of Object.getOwnPropertyNames(Inner.prototype)) {
    if (!Object.hasOwn(Outer.prototype, key) && !key.startsWith('__')) {
      const methods = PROMISING.includes(key)
        ? {
            async [key](...parameters) {
              return inside(this)[key](...parameters);
            },
          }
        : {
            [key](...parameters) {
              return inside(this)[key](...parameters);
            },
          };
      define(key, methods[key]);
    }
  }
  if (Symbol.dispose) {
    define(Symbol.dispose, Outer.prototype.free);
  }
  return Outer;
}
