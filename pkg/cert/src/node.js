// The entry for Node. It reads the WebAssembly from disk when the module is loaded.
import { readFileSync } from 'node:fs';
import { initSync } from './init.js';

initSync(readFileSync(new URL('../dist/cert_bg.wasm', import.meta.url)));

export { Cert, CertError, identify, init } from './init.js';
