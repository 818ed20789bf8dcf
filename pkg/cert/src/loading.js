import { CertError } from './error.js';

/** How a WebAssembly module is loaded, once: by the functions that its bindings have for it, or from beside this package's modules. */
export function loading(load, loadSync, url) {
  let loaded = false;
  return {
    async init(source) {
      if (!loaded) {
        await load({ module_or_path: source ?? url() });
        loaded = true;
      }
    },
    initSync(module) {
      if (!loaded) {
        loadSync({ module });
        loaded = true;
      }
    },
    ready() {
      if (!loaded) {
        throw new CertError('not-initialized', 'the WebAssembly is not loaded: call `await init()` first');
      }
    },
  };
}
