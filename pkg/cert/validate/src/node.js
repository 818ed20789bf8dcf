// For Node: the WebAssembly is read from disk when the module is loaded.
import { readFileSync } from 'node:fs';
import { initSync } from './core.js';

initSync(readFileSync(new URL('../dist/validate_bg.wasm', import.meta.url)));

export { Validator, validate } from './api.js';
export { init } from './core.js';
export { CertError } from '../../src/error.js';
