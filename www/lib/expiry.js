// Finds the expiry date that a certificate proves. No DOM here.
import { isObject, own } from './json.js';

const DAY = 86_400_000;

/**
 * Returns the first moment at which the certificate is expired, in milliseconds since 1970, or null. The field is the root's property with
 * `"x-assay-expires": true`, or else `validUntil`. A day (`2027-06-30`) counts to its end in UTC. Only a proven value counts.
 */
export function expiryOf(schema, fields) {
  const properties = own(schema, 'properties');
  if (!isObject(properties)) {
    return null;
  }
  const key = Object.keys(properties).find((name) => own(properties[name], 'x-assay-expires') === true) ?? 'validUntil';
  const field = fields.find(({ path, status }) => path.length === 1 && path[0] === key && status === 'proven');
  return typeof field?.value === 'string' ? moment(field.value) : null;
}

function moment(text) {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  const at = day === undefined ? NaN : Date.parse(text);
  if (Number.isNaN(at)) {
    return null;
  }
  return time === undefined ? at + DAY : at;
}
