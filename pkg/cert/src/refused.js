import { CertError } from './error.js';

/** The report of AIH-2 on a document or evidence that is no JSON; throws again what is another error, of a getter. */
export function refused(error) {
  if (!(error instanceof CertError)) {
    throw error;
  }
  const { code, path } = error;
  return { valid: false, imprint: null, errors: [{ code, path }], entries: [], absent: [], objects: [], lists: [], shown: [], document: null };
}
