// For development servers. Vite's, up to version 7, joins the modules of a package before it serves them, and the WebAssembly that lies
// beside them is lost on the way: here it comes in a module.
import embedded from '../dist/embedded.js';
import { init as load } from './init.js';

export { Cert, CertError, generateKey, initSync } from './init.js';

export const init = (source) => load(source ?? embedded);
