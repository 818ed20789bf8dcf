// The entry for workerd, which provides the WebAssembly as a compiled module.
import module from '../dist/aih2_bg.wasm';
import { initSync, load } from './core.js';

initSync(module);

export { Cert, CertError, generateKey, shownWhole } from './core.js';

export const init = (source) => load(source, () => module);
