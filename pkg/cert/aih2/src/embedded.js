// The entry for Node and every host without an entry of its own. The WebAssembly is part of a module, so bundlers cannot lose it. It is compiled
// at its first use, and no `init` is needed. See docs/decisions/0014-loading.md.
import wasm from '../dist/embedded.js';
import { embed, load } from './core.js';
import { fromBase64 } from '../../src/bytes.js';

export { Cert, CertError, generateKey, shownWhole } from './core.js';

const bytes = () => fromBase64(wasm);
embed(bytes);

export const init = (source) => load(source, bytes);
