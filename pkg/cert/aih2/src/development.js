// The entry for development servers. Vite up to version 7 joins a package's modules before it serves them, and does not serve the WebAssembly
// file. This entry therefore contains the WebAssembly in a module. Like the entries for production, it requires `init`.
import wasm from '../dist/embedded.js';
import { load } from './core.js';
import { fromBase64 } from '../../src/bytes.js';

export { Cert, CertError, generateKey, initSync, shownWhole } from './core.js';

export const init = (source) => load(source, () => fromBase64(wasm));
