// Paths in documents. Does not use the DOM.
import type { Path } from '../../pkg/view/src/json.ts';

/** Returns true if a path is at or below another one. */
export const isBelow = (path: Path, above: Path): boolean => above.every((step, index) => path[index] === step);
