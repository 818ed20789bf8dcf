// For every host, without side effects: `await init()` loads the WebAssembly from beside this module,
// `init(source)` from another source, `initSync(module)` from bytes or a module that is there already.
// Each name is exported here itself: with `export *`, webpack 5.112 does not find what is imported and not used.
import * as bindings from '../dist/validate_bg.js';
import { holding } from '../../src/holding.js';
import { loading } from '../../src/loading.js';

export const { init, initSync } = loading({
  bindings,
  exports: ['validator_new', 'validate'],
  imports: { './validate_bg.js': bindings },
  url: () => new URL('../dist/validate_bg.wasm', import.meta.url),
});
// Not from the bindings themselves: a bundler would leave this module out, and with it the error of those who do not load it.
export const Validator = holding('Validator', bindings.Validator);
export const { validate } = bindings;
export { CertError } from '../../src/error.js';
