// The part of a certificate that everybody with its link sees, before it is issued.
import type { FormContent } from '/lib/form.ts';
import type { Field } from '/view/field.ts';
import type { JsonObject, Path } from '/view/json.ts';
import { type Certificate, certificateOf, plainFields } from '/view/model.ts';
import { hiddenName } from '/lib/paper.ts';
import { locale } from '/lib/texts.ts';
import { isBelow } from './paths.ts';

/** Returns the public fields of a document. */
export function publicFields(schema: JsonObject, document: JsonObject, paths: readonly Path[]): Field[] {
  return plainFields(schema, document, 'proven').filter(({ path }) => paths.some((above) => isBelow(path, above)));
}

/** Returns the public part of a document as a certificate, and the names of the hidden fields. */
export function publicPart(schema: JsonObject, { document, paths, hidden }: Pick<FormContent, 'document' | 'paths' | 'hidden'>): { certificate: Certificate; hidden: string[] } {
  const names = hidden.map((path) => hiddenName(schema, path));
  return { certificate: certificateOf({ schema, fields: publicFields(schema, document, paths), locale }), hidden: [...new Set(names)] };
}

/** Returns a whole document as a certificate. Only its holder can show it. */
export const wholeOf = (schema: JsonObject, document: JsonObject): Certificate => certificateOf({ schema, fields: plainFields(schema, document, 'proven'), locale });
