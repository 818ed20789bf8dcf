// Draws the sheet of a checked certificate. The page of the certificate and the holder's preview use it, so both show the same.
import { bySchema, nameOf } from '../../pkg/view/src/display.ts';
import type { Field } from '../../pkg/view/src/field.ts';
import { isAssetKey, isPointer } from '../../pkg/view/src/issue.ts';
import type { Path } from '../../pkg/view/src/json.ts';
import { certificateOf } from '../../pkg/view/src/model.ts';
import { showPaper } from './sheet.ts';
import type { PaperOptions } from './sheet.ts';
import { locale } from './texts.ts';

/** Returns the titles along a path, without the titles of list items. */
export function hiddenName(schema: unknown, path: Path): string {
  return path
    .map((_, index) => path.slice(0, index + 1))
    .filter((above) => typeof above.at(-1) === 'string')
    .map((above) => nameOf(schema, above))
    .join(' · ');
}

/** Returns the names of hidden fields in the schema's order, without the fields that name the asset and its files. */
export function hiddenNames(schema: unknown, hidden: readonly Path[]): string[] {
  const names = hidden
    .filter(([key]) => !isAssetKey(key) && !isPointer(key))
    .toSorted(bySchema(schema))
    .map((path) => hiddenName(schema, path));
  return [...new Set(names)];
}

/** Draws the fields that were checked, and the names of the `hidden` ones. `options` are options of `showPaper`. */
export function drawChecked(place: HTMLElement, { schema, fields, hidden }: { schema: unknown; fields: readonly Field[]; hidden: readonly Path[] }, options: PaperOptions) {
  showPaper(place, certificateOf({ schema, fields, locale }), { ...options, hidden: hiddenNames(schema, hidden) });
}
