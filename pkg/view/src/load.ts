// Loads the WebAssembly of the certification library, each part when it is first needed. Does not use the DOM.
import { init as initAih1 } from '/cert/src/init.js';
import { init as initAih2 } from '/cert/aih2/src/init.js';
import { init as initVerifier } from '/cert/verify/src/init.js';
import { Refusal } from './json.ts';

/** `AIH-1` certifies and verifies, `AIH-2` certifies, `verifier` verifies by AIH-2. */
const PARTS = { 'AIH-1': initAih1, 'AIH-2': initAih2, verifier: initVerifier };

export type Part = keyof typeof PARTS;

/** Loads parts of the library. Each part is loaded only once. */
export async function load(...parts: Part[]) {
  try {
    await Promise.all(parts.map((part) => PARTS[part]()));
  } catch {
    throw new Refusal('The certification library could not be loaded. Reload the page, in a browser that runs WebAssembly.', 'refusal.library');
  }
}
