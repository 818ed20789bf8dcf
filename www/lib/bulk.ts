// Issues the rows of a batch, each exactly once, and makes the files of the result. Does not use the DOM.
import type { CertifiedRow, RowToCertify } from '../workers/documents/batch.ts';
import { BatchError, WaitError } from '/client/index.js';
import type { BatchOptions, BatchProgress, Client } from '/client/index.js';
import { payingFees } from './approvals.ts';
import { progressId, progressOf, storeOf } from './batches.ts';
import type { Batch, BatchLedger, BatchRow } from './batches.ts';
import { PRIVATE_ENDING, readFile, toFragment, writeFile } from './file.ts';
import { certificateAddress, metadataAddress, isHosted, publicFiles, publish } from './issuing.ts';
import type { PublicFile } from './issuing.ts';
import { Refusal } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import { withMarket } from '../../pkg/view/src/market.ts';
import { part } from './part.ts';
import type { Review } from './review.ts';
import { shortNames, writeTable } from './tables.ts';

export type { CertifiedRow } from '../workers/documents/batch.ts';

/** The asset of a certified row, and the files that the issuer has to publish. */
interface MadeRow {
  assetId: string;
  certified: Pick<CertifiedRow, 'document' | 'imprint' | 'whole' | 'evidence'>;
  files: PublicFile[];
}

/** The result of a row. `holder` is the text of the private file, and `evidence` the text of the public evidence. `files` are for the issuer's own website. They are empty if this service hosts the files. */
export interface RowResult {
  key: string;
  assetId: string;
  link: string;
  document: JsonObject;
  holder: string;
  evidence: string;
  files: PublicFile[];
}

/** Issues the rows that are not issued yet. `certify` runs the task `certify` of workers/documents/batch.ts. Returns the result of each row. If a colleague has to sign too, calls `onWaiting` when all orders are sent, and waits for the signatures. */
export async function issueBatch(
  batch: Batch,
  client: Client,
  certify: (row: RowToCertify) => Promise<CertifiedRow>,
  { onProgress, onWaiting, signal }: { onProgress: (progress: BatchProgress) => void; onWaiting: (review: Review) => void; signal?: AbortSignal },
): Promise<RowResult[]> {
  const { ledger, schema, reviewer = '', paths, secret, rows } = batch;
  const store = storeOf(progressId(batch));
  const { issued: before, sent } = progressOf(await store.read());
  const made = new Map<string, MadeRow>();
  const progress = { total: rows.length, certified: 0, issued: rows.filter(({ key }) => before.has(key)).length };
  const options: BatchOptions<BatchRow> = {
    ledgerId: ledger.id,
    key: ({ key }) => key,
    store,
    settings: { schemaId: ledger.schemaId, site: ledger.uriPrefix, public: paths.map((path) => JSON.stringify(path)) },
    reviewerId: reviewer === '' ? undefined : reviewer,
    onWaiting: (keys) => onWaiting({ ledger: ledger.id, schema, certificates: keys.flatMap((key) => toReview(made.get(key))) }),
    // Wallets show one request at a time.
    parallel: 1,
    signal,
    certify: async ({ key, document }, asset) => {
      const certified = await certify({ schema, secret, ...withMarket({ schema, document, paths }, certificateAddress(asset)), ...asset });
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
    const left = BigInt(rows.length - progress.issued);
    await payingFees(
      client,
      ({ assetCreateCost }) => BigInt(assetCreateCost) * left,
      () => client.issueMany(rows, options),
    );
  } catch (error) {
    throw refusalOf(error, rows);
  }
  return rows.flatMap(({ key }) => {
    const row = made.get(key);
    return row === undefined ? [] : [resultOf(batch, key, row)];
  });
}

/** Returns what a colleague needs to look at a certificate: all its values. */
const toReview = (row: MadeRow | undefined): Review['certificates'] => (row === undefined ? [] : [{ asset: row.assetId, document: row.certified.document, evidence: row.certified.whole }]);

/** Returns the result of a row, with the holder's file. */
export function resultOf({ ledger, schema }: { ledger: Pick<BatchLedger, 'id'>; schema: JsonObject }, key: string, { assetId, certified, files }: MadeRow): RowResult {
  const { document, imprint, whole, evidence } = certified;
  const holder = writeFile({ service: location.origin, ledger: ledger.id, asset: assetId, imprint, schema, document, evidence: whole });
  return { key, assetId, link: `${location.origin}/c/${ledger.id}/${assetId}`, document, holder, evidence: evidence.whole, files };
}

/** Returns a refusal for an error of the batch, or the error itself. */
function refusalOf(error: unknown, rows: BatchRow[]) {
  if (!(error instanceof BatchError)) {
    return error;
  }
  const numbers = error.rows
    .slice(0, 10)
    .map((index) => rows[index]?.row)
    .join(', ');
  if (error.cause instanceof WaitError && error.cause.reason === 'canceled') {
    return Refusal.of('many.declined');
  }
  return error.reason === 'changed' ? Refusal.of('many.changed', { rows: numbers }) : Refusal.of('many.failed', { message: error.message });
}

/** Returns the holders' files with their names. */
export async function holderFiles(results: RowResult[]): Promise<{ name: string; text: string }[]> {
  const names = await holderNames(results);
  return results.map(({ holder }, index) => ({ name: names[index] ?? '', text: holder }));
}

/** Returns the names of the holders' files. The last digits of the asset's id, which is random, tell people of the same name apart. */
async function holderNames(results: RowResult[]) {
  const names = await shortNames(results.map(({ document }) => document));
  return results.map(({ assetId }, index) => `${names[index] || 'certificate'}-${assetId.slice(-10)}${PRIVATE_ENDING}`);
}

/** Returns the link that shows the whole certificate, or an empty text if the certificate is too large for a link. */
async function holderLink({ link, holder }: RowResult) {
  const fragment = await toFragment(readFile(holder));
  return fragment === null ? '' : `${link}#${fragment}`;
}

/** The PDF of each row, or null for a row without one. */
export type Pdfs = readonly (Uint8Array<ArrayBuffer> | null)[];

/** Returns the table with status, links and private file of each row, for a mail merge or `cert send`. With `pdfs`, it also has the names of the PDFs. */
export async function resultTable({ columns, rows, delimiter }: Batch, results: RowResult[], pdfs: Pdfs | null = null): Promise<string> {
  const header = [...columns, 'certificate_status', 'certificate_holder_link', 'certificate_public_link', 'certificate_file', ...(pdfs === null ? [] : ['certificate_pdf'])];
  const [names, links] = await Promise.all([holderNames(results), Promise.all(results.map(holderLink))]);
  const lines = results.map(({ link }, index) => {
    const [name = '', pdf] = [names[index], pdfs?.[index]];
    const ofPdf = pdf === undefined ? [] : [pdf === null ? '' : pdfName(name)];
    return [...(rows[index]?.cells ?? []), 'issued', links[index] ?? '', link, name, ...ofPdf];
  });
  return writeTable([header, ...lines], delimiter);
}

/** Returns all files of the result as a ZIP archive: the table, the holders' files and PDFs, and the public files for the issuer's website. */
export async function archiveOf(batch: Batch, results: RowResult[], pdfs: Pdfs) {
  const names = await holderNames(results);
  const printed = pdfs.flatMap((pdf, index): ZipFile[] => (pdf === null ? [] : [[`private/${pdfName(names[index] ?? '')}`, pdf]]));
  return zipOf([['result.csv', await resultTable(batch, results, pdfs)], ...(await filesOf(batch.ledger, results)), ...printed]);
}

/** Returns the name of the PDF of a holder's file. */
const pdfName = (name: string) => `${name.slice(0, -PRIVATE_ENDING.length)}.pdf`;

/** Returns the certificates' files for an archive, without PDFs. */
export async function filesOf(ledger: Pick<BatchLedger, 'uriPrefix' | 'uriPostfix'>, results: RowResult[]): Promise<ZipFile[]> {
  const names = await holderNames(results);
  return results.flatMap((result, index) => filesOfOne(ledger, result, names[index] ?? ''));
}

function filesOfOne(ledger: Pick<BatchLedger, 'uriPrefix' | 'uriPostfix'>, result: RowResult, name: string): ZipFile[] {
  const folder = new URL('.', metadataAddress(ledger, '1')).href;
  const open = result.files.map(({ address, text }): ZipFile => [`public/${inside(decodeURIComponent(address.slice(folder.length)))}`, text]);
  return [[`private/${name}`, result.holder], ...open];
}

/** Returns a file's path in an archive. A stranger may have chosen the ledger's addresses, so a path that leads out of the archive is refused. */
function inside(path: string) {
  if (!/^([\w-][\w.-]*\/)*[\w-][\w.-]*$/.test(path)) {
    throw Refusal.of('issue.folderWrong');
  }
  return path;
}

/** A file of an archive. */
type ZipFile = [name: string, content: string | Uint8Array<ArrayBuffer>];

/** Returns a ZIP archive. Bytes are stored as they are, because a PDF is compressed already. */
export async function zipOf(files: ZipFile[]) {
  const { strToU8, zipSync } = await part(import('/fflate/browser.js'));
  return zipSync(Object.fromEntries(files.map(([name, content]) => [name, typeof content === 'string' ? strToU8(content) : [content, { level: 0 }]])));
}
