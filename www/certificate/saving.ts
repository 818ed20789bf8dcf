// Saves a certificate: as its file, or as a page that needs no service later. Loaded when a visitor asks for it. Imports the view for the reason in later.ts.
import './view.ts';
import type { Issuer, Validity } from '/client/index.js';
import { fileStem } from '/view/issue.ts';
import { Refusal } from '/view/json.ts';
import { FILE_ENDING, MEDIA_TYPE, PRIVATE_ENDING, writeFile } from '/lib/file.ts';
import type { Confirmation, Copy } from '/lib/file.ts';
import { beside } from '/lib/beside.ts';
import { download } from '/lib/page.ts';
import { part } from '/lib/part.ts';
import { pageName, savedPage } from '/lib/saved-page.ts';
import { language, listText, sayIn } from '/lib/texts.ts';
import type { Ids } from '/lib/validity.ts';

/** A shown certificate, with the service's answer about it. */
export interface ToSave extends Ids {
  copy: Copy;
  answer: Validity;
  title: string;
  /** Whether the copy shows the whole certificate. */
  isPrivate: boolean;
  /** Whether the copy has the public documents only. */
  isPublic: boolean;
  /** The schema with titles in the visitor's language. */
  titles: unknown;
}

/** Returns the text of the certificate's file. Refuses a record with values that files cannot have. */
export function fileOf({ ledger, asset, copy, answer }: ToSave): string {
  try {
    return writeFile({ service: location.origin, ledger, asset: BigInt(asset).toString(), imprint: imprintOf(answer), ...copy, confirmation: confirmationOf(answer.issuer) });
  } catch {
    throw Refusal.of('certificate.saveFailed');
  }
}

/** Downloads the certificate's file. */
export function saveFile(certificate: ToSave) {
  download(`${stemOf(certificate)}${certificate.isPrivate ? PRIVATE_ENDING : FILE_ENDING}`, fileOf(certificate), MEDIA_TYPE);
}

/** Downloads the certificate as PDF. Returns sentences about what the PDF shows differently, or an empty text. */
export async function savePdf(certificate: ToSave): Promise<string> {
  const { titles, answer, isPublic } = certificate;
  const { issuer, asset, evidence, ledger } = answer;
  const pdf = await part(import('/lib/pdf.ts'));
  const ids = { ledger: ledger?.id ?? certificate.ledger, asset: asset?.id ?? certificate.asset };
  const file = { file: fileOf({ ...certificate, ...ids }), name: `${stemOf(certificate)}${FILE_ENDING}` };
  // The code of the public documents opens the page, which shows the same.
  const proving = isPublic ? null : undefined;
  return pdf.savePdf({ ...file, proving, open: evidence, issuer, issuedAt: asset?.createdAt ?? null, titles }, { beside, download, language, listText, sayIn, Refusal });
}

/** Downloads a page with the certificate, its check, and a note of the service's answer. */
export async function savePage(certificate: ToSave) {
  const file = fileOf(certificate);
  const { status, issuer, ledger } = certificate.answer;
  const template = await part(read(new URL('../parts/saved.html', import.meta.url)));
  const record = {
    saved: new Date().toISOString(),
    status: status.kind,
    since: status.since ?? null,
    issuer: issuer?.kind ?? 'notConfirmed',
    schemaId: ledger?.schemaId ?? null,
  };
  download(pageName(stemOf(certificate), certificate.isPrivate), savedPage(template, { file, record, title: certificate.title }), 'text/html');
}

async function read(address: URL): Promise<string> {
  const answer = await fetch(address);
  if (!answer.ok) {
    throw new Error(`${answer.url} answers ${answer.status}`);
  }
  return answer.text();
}

const imprintOf = ({ asset }: Validity) => asset?.imprint ?? '';

const stemOf = ({ title, asset, answer }: ToSave) => fileStem({ name: title }, { assetId: asset }, imprintOf(answer));

/** Returns the confirmation of the issuer for a file, or null. */
function confirmationOf(issuer: Issuer | null): Confirmation | null {
  const { account, domain, name, firstSeen, lastSeen } = issuer ?? {};
  return account && domain && firstSeen && lastSeen ? { account, domain, name: name ?? null, firstSeen, lastSeen } : null;
}
