// Names the types of parsed JSON for the certification library. The library examines every document, schema and evidence itself, and refuses wrong
// ones with a code. Its types describe correct ones, so these functions cast.
import type { Evidence, Proof } from '/cert/src/init.js';
import type { Evidence as Aih2Evidence } from '/cert/verify/src/init.js';
import type { JsonObject } from './json.ts';

/** Returns a document or a schema. */
export const dataOf = (value: unknown) => value as JsonObject;

/** Returns evidence of AIH-1. */
export const proofsOf = (value: unknown) => value as readonly Proof[] | Evidence;

/** Returns evidence of AIH-2. */
export const evidenceOf = (value: unknown) => value as Aih2Evidence;
