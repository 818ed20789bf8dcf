/**
 * The error of a certification: a stable `code`, the `path` it concerns and, where a callback
 * failed, the value that it threw as `cause`.
 */
export class CertError extends Error {
  constructor(code, message, path = [], options) {
    super(message, options);
    this.code = code;
    this.path = path;
  }

  /** In CommonJS each entry has a copy of this class: an error of one is an instance of the others too. */
  static [Symbol.hasInstance](value) {
    return value instanceof Error && value.name === 'CertError';
  }
}

// On the prototype, as for the language's own errors.
Object.defineProperty(CertError.prototype, 'name', {
  value: 'CertError',
  configurable: true,
  writable: true,
});

/** Characters of a path in a message: a cyclic value has hundreds of steps. */
const SHOWN = 100;

/** An error whose message names the path. */
export function failure(code, message, path) {
  const steps = path.map((step, at) => (typeof step === 'number' ? `[${step}]` : (at > 0 ? '.' : '') + step));
  const text = [...steps.join('')];
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN).join('')}…` : text.join('');
  return new CertError(code, path.length > 0 ? `${message} (at \`${shown}\`)` : message, path);
}
