// Finds the expiry date that a certificate proves, like the service. Does not use the DOM.
import { isObject, own } from './json.js';

const DAY = 86_400_000;
const MARK = 'x-assay-expires';
/** The property of the root that is the expiry field if the schema marks none. */
const NAME = 'validUntil';
/** The maximum nesting of objects in which marked fields are looked for, and the maximum number of such fields. */
const MAX_DEPTH = 16;
const MAX_FIELDS = 8;
/** A date of ISO 8601 in its extended format, with or without a time and its offset. */
const DATE = /^(\d{4}-\d\d-\d\d)(?:T((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;
/** The end of the last year of four digits. */
const LAST = Date.UTC(10000, 0) - 1;

/**
 * Returns the first moment at which the certificate is expired, in milliseconds since 1970, or null: the earliest of the proven expiry fields.
 * These are the properties with `"x-assay-expires": true`, or else `validUntil`. A day counts to its end in UTC.
 */
export function expiryOf(schema, fields) {
  const keys = expiryPaths(schema).map((path) => JSON.stringify(path));
  const values = fields.filter(({ path, status, value }) => status === 'proven' && typeof value === 'string' && keys.includes(JSON.stringify(path)));
  const moments = values.map(({ value }) => endOf(value)).filter((at) => at !== null);
  return moments.length > 0 ? Math.min(...moments) : null;
}

/** Returns the paths of the expiry fields. */
export function expiryPaths(schema) {
  const marked = [];
  collect(schema, [], marked);
  return marked.length > 0 ? marked : [[NAME]];
}

function collect(schema, path, found) {
  const properties = own(schema, 'properties');
  for (const key of isObject(properties) ? Object.keys(properties) : []) {
    if (found.length >= MAX_FIELDS) {
      return;
    }
    const below = [...path, key];
    if (own(properties[key], MARK) === true) {
      found.push(below);
    } else if (below.length < MAX_DEPTH) {
      collect(properties[key], below, found);
    }
  }
}

/** Returns the start and the end of a date, in milliseconds since 1970: equal for a date with a time. Undefined for other text. */
export function moment(text) {
  const [, day, time, offset = 'Z'] = DATE.exec(text) ?? [];
  const start = day === undefined ? NaN : Date.parse(`${day}T00:00Z`);
  // Browsers parse 30 February as a day in March.
  if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(day)) {
    return undefined;
  }
  const at = time === undefined ? start : Date.parse(`${day}T${time}${offset}`);
  return { start: at, end: time === undefined ? start + DAY : at };
}

/** Returns the moment from which a certificate with this expiry date is expired, or null. */
function endOf(text) {
  const { end } = moment(text) ?? {};
  // Any date before 1970 has passed.
  return end === undefined || end > LAST ? null : Math.max(end, 0);
}
