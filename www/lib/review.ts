// The file with which a colleague looks at the certificates of a list before signing. It has all values of the certificates, and goes from one person to the other: the
// service does not get it. It proves nothing itself, because the imprints in the orders decide. Does not use the DOM.
import { Refusal, isObject, own } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';

/** The ending of the file's name. */
export const REVIEW_ENDING = '.assay-review.json';
/** The version of the file. */
const VERSION = 1;
/** The maximum size of a file, in bytes, and of its certificates: as many as a table may have. */
export const MAX_REVIEW = 100_000_000;
const MAX_CERTIFICATES = 2000;

/** A certificate to look at. `evidence` opens the whole document. */
export interface ToReview {
  readonly asset: string;
  readonly document: JsonObject;
  readonly evidence: unknown;
}

/** The certificates of a list. All are of one ledger, and have one schema. */
export interface Review {
  readonly ledger: string;
  readonly schema: JsonObject;
  readonly certificates: readonly ToReview[];
}

/** Returns the text of a file. */
export const writeReview = ({ ledger, schema, certificates }: Review): string => JSON.stringify({ assayReview: VERSION, ledger, schema, certificates });

const isCertificate = (value: unknown): value is ToReview => isObject(value) && typeof value.asset === 'string' && isObject(value.document) && 'evidence' in value;

/** Returns the content of a file. Refuses any other text with the key `review.fileWrong`. */
export function readReview(text: string): Review {
  const value = parsed(text);
  const [ledger, schema, certificates] = ['ledger', 'schema', 'certificates'].map((name) => own(value, name));
  const areFine = Array.isArray(certificates) && certificates.length <= MAX_CERTIFICATES && certificates.every(isCertificate);
  if (own(value, 'assayReview') !== VERSION || typeof ledger !== 'string' || !isObject(schema) || !areFine) {
    throw Refusal.of('review.fileWrong');
  }
  return { ledger, schema, certificates };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
