// Takes the place of pkg/view/src/load.ts in a saved page, which has the verifiers inside itself.
import { init as initAih1 } from '/cert/src/init.js';
import { init as initVerifier } from '/cert/verify/src/init.js';
import { Refusal } from '../../pkg/view/src/json.ts';
import { bytesOf } from './blocks.ts';

const PARTS = { 'AIH-1': () => initAih1(bytesOf('aih-1')), verifier: () => initVerifier(bytesOf('verifier')) };

/** Loads parts of the library. Each part is loaded only once. */
export async function load(...parts: (keyof typeof PARTS)[]) {
  try {
    await Promise.all(parts.map((part) => PARTS[part]()));
  } catch {
    throw Refusal.of('refusal.library');
  }
}
