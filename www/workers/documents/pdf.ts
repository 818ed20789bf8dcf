// Writes certificates as PDF in a worker (cert-pdf). Loads only the fonts that a certificate needs. Does not use the DOM.
import init, { Press } from '/pdf/pdf.js';
import { Refusal } from '/view/json.ts';
import { readFile } from '/lib/file.ts';
import { provingLink } from '/lib/proving.ts';
import { serve } from '/lib/serve.ts';

/** The input of a PDF besides the certificate's file. */
export interface PdfOptions {
  /** The tag of a language of the pages. */
  language: string;
  layout: 'portrait' | 'landscape';
  colour: string;
  /** Pictures as `data:` addresses of PNG or JPEG, or null. */
  logo: string | null;
  signature: string | null;
  signer: string;
  /** The name of the attached file. */
  name: string;
  /** The time in the PDF's properties, in seconds since 1970. */
  created: number;
  issuer: { account: string; domain: string | null; name: string | null } | null;
  issuedAt: string | null;
  /** The names of fields that the file does not show. */
  hidden: readonly string[];
  /** The schema with titles in the language, as JSON. */
  titles: string | null;
}

/** A difference between a PDF's pages and the certificate. */
export interface PdfFinding {
  code: 'character-missing' | 'picture-not-shown';
  /** The character with its code point, or the name of the field. */
  subject: string;
}

export interface MadePdf {
  bytes: Uint8Array<ArrayBuffer>;
  findings: PdfFinding[];
}

/** A file to print. */
interface ToPrint {
  file: string;
  options: PdfOptions;
  /** The link for the QR code, or null. By default, a link that proves the file's values. */
  proving: string | null | undefined;
  /** The public evidence, or null. */
  open: unknown;
}

export type Tasks = typeof TASKS;

/** Keeps the loaded fonts. */
let press: Press | undefined;

const TASKS = {
  /** Returns the PDF of a certificate's file. */
  async print({ file, options, proving, open }: ToPrint): Promise<MadePdf> {
    press ??= new Press();
    const given = JSON.stringify({ ...options, proving: proving === undefined ? await linkOf(file, open) : proving });
    // Tables of slices are missing only when the whole fonts are there, and slices only when the tables are.
    for (let missing = press.missing(file, given); missing !== '[]'; missing = press.missing(file, given)) {
      const names: string[] = JSON.parse(missing);
      for (const [name, bytes] of await Promise.all(names.map(loaded))) {
        press.add(name, bytes);
      }
    }
    const printed = press.print(file, given);
    const made = { bytes: new Uint8Array(printed.bytes()), findings: JSON.parse(printed.findings()) };
    printed.free();
    return made;
  },
};

/** Returns a link that proves the values of a file and whose code can be printed, or null. */
async function linkOf(text: string, open: unknown): Promise<string | null> {
  const { service, ledger, asset, schema, document, evidence } = readFile(text);
  return document === null ? null : provingLink({ schema, document, evidence }, `${service}/c/${ledger}/${asset}`, open);
}

async function loaded(name: string): Promise<[string, Uint8Array]> {
  const answer = await fetch(addressOf(name));
  if (!answer.ok) {
    throw Refusal.of('refusal.part');
  }
  return [name, new Uint8Array(await answer.arrayBuffer())];
}

/** Returns the address of a file in the folder of fonts. Chinese, Japanese and Korean fonts are cut into slices, with a table of their characters. */
function addressOf(name: string): URL {
  const stem = name.replace(/^cjk\//, '').replace(/\.\w+$/, '');
  if (name.endsWith('.ttf')) {
    return new URL(`../../../cert-pdf/fonts/${stem}.ttf`, import.meta.url);
  }
  return name.endsWith('.ranges') ? new URL(`../../../cert-pdf/fonts/cjk/${stem}.ranges`, import.meta.url) : new URL(`../../../cert-pdf/fonts/cjk/${stem}.slice`, import.meta.url);
}

/** The keys of texts about the codes that WebAssembly throws. Other codes are faults of this program. */
const KEYS: Partial<Record<string, string>> = { 'pdf-too-long': 'pdf.tooLong', 'file-too-large': 'pdf.tooLong', 'picture-invalid': 'pdf.picture' };

const ready = init({ module_or_path: new URL('../../../cert-pdf/dist/pdf_bg.wasm', import.meta.url) });

serve(TASKS, { ready: () => ready, refusalOf: (thrown) => (typeof thrown === 'string' ? Refusal.of(KEYS[thrown] ?? 'pdf.failed') : thrown) });
