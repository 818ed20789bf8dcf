// The entry for workerd, which provides the WebAssembly as a compiled module.
import module from '../dist/validate_bg.wasm';
import { initSync } from './init.js';

initSync(module);

export { CertError, Validator, init, validate } from './init.js';
