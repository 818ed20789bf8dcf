// TextEncoder and TextDecoder. jsdom has neither. In Jest's jsdom, the ones of Node can be reached by `process`.

/** Takes the place of a class that the host does not have, so that only its use fails and not the import of the package. */
class Missing {
  encodeInto() {
    throw new Error('this host has no `TextEncoder` and `TextDecoder`: set both as global variables first');
  }
  encode = this.encodeInto;
  /** wasm-bindgen calls `decode` without bytes while its module is evaluated. */
  decode(bytes) {
    return bytes ? this.encodeInto() : '';
  }
}

const find = (name) => globalThis[name] ?? globalThis.process?.getBuiltinModule?.('node:util')[name] ?? Missing;
const [Encoder, Decoder] = [find('TextEncoder'), find('TextDecoder')];
export { Encoder as TextEncoder, Decoder as TextDecoder };
