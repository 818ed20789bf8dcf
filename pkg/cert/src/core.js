import * as bindings from '../dist/cert_bg.js';
import { loading } from './loading.js';

let memory;

export const { init, initSync, ready } = loading({
  imports: { './cert_bg.js': bindings },
  url: () => new URL('../dist/cert_bg.wasm', import.meta.url),
  start(exports) {
    memory = exports.memory;
    bindings.__wbg_set_wasm(exports);
    exports.__wbindgen_start();
  },
});

/** A new certifier: cert-wasm says what it does. It is freed when nothing refers to it any more, or by its `free`. */
export function certifierOf() {
  ready();
  return new bindings.Certifier();
}

/**
 * Lets a certifier run an operation, by its name in cert-wasm, on what is packed, and reads the result in place. `option` is what
 * the operation takes besides, and `more` the bytes that follow what is packed.
 */
export function call(certifier, read, operation, packed, option, more) {
  const length = packed.length;
  const extra = more?.length ?? 0;
  const room = roomOf(certifier, length + extra);
  room.set(packed);
  if (more) {
    room.set(more, length);
  }
  const size = certifier[operation](option, extra);
  try {
    return read(roomOf(certifier, size));
  } finally {
    roomOf(certifier, 0);
  }
}

/** A view of a certifier's bytes, valid until the WebAssembly runs again or makes room: its memory may then get another buffer. */
function roomOf(certifier, length) {
  const address = certifier.room(length);
  return new Uint8Array(memory.buffer, address, length);
}
