// The warning about values that can only be shown as a whole. Does not use the DOM.
import { pathText, visible } from '../../pkg/view/src/json.ts';
import type { Path } from '../../pkg/view/src/json.ts';
import { say } from './texts.ts';

/** The maximum number of values that the warning names. */
const MAX_NAMED = 5;

/** Returns the warning about values at these paths, as `shownWhole` of the library returns them. Returns an empty text without paths. */
export function wholeText(paths: readonly Path[]): string {
  const more = paths.length - MAX_NAMED;
  const names = [...paths.slice(0, MAX_NAMED).map((path) => visible(pathText(path))), ...(more > 0 ? [say('certificate.more', { count: more })] : [])];
  return names.length === 0 ? '' : say('certify.whole', { names: names.join(', ') });
}
