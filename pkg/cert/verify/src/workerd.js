// For workerd: the WebAssembly comes compiled, as a module of its own.
import module from '../dist/verify_bg.wasm';
import { initSync } from './init.js';

initSync(module);

export { Cert, CertError, init } from './init.js';
