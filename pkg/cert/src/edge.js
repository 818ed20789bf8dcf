// The entry for edge functions such as Next.js's. They import WebAssembly as a compiled module, by this query.
import module from '../dist/cert_bg.wasm?module';
import { initSync, load } from './core.js';

initSync(module);

export { Cert, CertError, identify } from './core.js';

export const init = (source) => load(source, () => module);
