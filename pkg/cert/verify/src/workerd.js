// The entry for workerd, which provides the WebAssembly as a compiled module.
import module from '../dist/verify_bg.wasm';
import { initSync } from './init.js';

initSync(module);

export { Cert, CertError, init } from './init.js';
