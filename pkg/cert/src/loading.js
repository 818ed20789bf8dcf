import { CertError } from './error.js';

/**
 * Loads a WebAssembly module, once, for the bindings that wasm-bindgen wrote. `imports` are its imports, `exports` names the functions
 * that the bindings call, and `url` gives its address where the caller names none.
 */
export function loading({ bindings, imports, exports, url }) {
  let loaded = false;
  let pending;

  function missing() {
    throw new CertError('not-initialized', 'the WebAssembly is not loaded: call `await init()` first');
  }
  bindings.__wbg_set_wasm(Object.fromEntries(exports.map((name) => [name, missing])));

  /** The first instance is used for good: objects that live already have handles into its memory. */
  function use({ exports }) {
    if (!loaded) {
      bindings.__wbg_set_wasm(exports);
      exports.__wbindgen_start();
      loaded = true;
    }
  }

  return {
    /** Concurrent callers get the same promise; a failure is forgotten, so that the next call loads anew. */
    async init(source) {
      if (!loaded) {
        pending ??= instantiate(source ?? url(), imports)
          .then(use)
          .finally(() => (pending = undefined));
        await pending;
      }
    },

    initSync(module) {
      if (!loaded) {
        use(new WebAssembly.Instance(module instanceof WebAssembly.Module ? module : new WebAssembly.Module(module), imports));
      }
    },
  };
}

/** An instance, made from an address, a request or a response, from bytes or a compiled module, or from a promise of one of them. */
async function instantiate(source, imports) {
  let from = await source;
  const is = (name) => typeof globalThis[name] === 'function' && from instanceof globalThis[name];
  if (typeof from === 'string' || is('URL') || is('Request')) {
    from = await fetch(from);
  }
  if (is('Response')) {
    const { headers, ok, status, url } = from;
    const unusable = (why) => new Error(`the WebAssembly is not loaded: ${url} ${why}`);
    if (!ok) {
      throw unusable(`answers ${status}`);
    }
    // Streaming compilation requires the media type application/wasm; other responses are compiled from their bytes.
    if (/^application\/wasm$/i.test(headers.get('content-type'))) {
      return (await WebAssembly.instantiateStreaming(from, imports)).instance;
    }
    from = await from.arrayBuffer();
    // Web servers often answer a missing file with an HTML page.
    if (new Uint8Array(from)[0] !== 0) {
      throw unusable('is something else');
    }
  }
  const made = await WebAssembly.instantiate(from, imports);
  return made.instance ?? made;
}
