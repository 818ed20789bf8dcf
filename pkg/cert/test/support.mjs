import { readFileSync } from 'node:fs';

/** Reads the cases of a file of certification vectors. */
export function cases(file) {
  const url = new URL(`../../../tests/vectors/cert/${file}`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')).cases;
}

/** Returns proofs by path, because their order has no meaning. */
export function byPath(proofs) {
  return new Map(proofs.map((proof) => [JSON.stringify(proof.path), proof]));
}

/** Returns a generator of numbers below a bound (mulberry32). The same seed gives the same numbers. */
export function randomly(seed) {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  };
}
