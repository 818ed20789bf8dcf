// Saves sheets as PDF: one as a file, several as an archive.
import type { MadePdf, PdfFinding } from '../workers/documents/pdf.ts';
import { beside } from './beside.ts';
import type { Design } from './design.ts';
import { type Sheet, holderIn } from './framed.ts';
import { download } from './page.ts';
import { part } from './part.ts';
import { findingsText, makePdf, pdfName } from './pdf.ts';
import { language, listText, sayIn } from './texts.ts';
import { readable } from './titles.ts';
import { slug } from '../../pkg/view/src/issue.ts';
import { Refusal } from '../../pkg/view/src/json.ts';

const TOOLS = { beside, download, language, listText, sayIn, Refusal };

/** Saves sheets. Returns sentences about what the PDFs show differently, or an empty text. Refuses with a sentence. */
export async function saveSheets(sheets: readonly Sheet[], design: Design): Promise<string> {
  const files: [name: string, bytes: Uint8Array<ArrayBuffer>][] = [];
  const findings: PdfFinding[] = [];
  for (const sheet of sheets) {
    const pdf = await pdfOfSheet(sheet, design);
    files.push([nameOf(sheet), pdf.bytes]);
    findings.push(...pdf.findings);
  }
  const [only, ...others] = files;
  if (only !== undefined && others.length === 0) {
    download(only[0], only[1], 'application/pdf');
  } else {
    const { zipSync } = await part(import('/fflate/browser.js'));
    // The number keeps the order, and tells certificates of the same name apart.
    const numbered = files.map(([name, bytes], index) => [`${String(index + 1).padStart(3, '0')}-${name}`, bytes]);
    download('certificates.zip', zipSync(Object.fromEntries(numbered), { level: 0 }), 'application/zip');
  }
  return findingsOf(findings);
}

/** Returns the name of the PDF of a sheet. It begins with the holder, if the sheet names one. */
function nameOf({ certificate, noted = '', source }: Sheet): string {
  const holder = holderIn(certificate.nodes)?.value?.text ?? noted;
  return [slug(holder), pdfName(source.name)].filter((part) => part !== '').join('-');
}

/** Returns the PDF of a sheet. Refuses with a sentence. */
export async function pdfOfSheet({ source, proving, issuer = null, issuedAt = null, hidden = [] }: Sheet, design: Design): Promise<MadePdf> {
  const titles = await readable(JSON.parse(source.file).schema);
  return makePdf({ ...source, proving, issuer, issuedAt, hidden, titles }, design, TOOLS);
}

/** Returns sentences about findings, or an empty text. */
export const findingsOf = (findings: readonly PdfFinding[]): Promise<string> => findingsText(findings, TOOLS);
