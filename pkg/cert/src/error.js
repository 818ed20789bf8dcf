/**
 * What a certification fails with: a stable `code`, the `path` it concerns and, where a callback
 * failed, what it threw as `cause`.
 */
export class CertError extends Error {
  constructor(code, message, path = [], options) {
    super(message, options);
    this.code = code;
    this.path = path;
  }
}

// On the prototype, as for the language's own errors.
Object.defineProperty(CertError.prototype, 'name', {
  value: 'CertError',
  configurable: true,
  writable: true,
});

/** The error that the WebAssembly threw as JSON text. */
export function fromWasm(thrown) {
  if (typeof thrown !== 'string') {
    return thrown;
  }
  const [code, path, message] = JSON.parse(thrown);
  return new CertError(code, message, path);
}
