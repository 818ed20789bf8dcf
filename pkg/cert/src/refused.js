import { CertError } from './error.js';

/** Returns the AIH-2 report on a document or evidence that is not JSON. Rethrows other errors, such as errors of a getter. */
export function refused(error) {
  if (!(error instanceof CertError)) {
    throw error;
  }
  const { code, path } = error;
  return { valid: false, imprint: null, errors: [{ code, path }], entries: [], absent: [], objects: [], lists: [], shown: [], document: null };
}
