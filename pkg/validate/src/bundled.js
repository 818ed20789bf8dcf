// The entry for bundlers of pages that have no condition of their own. Vite sets `import.meta.env`, and copies the file that `new URL` names.
// Rollup and Parcel do not set it. They get the WebAssembly as a module, which is loaded by `init`.
import { load } from './core.js';
import { fromBase64 } from '../dist/shared/bytes.js';

export { CertError, Validator, validate } from './core.js';

const find = import.meta.env
  ? () => new URL('../dist/validate_bg.wasm', import.meta.url)
  : () => import('../dist/embedded.js').then(({ default: wasm }) => fromBase64(wasm));

export const init = (source) => load(source, find);
