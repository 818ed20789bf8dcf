// For workerd: the WebAssembly comes compiled, as a module of its own.
import module from '../dist/validate_bg.wasm';
import { initSync } from './core.js';

initSync(module);

export { Validator, validate } from './api.js';
export { init } from './core.js';
export { CertError } from '../../src/error.js';
