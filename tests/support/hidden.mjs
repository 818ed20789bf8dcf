// Tries to guess the values that published evidence of AIH-2 hides.
import assert from "node:assert/strict";
import { Cert, generateKey } from "@assay/cert/aih2";

/** Returns all parts of a proof that have the length of a key or hash. */
function pieces(proof) {
  const bytes = Buffer.from(proof, "base64url");
  return Array.from({ length: bytes.length - 31 }, (_, at) => bytes.subarray(at, at + 32).toString("hex"));
}

/** Asserts that evidence opens only these properties, and shares no hash with the right document under another key. */
export async function assertHidden({ schema, document, evidence: { proof, values } }, open) {
  const paths = values.map(([path]) => path);
  assert.deepEqual(paths.map(String).toSorted(), open);
  const guess = await new Cert({ schema, key: generateKey() }).disclose(document, paths);
  assert.equal(guess.proof.length, proof.length);
  const published = new Set(pieces(proof));
  assert.ok(published.size > 32);
  assert.deepEqual(
    pieces(guess.proof).filter((piece) => published.has(piece)),
    [],
  );
}
