// The entry for pages without a bundler, for webpack, and for hosts that pass the WebAssembly themselves. It has no side effects. `await init()`
// loads the file beside this package's modules, and `await init(source)` another source. `initSync(module)` takes bytes or a compiled module.
import { load } from './core.js';

export { Cert, CertError, generateKey, initSync, shownWhole } from './core.js';

export const init = (source) => load(source, () => new URL('../dist/aih2_bg.wasm', import.meta.url));
