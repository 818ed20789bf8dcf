// For workerd: the WebAssembly comes compiled, as a module of its own.
import module from '../dist/aih2_bg.wasm';
import { initSync } from './init.js';

initSync(module);

export { Cert, CertError, generateKey, init } from './init.js';
