import load, { Certifier, identify, initSync as loadSync } from '../dist/cert.js';
import { loading } from './loading.js';

const url = () => new URL('../dist/cert_bg.wasm', import.meta.url);

export const { init, initSync, ready } = loading(load, loadSync, url);

/** The WebAssembly's own functions, once it is there. */
export function core() {
  ready();
  return { Certifier, identify };
}
