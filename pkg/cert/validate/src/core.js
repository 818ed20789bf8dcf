import * as bindings from '../dist/validate_bg.js';
import { loading } from '../../src/loading.js';

export const { init, initSync, ready } = loading({
  imports: { './validate_bg.js': bindings },
  url: () => new URL('../dist/validate_bg.wasm', import.meta.url),
  start(exports) {
    bindings.__wbg_set_wasm(exports);
    exports.__wbindgen_start();
  },
});

export const { SchemaValidator } = bindings;
