import load, { Certifier, identify, initSync as loadSync } from '../dist/cert.js';
import { CertError } from './error.js';

let loaded = false;

/** The WebAssembly's own functions, once it is there. */
export function core() {
  if (!loaded) {
    throw new CertError('not-initialized', 'the WebAssembly is not loaded: call `await init()` first');
  }
  return { Certifier, identify };
}

export async function init(source) {
  if (!loaded) {
    await load({ module_or_path: source ?? new URL('../dist/cert_bg.wasm', import.meta.url) });
    loaded = true;
  }
}

export function initSync(module) {
  if (!loaded) {
    loadSync({ module });
    loaded = true;
  }
}
