// Saves certificates as PDF. A worker writes them. This part of a page is loaded with the first PDF.
import type { PdfFinding, PdfOptions, Tasks } from '../workers/documents/pdf.ts';
import { beside } from './beside.ts';
import { DEFAULT } from './design.ts';
import type { Design } from './design.ts';
import type { Sheet } from './framed.ts';
import { download } from './page.ts';
import { part } from './part.ts';
import { language, listText, sayIn } from './texts.ts';
import { readable } from './titles.ts';
import { Refusal } from '../../pkg/view/src/json.ts';

/** The longest time for one PDF, in milliseconds. */
const MAX_TIME = 60_000;
/** The most characters and fields that a sentence names. */
const MAX_NAMED = 8;

const { ask } = beside<Tasks>(new URL('../workers/documents/pdf.ts', import.meta.url), { keepsAll: true });

/** A certificate to save as PDF. */
export interface ToSave extends Pick<PdfOptions, 'proving' | 'issuer' | 'issuedAt'> {
  /** The text of the certificate's file, which the PDF shows and has attached. */
  file: string;
  /** The name of the file. It ends in `.assay.json`. */
  name: string;
  /** The names of fields that the file does not show. */
  hidden?: readonly string[];
}

/** Saves a certificate as PDF. Returns sentences about what the PDF shows differently, or an empty text. Refuses with a sentence. */
export async function savePdf(certificate: ToSave, design: Design = DEFAULT): Promise<string> {
  const { bytes, findings } = await made(certificate, design);
  download(pdfName(certificate.name), bytes, 'application/pdf');
  return sentences(findings);
}

/** Saves sheets as PDF: one as a file, several as an archive. Returns the same as `savePdf`. */
export async function saveSheets(sheets: readonly Sheet[], design: Design): Promise<string> {
  const certificates = sheets.map(certificateOf);
  const [only, ...others] = certificates;
  if (only === undefined) {
    return '';
  }
  if (others.length === 0) {
    return savePdf(only, design);
  }
  const files: [string, Uint8Array][] = [];
  const findings: PdfFinding[] = [];
  for (const [index, certificate] of certificates.entries()) {
    const pdf = await made(certificate, design);
    // The number keeps the order, and tells certificates of the same name apart.
    files.push([`${String(index + 1).padStart(3, '0')}-${pdfName(certificate.name)}`, pdf.bytes]);
    findings.push(...pdf.findings);
  }
  const { zipSync } = await part(import('/fflate/browser.js'));
  download('certificates.zip', zipSync(Object.fromEntries(files), { level: 0 }), 'application/zip');
  return sentences(findings);
}

function certificateOf({ source: { file, name }, proving, issuer = null, issuedAt = null, hidden = [] }: Sheet): ToSave {
  return { file, name, proving, issuer, issuedAt, hidden };
}

async function made({ file, name, proving, issuer, issuedAt, hidden = [] }: ToSave, { layout, colour, logo, signature, signer }: Design) {
  const titles = JSON.stringify(await readable(JSON.parse(file).schema));
  const confirmed = issuer === null ? null : { account: issuer.account, domain: 'confirmed' in issuer && issuer.confirmed === false ? null : issuer.domain, name: issuer.name };
  const created = Math.floor(Date.now() / 1000);
  try {
    return await ask('print', { file, options: { language, layout, colour, logo, signature, signer, name, created, proving, issuer: confirmed, issuedAt, hidden, titles } }, MAX_TIME);
  } catch (error) {
    throw await explained(error);
  }
}

/** Returns a refusal with its sentence, because the texts about PDFs are not among the page's own. */
async function explained(error: unknown) {
  return error instanceof Refusal && error.key?.startsWith('pdf.') ? new Refusal((await sayIn('pdf'))(error.key)) : error;
}

/** Returns the name of the PDF of a file. */
const pdfName = (name: string) => `${name.replace(/(\.private|\.shared)?\.assay\.json$/, '')}.pdf`;

async function sentences(findings: readonly PdfFinding[]): Promise<string> {
  const of = (code: PdfFinding['code']) => [...new Set(findings.filter((finding) => finding.code === code).map(({ subject }) => subject))].slice(0, MAX_NAMED);
  const [characters, fields] = [of('character-missing'), of('picture-not-shown')];
  if (characters.length + fields.length === 0) {
    return '';
  }
  const say = await sayIn('pdf');
  const parts = [...(characters.length > 0 ? [say('pdf.characters', { characters: listText(characters) })] : []), ...(fields.length > 0 ? [say('pdf.pictures', { fields: listText(fields) })] : [])];
  return parts.join(' ');
}
