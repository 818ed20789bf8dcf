// The entry for workerd, which provides the WebAssembly as a compiled module.
import module from '../dist/cert_bg.wasm';
import { initSync } from './init.js';

initSync(module);

export { Cert, CertError, identify, init } from './init.js';
