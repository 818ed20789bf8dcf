// For Node: the WebAssembly is read from disk when the module is loaded.
import { readFileSync } from 'node:fs';
import { initSync } from './core.js';

initSync(readFileSync(new URL('../dist/cert_bg.wasm', import.meta.url)));

export { Cert, identify } from './api.js';
export { init } from './core.js';
export { CertError } from './error.js';
