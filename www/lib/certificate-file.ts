// Reads a certificate's file that a person chose. It may be attached to a PDF, or be inside a saved page.
import { part } from './part.ts';
import { readCertificateText } from './saved-page.ts';
import { sayIn } from './texts.ts';
import { Refusal } from '../../pkg/view/src/json.ts';

/** Returns the text of a certificate's file, or of the one in a PDF or a saved page. Refuses like `readText`, and with sentences about a PDF. */
export async function readCertificate(file: Pick<File, 'name' | 'size' | 'type' | 'arrayBuffer'>): Promise<string> {
  if (!file.name.toLowerCase().endsWith('.pdf') && file.type !== 'application/pdf') {
    return readCertificateText(file);
  }
  const { MAX_PDF, certificateIn, isPdf } = await part(import('./pdf-file.ts'));
  if (file.size > MAX_PDF) {
    throw Refusal.of('file.size', { megabytes: (file.size / 1024 / 1024).toFixed(1) });
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (!isPdf(bytes)) {
    return readCertificateText(file);
  }
  try {
    return await certificateIn(bytes);
  } catch (error) {
    // The texts about PDFs are not among the page's own.
    throw error instanceof Refusal && error.key?.startsWith('pdf.') ? new Refusal((await sayIn('pdf'))(error.key)) : error;
  }
}
