// The entry for Node. It reads the WebAssembly from disk when the module is loaded.
import { readFileSync } from 'node:fs';
import { initSync } from './init.js';

initSync(readFileSync(new URL('../dist/aih2_bg.wasm', import.meta.url)));

export { Cert, CertError, generateKey, init } from './init.js';
