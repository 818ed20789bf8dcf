// TextEncoder and TextDecoder. jsdom has neither. In Jest's jsdom, the ones of Node can be reached by `process`.

/** Takes the place of a class that the host does not have, so that only its use fails and not the import of the package. */
class Missing {
  static fail() {
    throw new Error('this host has no `TextEncoder` and `TextDecoder`: set both as global variables before the package is imported');
  }
  encode = Missing.fail;
  encodeInto = Missing.fail;
  /** wasm-bindgen calls `decode` without bytes while its module is evaluated. */
  decode(bytes) {
    return bytes === undefined ? '' : Missing.fail();
  }
}

const find = (name) => globalThis[name] ?? globalThis.process?.getBuiltinModule?.('node:util')[name] ?? Missing;

const [Encoder, Decoder] = ['TextEncoder', 'TextDecoder'].map(find);
export { Encoder as TextEncoder, Decoder as TextDecoder };
