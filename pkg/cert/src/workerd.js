// For workerd: the WebAssembly comes compiled, as a module of its own.
import module from '../dist/cert_bg.wasm';
import { initSync } from './core.js';

initSync(module);

export * from './api.js';
