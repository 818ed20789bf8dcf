// The entry for edge functions such as Next.js's. They import WebAssembly as a compiled module, by this query.
import module from '../dist/aih2_bg.wasm?module';
import { initSync, load } from './core.js';

initSync(module);

export { Cert, CertError, generateKey, shownWhole } from './core.js';

export const init = (source) => load(source, () => module);
