// For workerd: the WebAssembly comes compiled, as a module of its own.
import module from '../dist/validate_bg.wasm';
import { initSync } from './init.js';

initSync(module);

export { CertError, Validator, init, validate } from './init.js';
