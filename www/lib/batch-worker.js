// Checks and certifies the rows of a table in a worker, by AIH-2. The worker gets the rows' private values and the secret. Does not use the DOM.
import { Cert, init } from '/cert/aih2/src/init.js';
import { Validator, init as initValidator } from '/cert/validate/src/init.js';
import { ASSET_KEYS, describes, emptyPaths, schemaStem } from './issue.js';
import { Refusal, pathText, sentenceOf, setOwn, visible } from './json.js';

/** The placeholder ledger and asset of a document that is only checked. */
const EXAMPLE = { ledgerId: '0x0000000000000000000000000000000000000001', assetId: '1' };

const TASKS = {
  /** Returns the id of a schema. */
  async identify({ schema }) {
    return certOf({ schema }).identify();
  },

  /**
   * Checks documents `{ row, document }` against their schema, and that `paths` can be shown of each. Returns all problems as
   * `{ row, path, message }`. The messages come from the library and are English.
   */
  async check({ schema, paths, rows }) {
    await initValidator();
    const cert = certOf({ schema });
    const validator = new Validator(schema);
    const problems = [];
    for (const { row, document } of rows) {
      for (const { path, message } of await problemsOf(cert, validator, complete(schema, document, EXAMPLE), paths)) {
        problems.push({ row, path, message: visible(message) });
      }
    }
    return problems;
  },

  /**
   * Certifies a row. Its key is derived from the secret and the asset. Returns the imprint, the document, the holder's evidence of all of it, and
   * the public files as the task `certify` of lib/worker.js does, without addresses.
   */
  async certify({ schema, secret, paths, document: given, ledgerId, assetId }) {
    const cert = certOf({ schema, secret, assetId });
    const document = complete(schema, given, { ledgerId, assetId });
    const disclosed = [...ASSET_KEYS.map((key) => [key]), ...paths];
    const text = (value) => ({ whole: JSON.stringify(value, null, 2) });
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

async function problemsOf(cert, validator, document, paths) {
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
    if (error?.name !== 'CertError') {
      throw error;
    }
    return [error];
  }
}

/** Returns a document with the values of `own` that its schema describes. */
function complete(schema, document, own) {
  const copy = { ...document };
  for (const [key, value] of Object.entries(own)) {
    if (describes(schema, key)) {
      setOwn(copy, key, value);
    }
  }
  return copy;
}

function certOf({ schema, secret, assetId }) {
  // For a check, any key works.
  return new Cert(secret === undefined ? { schema, key: new Uint8Array(32) } : { schema, secret, assetId });
}

self.addEventListener('message', async ({ data: { turn, task, input } }) => {
  try {
    await init().catch(() => {
      throw Refusal.of('refusal.library');
    });
    self.postMessage({ turn, result: await TASKS[task](input) });
  } catch (error) {
    self.postMessage({ turn, refusal: sentenceOf(error), key: error.key, values: error.values });
  }
});
