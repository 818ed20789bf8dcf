// The classes and functions of the entry, without a way to load the WebAssembly: the other modules of this folder add one for each kind of host.
// Each name is exported explicitly: with `export *`, webpack 5.112 does not find names that are imported but unused.
import * as bindings from '../dist/validate_bg.js';
import { holding } from '../dist/shared/holding.js';
import { loading } from '../dist/shared/loading.js';

export const { embed, initSync, load } = loading({
  bindings,
  exports: ['validator_new', 'validate'],
  imports: { './validate_bg.js': bindings },
});
// Not re-exported from the bindings: a bundler would then drop this module, and with it the `not-initialized` error.
export const Validator = holding('Validator', bindings.Validator);
export const { validate } = bindings;
export { CertError } from '../dist/shared/error.js';
