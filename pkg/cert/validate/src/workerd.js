// For workerd: the WebAssembly comes compiled, as a module of its own.
import module from '../dist/validate_bg.wasm';
import { initSync } from './core.js';

initSync(module);

export * from './api.js';
