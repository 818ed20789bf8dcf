// Finds the fields that a schema describes and a document lacks. Does not use the DOM.
import { isObject, own, setOwn } from './json.ts';
import type { Path } from './json.ts';

/** The maximum number of missing fields that are examined. */
const MAX_MISSING = 2000;

/**
 * Returns an object with null for every described property that `value` lacks. Leaves out `value`'s own single values, because a report lists only
 * a limited number of values. In lists, null replaces them. Adds to `missing` the paths of the lacking properties, and of the list items that
 * are null in `value`.
 */
export function withNulls(schema: unknown, value: unknown, path: Path, missing: Path[]): unknown {
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      if (item === null && missing.length < MAX_MISSING) {
        missing.push([...path, index]);
      }
      const inside = withNulls(own(schema, 'items'), item, [...path, index], missing);
      return typeof inside === 'object' ? inside : null;
    });
  }
  if (!isObject(value)) {
    return value;
  }
  const copy = {};
  const properties = own(schema, 'properties');
  for (const key of Object.keys(value)) {
    const inside = withNulls(own(properties, key), value[key], [...path, key], missing);
    if (typeof inside === 'object' && inside !== null) {
      setOwn(copy, key, inside);
    }
  }
  for (const key of isObject(properties) ? Object.keys(properties) : []) {
    if (!Object.hasOwn(value, key) && missing.length < MAX_MISSING) {
      setOwn(copy, key, null);
      missing.push([...path, key]);
    }
  }
  return copy;
}
