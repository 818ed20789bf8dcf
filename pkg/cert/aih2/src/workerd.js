// The entry for workerd, which provides the WebAssembly as a compiled module.
import module from '../dist/aih2_bg.wasm';
import { initSync } from './init.js';

initSync(module);

export { Cert, CertError, generateKey, init } from './init.js';
