import { loading } from './loading.js';

/**
 * What the WebAssembly imports. Numbers are all that crosses, so that of wasm-bindgen's own bindings two functions would be used: one
 * prepares references to JavaScript's values, of which there are none; the other throws where the module has a fault.
 */
const imports = { './cert_bg.js': new Proxy({}, { get: (_, name) => (/throw/.test(name) ? fail : () => {}) }) };

/** The operation that makes room. */
const ROOM = 8;

/** Frees what belongs to an object that is gone, where the host says so. */
const registry = globalThis.FinalizationRegistry && new FinalizationRegistry(free);

let pending;
let running;

const url = () => new URL('../dist/cert_bg.wasm', import.meta.url);

export const { init, initSync, ready } = loading(load, loadSync, url);

/** The address of a new certifier (cert-wasm says what it does), which is freed when its owner is gone, or by `free`. */
export function certifierOf(owner) {
  ready();
  const certifier = running.certifier_new();
  if (owner) {
    registry?.register(owner, certifier);
  }
  return certifier;
}

export function free(certifier) {
  running.__wbg_certifier_free(certifier, 1);
}

/** Lets a certifier run an operation on what is packed, and reads the result in place. */
export function call(certifier, read, operation, packed, callers, answers) {
  const length = packed.length;
  const more = answers?.length ?? 0;
  const room = roomOf(certifier, length + more);
  room.set(packed);
  if (answers) {
    room.set(answers, length);
  }
  const size = running.certifier_run(certifier, operation, callers, more);
  try {
    return read(roomOf(certifier, size));
  } finally {
    roomOf(certifier, 0);
  }
}

/** So many bytes of a certifier: until the WebAssembly runs again, when it may get another memory. */
function roomOf(certifier, length) {
  const address = running.certifier_run(certifier, ROOM, 0, length);
  return new Uint8Array(running.memory.buffer, address >>> 0, length);
}

function fail() {
  throw new Error('the WebAssembly failed');
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
    if (/^application\/wasm$/i.test(from.headers.get('content-type'))) {
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
    running = exports;
    exports.__wbindgen_start();
  }
}
