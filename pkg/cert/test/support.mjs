import { readFileSync } from 'node:fs';

/** The cases of a file of certification vectors. */
export function cases(file) {
  const url = new URL(`../../../tests/vectors/cert/${file}`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')).cases;
}

/** A list of proofs by path, since their order carries no meaning. */
export function byPath(proofs) {
  return new Map(proofs.map((proof) => [JSON.stringify(proof.path), proof]));
}
