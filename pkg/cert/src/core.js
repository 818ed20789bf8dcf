import * as bindings from '../dist/cert.js';
import { loading } from './loading.js';

/** What the WebAssembly imports, by the name that it knows its bindings by. */
const imports = { './cert_bg.js': bindings };

let pending;
let running = false;

const url = () => new URL('../dist/cert_bg.wasm', import.meta.url);

export const { init, initSync, ready } = loading(load, loadSync, url);

/** The WebAssembly's own functions, once it is there. */
export function core() {
  ready();
  return bindings;
}

/** Whoever loads it meanwhile gets the same one; after a failure it is loaded anew. */
function load({ module_or_path }) {
  pending ??= instantiate(module_or_path)
    .then(use)
    .finally(() => (pending = undefined));
  return pending;
}

/** From an address, a request or a response, from bytes or a compiled module, or from a promise of one of them. */
async function instantiate(source) {
  let from = await source;
  const is = (name) => typeof globalThis[name] === 'function' && from instanceof globalThis[name];
  if (typeof from === 'string' || is('URL') || is('Request')) {
    from = await fetch(from);
  }
  if (is('Response')) {
    if (!from.ok) {
      throw new Error(`the WebAssembly is not loaded: ${from.url} answers ${from.status}`);
    }
    // What a server calls by another name cannot be compiled while it comes in.
    if (/^application\/wasm\b/.test(from.headers.get('content-type'))) {
      return (await WebAssembly.instantiateStreaming(from, imports)).instance;
    }
    from = await from.arrayBuffer();
  }
  const made = await WebAssembly.instantiate(from, imports);
  return made.instance ?? made;
}

function loadSync({ module }) {
  use(new WebAssembly.Instance(module instanceof WebAssembly.Module ? module : new WebAssembly.Module(module), imports));
}

/** Where it was loaded at once while it was being loaded, that one stays: handles are into its memory. */
function use({ exports }) {
  if (!running) {
    running = true;
    bindings.__wbg_set_wasm(exports);
    exports.__wbindgen_start();
  }
}
