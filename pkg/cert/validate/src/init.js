// For every host, without side effects: `await init()` loads the WebAssembly from beside this module,
// `init(source)` from where else it is, `initSync(module)` from what is already there.
export * from './api.js';
export { initSync } from './core.js';
