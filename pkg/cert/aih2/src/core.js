// The classes and functions of the entry, without a way to load the WebAssembly: the other modules of this folder add one for each kind of host.
// Each name is exported explicitly: with `export *`, webpack 5.112 does not find names that are imported but unused.
import * as bindings from '../dist/aih2_bg.js';
import { holding } from '../../src/holding.js';
import { loading } from '../../src/loading.js';

export const { embed, initSync, load } = loading({
  bindings,
  exports: ['cert_new', 'shownWhole'],
  imports: { './aih2_bg.js': bindings },
});
// Not re-exported from the bindings: a bundler would then drop this module, and with it the `not-initialized` error.
export const Cert = holding('Cert', bindings.Cert);
export const { shownWhole } = bindings;
export { CertError } from '../../src/error.js';

export const generateKey = () => crypto.getRandomValues(new Uint8Array(32));
