// For every host, without side effects: `await init()` loads the WebAssembly from beside this module,
// `init(source)` from another source, `initSync(module)` from bytes or a module that is there already.
// Each name is exported here itself: with `export *`, webpack 5.112 does not find what is imported and not used.
import * as bindings from '../dist/cert_bg.js';
import { holding } from './holding.js';
import { loading } from './loading.js';

export const { init, initSync } = loading({
  bindings,
  exports: ['cert_new', 'identify'],
  imports: { './cert_bg.js': bindings },
  url: () => new URL('../dist/cert_bg.wasm', import.meta.url),
});
// Not from the bindings themselves: a bundler would leave this module out, and with it the error of those who do not load it.
export const Cert = holding('Cert', bindings.Cert);
export const { identify } = bindings;
export { CertError } from './error.js';
