/**
 * JSON with its keys sorted, and the items of its arrays, so that their order makes no difference. Objects in arrays are left as they
 * are.
 */
export function sorted(value) {
  if (Array.isArray(value)) {
    // By their text, which is what `sort` compares.
    const items = value.map((item) => ({ item, toString: () => textOf(item) }));
    return items.sort().map(({ item }) => item);
  }
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value).sort();
    return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
  }
  return value;
}

/** What `String` makes of it, whatever keys its objects have. */
function textOf(value) {
  if (Array.isArray(value)) {
    return value.map((item) => (item === null ? '' : textOf(item))).join();
  }
  return typeof value === 'object' && value !== null ? '[object Object]' : String(value);
}
