// For workerd: the WebAssembly comes compiled, as a module of its own.
import module from '../dist/cert_bg.wasm';
import { initSync } from './core.js';

initSync(module);

export { Cert, identify } from './api.js';
export { init } from './core.js';
export { CertError } from './error.js';
