/**
 * An error of this library. It has a stable `code` and the `path` of the value that caused it. If a callback threw or rejected,
 * `cause` is the reason.
 */
export class CertError extends Error {
  constructor(code, message, path = [], options) {
    super(message, options);
    this.code = code;
    this.path = path;
  }

  /** Makes `instanceof` accept errors of every entry, because in CommonJS each entry has its own copy of this class. */
  static [Symbol.hasInstance](value) {
    return value instanceof Error && value.name === 'CertError';
  }
}

// The name is on the prototype, as in JavaScript's built-in errors.
Object.defineProperty(CertError.prototype, 'name', {
  value: 'CertError',
  configurable: true,
  writable: true,
});

/** The maximum length of a path in a message, in characters: the path of a cyclic value has hundreds of steps. */
const SHOWN = 100;

/** Returns an error with the path in its message. */
export function failure(code, message, path) {
  const steps = path.map((step, at) => (typeof step === 'number' ? `[${step}]` : (at > 0 ? '.' : '') + step));
  const text = [...steps.join('')];
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN).join('')}…` : text.join('');
  return new CertError(code, path.length > 0 ? `${message} (at \`${shown}\`)` : message, path);
}
