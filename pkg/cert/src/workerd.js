// For workerd: the WebAssembly comes compiled, as a module of its own.
import module from '../dist/cert_bg.wasm';
import { initSync } from './init.js';

initSync(module);

export { Cert, CertError, identify, init } from './init.js';
