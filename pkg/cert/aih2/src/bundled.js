// The entry for bundlers of pages that have no condition of their own. Vite replaces `import.meta.env`, copies the file that `new URL` names, and
// leaves out the other module. Rollup and Parcel do not. They get the WebAssembly as a module.
import wasm from '../dist/embedded.js';
import { load } from './core.js';
import { fromBase64 } from '../../src/bytes.js';

export { Cert, CertError, generateKey, shownWhole } from './core.js';

const find = import.meta.env?.PROD ? () => new URL('../dist/aih2_bg.wasm', import.meta.url) : () => fromBase64(wasm);

export const init = (source) => load(source, find);
