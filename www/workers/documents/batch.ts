// Checks and certifies the rows of a table in a worker, by AIH-2. The worker gets the rows' private values and the secret. Does not use the DOM.
import { Cert, init } from '/cert/aih2/src/init.js';
import { Validator, init as initValidator } from '/cert/validate/src/init.js';
import type { Made } from '/lib/issuing.ts';
import { ASSET_KEYS, describes, emptyPaths, schemaStem } from '/view/issue.ts';
import { isCertError, pathText, setOwn, visible } from '/view/json.ts';
import type { JsonObject, Path } from '/view/json.ts';
import { serve } from '/lib/serve.ts';

/** The placeholder ledger and asset of a document that is only checked. */
const EXAMPLE = { ledgerId: '0x0000000000000000000000000000000000000001', assetId: '1' };

/** A certified row, as the task `certify` returns it. `whole` is the holder's evidence. */
export interface CertifiedRow extends Made {
  imprint: string;
  document: JsonObject;
  whole: unknown;
}

/** The input of the task `certify`. */
export interface RowToCertify {
  schema: JsonObject;
  secret: Uint8Array;
  paths: readonly Path[];
  document: JsonObject;
  ledgerId: string;
  assetId: string;
}

/** Documents to check, with their schema and the paths that will be shown. */
interface RowsToCheck {
  schema: JsonObject;
  paths: readonly Path[];
  rows: readonly { row: number; document: JsonObject }[];
}

/** A problem of a row. The message is English. */
export interface RowProblem {
  row: number;
  path: Path;
  message: string;
}

export type Tasks = typeof TASKS;

const TASKS = {
  /** Returns the id of a schema. */
  async identify({ schema }: { schema: JsonObject }) {
    return certOf({ schema }).identify();
  },

  /**
   * Checks documents `{ row, document }` against their schema, and that `paths` can be shown of each. Returns all problems. The
   * messages come from the library.
   */
  async check({ schema, paths, rows }: RowsToCheck): Promise<RowProblem[]> {
    await initValidator();
    const cert = certOf({ schema });
    const validator = new Validator(schema);
    const problems: RowProblem[] = [];
    for (const { row, document } of rows) {
      for (const { path, message } of await problemsOf(cert, validator, complete(schema, document, EXAMPLE), paths)) {
        problems.push({ row, path, message: visible(message) });
      }
    }
    return problems;
  },

  /**
   * Certifies a row. Its key is derived from the secret and the asset. Returns the imprint, the document, the holder's evidence of all of it, and
   * the public files as the task `certify` of one.ts does, without addresses.
   */
  async certify({ schema, secret, paths, document: given, ledgerId, assetId }: RowToCertify): Promise<CertifiedRow> {
    const cert = certOf({ schema, secret, assetId });
    const document = complete(schema, given, { ledgerId, assetId });
    const disclosed: Path[] = [...ASSET_KEYS.map((key) => [key]), ...paths];
    const text = (value: unknown) => ({ whole: JSON.stringify(value, null, 2) });
    return {
      imprint: (await cert.imprint(document)).replace(/^aih2:/, ''),
      document,
      whole: await cert.notarize(document),
      files: { schema: schemaStem(schema, cert.identify()) },
      schema: text(schema).whole,
      metadata: text(cert.expose(document, disclosed)),
      evidence: text(await cert.disclose(document, [...disclosed, ...emptyPaths(schema, document, disclosed)])),
    };
  },
};

async function problemsOf(cert: Cert, validator: Validator, document: JsonObject, paths: readonly Path[]): Promise<{ path: Path; message: string }[]> {
  const unknown = cert.uncovered(document);
  if (unknown.length > 0) {
    return unknown.map((path) => ({ path, message: `the schema does not have the field ${pathText(path)}` }));
  }
  const violations = validator.validate(document);
  if (violations.length > 0) {
    return violations;
  }
  try {
    await cert.disclose(document, paths);
    return [];
  } catch (error) {
    if (!isCertError(error)) {
      throw error;
    }
    return [error];
  }
}

/** Returns a document with the values of `own` that its schema describes. */
function complete(schema: JsonObject, document: JsonObject, own: Record<string, string>): JsonObject {
  const copy = { ...document };
  for (const [key, value] of Object.entries(own)) {
    if (describes(schema, key)) {
      setOwn(copy, key, value);
    }
  }
  return copy;
}

function certOf({ schema, secret, assetId }: Pick<RowToCertify, 'schema'> & Partial<RowToCertify>) {
  // For a check, any key works.
  return new Cert(secret === undefined ? { schema, key: new Uint8Array(32) } : { schema, secret, assetId });
}

serve(TASKS, { ready: init });
