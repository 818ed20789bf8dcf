// Makes the link in the code of a sheet. Does not use the DOM.
import { toCompact } from './compact.ts';
import type { Shown } from './compact.ts';
import { printable } from './printable.ts';

/** Returns a link that proves a copy and whose code can be printed, or null. With `open`, the public evidence, the link may have only what this evidence lacks. */
export async function provingLink(copy: Shown, link: string, open: unknown): Promise<string | null> {
  const [, , ledger = '', asset = ''] = new URL(link).pathname.split('/');
  const forms = [await toCompact(copy, { ledger, asset }), open === null ? null : await toCompact(copy, { ledger, asset }, open)];
  return printable(forms.flatMap((form) => (form === null ? [] : [`${link}#${form}`])));
}
