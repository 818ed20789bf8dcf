// Issues the rows of a batch, each exactly once, and makes the files of the result. Does not use the DOM.
import { BatchError } from '/client/index.js';
import { progressOf, storeOf } from './batches.js';
import { PRIVATE_ENDING, writeFile } from './file.js';
import { metadataAddress, isHosted, publicFiles, publish } from './issuing.js';
import { Refusal } from './json.js';
import { writeTable } from './table.js';

/**
 * Issues the rows that are not issued yet. `batch` is `{ id, ledger, schema, paths, secret, rows }`, where a row is `{ row, cells, key, document }`.
 * `certify` runs the task `certify` of lib/batch-worker.js. `onProgress` gets `{ total, certified, issued }`.
 *
 * Returns `{ key, assetId, link, document, holder, files }` for each row. `holder` is the text of the private file. `files` are the public files
 * for the issuer's own website, as `{ address, text }`. `files` is empty if this service hosts the files.
 */
export async function issueBatch(batch, client, certify, { onProgress, signal }) {
  const { ledger, schema, paths, secret, rows } = batch;
  const store = storeOf(batch.id);
  const { issued: before, sent } = progressOf(await store.read());
  const made = new Map();
  const progress = { total: rows.length, certified: 0, issued: rows.filter(({ key }) => before.has(key)).length };
  const options = {
    ledgerId: ledger.id,
    key: ({ key }) => key,
    store,
    settings: { schemaId: ledger.schemaId, site: ledger.uriPrefix, public: paths.map((path) => JSON.stringify(path)) },
    // Wallets show one request at a time.
    parallel: 1,
    signal,
    certify: async ({ key, document }, asset) => {
      const certified = await certify({ schema, secret, paths, document, ...asset });
      // The files of a row that was sent are published already. If the row's content has changed since then, the client refuses the row, and the
      // published files must stay.
      const files = isHosted(ledger) ? await (sent.has(key) ? [] : publish(client, certified, ledger, asset.assetId)) : publicFiles(certified, ledger, asset.assetId);
      made.set(key, { assetId: asset.assetId, certified, files });
      onProgress({ ...progress, certified: made.size });
      return certified.imprint;
    },
    onProgress: ({ issued }) => {
      progress.issued = issued;
      onProgress({ ...progress, certified: made.size });
    },
  };
  try {
    await client.issueMany(rows, options);
  } catch (error) {
    throw refusalOf(error, rows);
  }
  return rows.map(({ key }) => resultOf(batch, key, made.get(key)));
}

/** Returns the result of a row, with the holder's file. */
export function resultOf({ ledger, schema }, key, { assetId, certified, files }) {
  const { document, imprint, whole } = certified;
  const holder = writeFile({ service: location.origin, ledger: ledger.id, asset: assetId, imprint, schema, document, evidence: whole });
  return { key, assetId, link: `${location.origin}/c/${ledger.id}/${assetId}`, document, holder, files };
}

/** Returns a refusal for an error of the batch, or the error itself. */
function refusalOf(error, rows) {
  if (!(error instanceof BatchError)) {
    return error;
  }
  const numbers = error.rows.slice(0, 10).map((index) => rows[index]?.row).join(', ');
  return error.reason === 'changed' ? Refusal.of('many.changed', { rows: numbers }) : Refusal.of('many.failed', { message: error.message });
}

/** The name of a holder's file. */
const holderName = ({ assetId }) => `${assetId}${PRIVATE_ENDING}`;

/** Returns the table with status, link and private file of each row, for a mail merge. */
export function resultTable({ columns, rows, delimiter }, results) {
  const header = [...columns, 'certificate_status', 'certificate_link', 'certificate_file'];
  return writeTable([header, ...rows.map(({ cells }, index) => [...cells, 'issued', results[index].link, holderName(results[index])])], delimiter);
}

/** Returns all files of the result as a ZIP archive: the table, the holders' files, and the public files for the issuer's website. */
export function archiveOf(batch, results) {
  return zipOf([
    ['result.csv', resultTable(batch, results)],
    ...results.flatMap((result) => filesOf(batch.ledger, result)),
  ]);
}

/** Returns the names and texts of a certificate's files in an archive. */
export function filesOf(ledger, result) {
  const folder = new URL('.', metadataAddress(ledger, '1')).href;
  const open = result.files.map(({ address, text }) => [`public/${inside(decodeURIComponent(address.slice(folder.length)))}`, text]);
  return [[`private/${holderName(result)}`, result.holder], ...open];
}

/** Returns a file's path in an archive. A stranger may have chosen the ledger's addresses, so a path that leads out of the archive is refused. */
function inside(path) {
  if (!/^([\w-][\w.-]*\/)*[\w-][\w.-]*$/.test(path)) {
    throw Refusal.of('issue.folderWrong');
  }
  return path;
}

/** Returns a ZIP archive of files `[name, text]`. */
export async function zipOf(files) {
  const { strToU8, zipSync } = await import('/fflate/browser.js');
  return zipSync(Object.fromEntries(files.map(([name, text]) => [name, strToU8(text)])));
}
