// The entry for all hosts. It has no side effects. `await init()` loads the package's own WebAssembly file, and `await init(source)` loads another
// source. `initSync(module)` takes bytes or a compiled module.
// This file exports each name explicitly: with `export *`, webpack 5.112 does not find names that are imported but unused.
import * as bindings from '../dist/aih2_bg.js';
import { holding } from '../../src/holding.js';
import { loading } from '../../src/loading.js';

export const { init, initSync } = loading({
  bindings,
  exports: ['cert_new'],
  imports: { './aih2_bg.js': bindings },
  url: () => new URL('../dist/aih2_bg.wasm', import.meta.url),
});
// Not re-exported from the bindings: a bundler would then drop this module, and with it the `not-initialized` error.
export const Cert = holding('Cert', bindings.Cert);
export { CertError } from '../../src/error.js';

export const generateKey = () => crypto.getRandomValues(new Uint8Array(32));
