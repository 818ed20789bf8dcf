// Saves a certificate as PDF. A worker writes it. This part of a page is loaded with the first PDF. It gets functions from the page and imports no
// modules of the page. Shared modules would divide the page's bundle, and the page would need more requests before its verdict.
import type { MadePdf, PdfFinding, PdfOptions, Tasks } from '../workers/documents/pdf.ts';
import type { beside } from './beside.ts';
import type { Design } from './design.ts';
import type { download } from './page.ts';
import type { language, listText, sayIn } from './texts.ts';
import type { Refusal } from '../../pkg/view/src/json.ts';

/** The longest time for one PDF, in milliseconds. */
const MAX_TIME = 60_000;
/** The most characters and fields that a sentence names. */
const MAX_NAMED = 8;
/** The design of a certificate that is not printed by its issuer. */
const PLAIN: Design = { layout: 'portrait', colour: '#8a6d1f', logo: null, signature: null, signer: '' };

/** A certificate to save as PDF. */
export interface ToSave extends Pick<PdfOptions, 'issuedAt'> {
  /** The text of the certificate's file, which the PDF shows and has attached. */
  file: string;
  /** The name of the file. It ends in `.assay.json`. */
  name: string;
  /** The link for the QR code, or null if it opens the public values. By default, a link that proves the file's values. */
  proving?: string | null;
  /** The public evidence, or null. With it, the default link can have less. */
  open?: unknown;
  issuer: { account: string; confirmed: boolean; domain: string | null; name: string | null } | null;
  /** The names of fields that the file does not show. */
  hidden?: readonly string[];
  /** The schema with titles in the page's language. */
  titles: unknown;
}

/** The functions of the page. */
export interface Tools {
  beside: typeof beside;
  download: typeof download;
  language: typeof language;
  listText: typeof listText;
  sayIn: typeof sayIn;
  Refusal: typeof Refusal;
}

/** The worker, which keeps its module and fonts. */
let worker: ReturnType<typeof beside<Tasks>> | undefined;

/** Saves a certificate as PDF. Returns sentences about what the PDF shows differently, or an empty text. Refuses with a sentence. */
export async function savePdf(certificate: ToSave, tools: Tools): Promise<string> {
  const { bytes, findings } = await makePdf(certificate, PLAIN, tools);
  tools.download(pdfName(certificate.name), bytes, 'application/pdf');
  return findingsText(findings, tools);
}

/** Makes a PDF. */
export async function makePdf({ file, name, proving, open = null, issuer, issuedAt, hidden = [], titles }: ToSave, design: Design, { beside, language, sayIn, Refusal }: Tools): Promise<MadePdf> {
  worker ??= beside<Tasks>(new URL('../workers/documents/pdf.ts', import.meta.url), { keepsAll: true });
  const known = issuer === null ? null : { account: issuer.account, domain: issuer.confirmed ? issuer.domain : null, name: issuer.name };
  const { layout, colour, logo, signature, signer } = design;
  const look = { layout, colour, logo, signature, signer };
  const options = { ...look, language, name, created: Math.floor(Date.now() / 1000), issuer: known, issuedAt, hidden, titles: JSON.stringify(titles) };
  try {
    return await worker.ask('print', { file, options, proving, open }, MAX_TIME);
  } catch (error) {
    // The texts about PDFs are not among the page's own.
    throw error instanceof Refusal && error.key?.startsWith('pdf.') ? new Refusal((await sayIn('pdf'))(error.key)) : error;
  }
}

/** Returns the name of the PDF of a file. */
export const pdfName = (name: string): string => `${name.replace(/(\.private|\.shared)?\.assay\.json$/, '')}.pdf`;

/** Returns sentences about findings, or an empty text. */
export async function findingsText(findings: readonly PdfFinding[], { listText, sayIn }: Tools): Promise<string> {
  const of = (code: PdfFinding['code']) => [...new Set(findings.filter((finding) => finding.code === code).map(({ subject }) => subject))].slice(0, MAX_NAMED);
  const [characters, fields] = [of('character-missing'), of('picture-not-shown')];
  if (characters.length + fields.length === 0) {
    return '';
  }
  const say = await sayIn('pdf');
  const parts = [...(characters.length > 0 ? [say('pdf.characters', { characters: listText(characters) })] : []), ...(fields.length > 0 ? [say('pdf.pictures', { fields: listText(fields) })] : [])];
  return parts.join(' ');
}
