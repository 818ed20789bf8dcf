// The entry for development servers. Vite up to version 7 joins a package's modules before it serves them, and does not serve
// the WebAssembly file. This entry therefore contains the WebAssembly in a module. See docs/decisions/0014-loading-in-development.md.
import embedded from '../dist/embedded.js';
import { init as load } from './init.js';

export { Cert, CertError, generateKey, initSync } from './init.js';

export const init = (source) => load(source ?? embedded);
