export * from './dist/index.js';

/** Loads the WebAssembly from bytes or a compiled module. */
export function initSync(module: ArrayBuffer | ArrayBufferView | object): void;
