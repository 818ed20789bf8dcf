// Makes the holder's private file, from which any part of a certificate can be shown. The file contains the origin of the page.
import { MEDIA_TYPE, PRIVATE_ENDING, writeFile } from './file.ts';
import { fileStem } from '../../pkg/view/src/issue.ts';
import type { AssetIds } from '../../pkg/view/src/issue.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';

/**
 * Returns the file: `{ name, text, type }`. `document` is the whole document with its ledger and asset, and `whole` is the evidence for
 * the whole document, as the task `certify` returns them.
 */
export function holderFile({ ledgerId, assetId, imprint, schema, document, whole }: AssetIds & { imprint: string; schema: JsonObject; document: JsonObject; whole: unknown }) {
  const asset = BigInt(assetId).toString();
  const text = writeFile({ service: location.origin, ledger: ledgerId.trim(), asset, imprint, schema, document, evidence: whole });
  return { name: `${fileStem(document, { assetId: asset.slice(0, 8) }, imprint)}${PRIVATE_ENDING}`, text, type: MEDIA_TYPE };
}
