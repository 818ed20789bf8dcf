// Reads the short form of a certificate in a link, in each of its versions (docs/spec/file.md). The worker for documents uses this module, so pages need
// not load it before a verdict. Does not use the DOM.
import { type Compact, type PublicFiles, completed, fromCompact } from './compact.ts';
import { cleaned, fromFragment, repairedFragment } from './file.ts';
import type { Copy } from './file.ts';
import type { Ids } from './packed.ts';
import { Refusal } from '../../pkg/view/src/json.ts';

/** The content of a short form, and the form to pass on, without the changes of other programs. */
export interface OpenedForm {
  content: Copy | Compact;
  form: string;
}

/**
 * Reads a short form: `{ schema, document, evidence }`, or a compact form that needs the certificate's public files. Programs that
 * pass on links add characters and break lines. Everything that cannot belong to a short form is dropped, because the imprint on the ledger decides
 * about the rest. Refuses a form of a newer version with the key `file.linkVersion`, and any other text with the key `file.link`.
 */
export async function openForm(text: string): Promise<OpenedForm> {
  const form = cleaned(text);
  if (form.startsWith('2')) {
    const content = fromCompact(form);
    return { content, form: content.fragment };
  }
  if (/^[3-9]/.test(form)) {
    throw Refusal.of('file.linkVersion');
  }
  const content = await fromFragment(text);
  return { content, form: await repairedFragment(text, content) };
}

/** Completes a compact form with the certificate's public files, as `completed` does. */
export const completeForm = ({ compact, files, ids }: { compact: Compact; files: PublicFiles; ids: Ids }): Promise<Copy> => completed(compact, files, ids);
