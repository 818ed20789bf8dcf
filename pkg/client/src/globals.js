// The build replaces these global variables in all modules of the client. jsdom has no encoders and no `crypto.subtle`. In Jest's jsdom, the
// ones of Node can be reached by `process`.
export { TextDecoder, TextEncoder } from "../../cert/src/text.js";

const own = globalThis.crypto;
const found = own?.subtle ? own : (globalThis.process?.getBuiltinModule?.("node:crypto").webcrypto ?? own);
export { found as crypto };
