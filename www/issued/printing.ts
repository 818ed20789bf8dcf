// Prints certificates. This part of the page is loaded with the first certificates to print.
import type { Asset, Validity } from '/client/index.js';
import { validityOf } from '/lib/validity.ts';
import { type Batch, type BatchRow, allBatches, progressOf, storeOf } from '/lib/batches.ts';
import { resultOf } from '/lib/bulk.ts';
import { FILE_ENDING, writeFile } from '/lib/file.ts';
import { fileStem } from '/view/issue.ts';
import { Refusal, own } from '/view/json.ts';
import { certificateOf, plainFields } from '/view/model.ts';
import { byId } from '/lib/page.ts';
import { type Sheet, sheetOfHolder } from '/lib/sheets.ts';
import { locale } from '/lib/texts.ts';
import { readable } from '/lib/titles.ts';
import { printDesigned } from '/components/sheet-dialog.tsx';
import { linkOf, shortId } from './certificates.ts';
import { ask } from './certifying.ts';
import type { Item } from './state.ts';

/** Prints certificates of a schema or saves them as PDF. Returns a sentence about what PDFs show differently, or an empty text. */
export async function printItems(items: readonly Item[], schemaId: string): Promise<string> {
  const rows = await rowsOfBatches();
  return printDesigned(
    byId('printed'),
    schemaId,
    items.map((item) => () => sheetOf(item, rows)),
  );
}

/** Rows of batches in this browser, by ledger and asset. */
type Rows = ReadonlyMap<string, { batch: Batch; row: BatchRow }>;

async function rowsOfBatches(): Promise<Rows> {
  const found = new Map<string, { batch: Batch; row: BatchRow }>();
  for (const batch of await allBatches()) {
    const { assets } = progressOf(await storeOf(batch.id).read());
    for (const row of batch.rows) {
      const asset = assets.get(row.key);
      if (asset !== undefined) {
        found.set(`${batch.ledger.id.toLowerCase()}/${asset}`, { batch, row });
      }
    }
  }
  return found;
}

/** Returns the holder's file of a certificate if this browser has issued it. Null otherwise, or if the certificate was replaced since then. */
async function holderOf({ ledgerId, id, imprint }: Asset, rows: Rows): Promise<string | null> {
  const known = rows.get(`${ledgerId.toLowerCase()}/${id}`);
  if (known === undefined) {
    return null;
  }
  const { batch, row } = known;
  const { schema, secret, paths, ledger } = batch;
  const certified = await ask('certify', { schema, secret, paths, document: row.document, ledgerId: ledger.id, assetId: id });
  return certified.imprint === imprint ? resultOf(batch, row.key, { assetId: id, certified, files: [] }).holder : null;
}

/** Returns a sheet with all values if this browser has them, otherwise with the public ones. */
async function sheetOf({ asset, known, record: read }: Item, rows: Rows): Promise<Sheet> {
  const record: Validity | null = read ?? (await validityOf({ ledger: asset.ledgerId, asset: asset.id }).catch(() => null));
  if (record?.metadata == null || record.schema == null) {
    throw Refusal.of('issued.unread', { name: known ?? shortId(asset.id) });
  }
  const { metadata, schema, issuer } = record;
  const options = { issuer, issuedAt: own(metadata, 'issuedAt') === undefined ? asset.createdAt : null, level: 2 as const };
  const holder = await holderOf(asset, rows);
  if (holder !== null) {
    return { ...(await sheetOfHolder({ holder, link: linkOf(asset), open: record.evidence }, readable)), ...options };
  }
  const { evidence } = record;
  if (evidence === null) {
    throw Refusal.of('issued.unread', { name: known ?? shortId(asset.id) });
  }
  const id = BigInt(asset.id).toString();
  const file = writeFile({ service: location.origin, ledger: asset.ledgerId, asset: id, imprint: asset.imprint, schema, document: metadata, evidence });
  const source = { file, name: `${fileStem(metadata, { assetId: id.slice(0, 8) }, asset.imprint)}${FILE_ENDING}` };
  const certificate = certificateOf({ schema: await readable(schema), fields: plainFields(schema, metadata, 'proven'), locale });
  return { certificate, link: linkOf(asset), source, proving: null, ...options };
}
