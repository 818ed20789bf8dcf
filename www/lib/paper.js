// Draws the sheet of a checked certificate. The page of the certificate and the holder's preview use it, so both show the same.
import { bySchema, nameOf } from './display.js';
import { ASSET_KEYS, isPointer } from './issue.js';
import { certificateOf } from './model.js';
import { showPaper } from './sheet.js';
import { locale } from './texts.js';

/** Returns the titles along a path, without the titles of list items. */
export function hiddenName(schema, path) {
  return path.map((_, index) => path.slice(0, index + 1)).filter((above) => typeof above.at(-1) === 'string').map((above) => nameOf(schema, above)).join(' · ');
}

/** Draws the fields that were checked, and the names of the `hidden` ones. `options` are options of `showPaper`. */
export function drawChecked(place, { schema, fields, hidden }, options) {
  const names = hidden.filter(([key]) => !ASSET_KEYS.includes(key) && !isPointer(key)).toSorted(bySchema(schema)).map((path) => hiddenName(schema, path));
  showPaper(place, certificateOf({ schema, fields, locale }), { ...options, hidden: [...new Set(names)] });
}
