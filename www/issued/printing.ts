// Prints certificates. This part of the page is loaded with the first certificates to print.
import type { Asset, Validity } from '/client/index.js';
import { validityOf } from '/lib/validity.ts';
import { type Batch, type BatchRow, allBatches, progressId, progressOf, storeOf } from '/lib/batches.ts';
import { resultOf } from '/lib/bulk.ts';
import { type Copy, FILE_ENDING, PRIVATE_ENDING, SHARED_ENDING, writeFile } from '/lib/file.ts';
import { HOLDERS, holderIn } from '/lib/framed.ts';
import { fileStem } from '/view/issue.ts';
import { type JsonObject, Refusal, isObject, own, visible } from '/view/json.ts';
import { type Certificate, certificateOf, plainFields } from '/view/model.ts';
import { copiesWithHolder } from '/lib/named.ts';
import { byId } from '/lib/page.ts';
import { part } from '/lib/part.ts';
import { type Sheet, sheetOfHolder } from '/lib/sheets.ts';
import { locale } from '/lib/texts.ts';
import { readable } from '/lib/titles.ts';
import { printDesigned } from '/components/sheet-dialog.tsx';
import { linkOf, shortId } from './certificates.ts';
import { ask } from './certifying.ts';
import type { Item } from './state.ts';

/** A certificate to print. `fileKey` is the key of the whole certificate in the register book, or an empty text. */
export type ToPrint = Item & { readonly fileKey?: string };

/** Prints certificates of a schema or saves them as PDF. Returns a sentence about what PDFs show differently, or an empty text. */
export async function printItems(items: readonly ToPrint[], schemaId: string): Promise<string> {
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
    const { assets } = progressOf(await storeOf(progressId(batch)).read());
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

/** Returns a sheet with all values if this browser has them, otherwise with the public ones and, if the book's key proves it, the holder's name. */
async function sheetOf({ asset, known, record: read, fileKey = '' }: ToPrint, rows: Rows): Promise<Sheet> {
  const record: Validity | null = read ?? (await validityOf({ ledger: asset.ledgerId, asset: asset.id }).catch(() => null));
  if (record?.metadata == null || record.schema == null) {
    throw Refusal.of('issued.unread', { name: known === null ? shortId(asset.id) : visible(known) });
  }
  const { metadata, schema, issuer } = record;
  const options = { issuer, issuedAt: own(metadata, 'issuedAt') === undefined ? asset.createdAt : null, level: 2 as const };
  const holder = await holderOf(asset, rows);
  if (holder !== null) {
    return { ...(await sheetOfHolder({ holder, link: linkOf(asset), open: record.evidence }, readable)), ...options };
  }
  const { evidence } = record;
  if (evidence === null) {
    throw Refusal.of('issued.unread', { name: known === null ? shortId(asset.id) : visible(known) });
  }
  const id = BigInt(asset.id).toString();
  const fileOf = (copy: Copy) => writeFile({ service: location.origin, ledger: asset.ledgerId, asset: id, imprint: asset.imprint, ...copy });
  const named = known === null || fileKey === '' ? null : await withHolder({ schema, document: metadata, evidence }, { record, fileKey, name: known }).catch(() => null);
  if (named !== null) {
    const sheet = await sheetOfHolder({ holder: fileOf(named), link: linkOf(asset), open: evidence }, readable);
    if (sheet.proving !== null && known !== null && textsIn(sheet.certificate).includes(known)) {
      return { ...sheet, source: { ...sheet.source, name: sheet.source.name.replace(PRIVATE_ENDING, SHARED_ENDING) }, ...options };
    }
  }
  const file = fileOf({ schema, document: metadata, evidence });
  const source = { file, name: `${fileStem(metadata, { assetId: id.slice(0, 8) }, asset.imprint)}${FILE_ENDING}` };
  const certificate = certificateOf({ schema: await readable(schema), fields: plainFields(schema, metadata, 'proven'), locale });
  return { certificate, link: linkOf(asset), source, proving: null, noted: notedFor(known ?? '', certificate, schema), ...options };
}

/** Returns a copy of the public part that proves the holder's name too, or null. Rejects if the evidence cannot be read. */
async function withHolder(
  open: Parameters<typeof copiesWithHolder>[0],
  { record, fileKey, name }: { readonly record: Validity; readonly fileKey: string; readonly name: string },
): Promise<Copy | null> {
  const { ask: check } = await part(import('/lib/beside.ts'));
  for (const copy of await copiesWithHolder(open, fileKey, name)) {
    const { integrity } = await check('certificate', { ...copy, record });
    if (integrity === 'unchanged') {
      return copy;
    }
  }
  return null;
}

/** Returns the holder's name as a note, an empty text if the name is not known, or undefined if the public values have it or the certificate has no holder. */
function notedFor(name: string, certificate: Certificate, schema: JsonObject): string | undefined {
  const isShown = holderIn(certificate.nodes) !== null || (name !== '' && textsIn(certificate).includes(name));
  const hasHolder = HOLDERS.some((path) => isObject(path.split('.').reduce<unknown>((node, key) => own(own(node, 'properties'), key), schema)));
  return isShown || (name === '' && !hasHolder) ? undefined : visible(name);
}

/** Returns the texts that a sheet shows outside of lists. */
const textsIn = ({ title, nodes }: Certificate): string[] =>
  [...(title === null ? [] : [title]), ...nodes.flatMap((node) => node.group ?? [node])].flatMap(({ value }) => (value === undefined ? [] : [value.text]));
