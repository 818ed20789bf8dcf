import { CertError } from './error.js';

/**
 * The address at which convention 87, the schema of evidence, is published. `@0xcert/cert` writes it into every evidence object, and
 * readers of such files expect it.
 */
const SCHEMA = 'https://conventions.0xcert.org/87-asset-evidence.json';

export function evidence(proofs, options) {
  // Own properties only.
  const { $schema = SCHEMA } = /** @type {{ $schema?: string }} */ ({ __proto__: null, ...options });
  if (!Array.isArray(proofs)) {
    throw new CertError('option-invalid', '`proofs` has to be the list that `disclose` or `notarize` promises');
  }
  return { $schema, data: proofs };
}
