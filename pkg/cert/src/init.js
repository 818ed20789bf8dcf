// For every host, without side effects: `await init()` loads the WebAssembly from beside this module,
// `init(source)` from where else it is, `initSync(module)` from what is already there.
// Each name is exported here itself: with `export *`, webpack 5.112 does not find what is imported and not used.
export { Cert, identify } from './api.js';
export { init, initSync } from './core.js';
export { CertError } from './error.js';
