// The address that opens LinkedIn's form for a certificate with its values. Does not use the DOM.
import type { Field } from '../../pkg/view/src/field.ts';
import { own } from '../../pkg/view/src/json.ts';
import { schemaAt } from '../../pkg/view/src/certified.ts';
import type { Verdict } from '../../pkg/view/src/verdict.ts';

/** The mark of an expiry field, and the field that counts without a mark, as in cert-core/src/verdict/expiry.rs. */
const MARK = 'x-assay-expires';
const EXPIRY = 'validUntil';
const ISSUED = 'issuedAt';
/** The maximum length of a name in the address, in UTF-16 code units. LinkedIn's form takes no more. */
const MAX_NAME = 255;

/** A certificate with a favourable verdict. `title` is its shown title, and `page` the address of its public page. */
interface Valid {
  verdict: Verdict;
  schema: unknown;
  fields: readonly Field[];
  title: string;
  page: string;
  asset: string;
}

/**
 * Returns the address, or null if the issuer is not confirmed or the certificate has no title. The address has only proven values, and nothing that the
 * public page does not name: the title, the issuer, the months of issue and expiry, the page and the number.
 */
export function linkedInAddress({ verdict, schema, fields, title, page, asset }: Valid): string | null {
  const { code, issuer } = verdict;
  const organisation = issuer?.name ?? issuer?.domain ?? '';
  if ((code !== 'valid' && code !== 'valid-by-operator') || organisation === '' || title === '') {
    return null;
  }
  const address = new URL('https://www.linkedin.com/profile/add');
  const set = (name: string, value: string) => address.searchParams.set(name, value);
  set('startTask', 'CERTIFICATION_NAME');
  set('name', title.slice(0, MAX_NAME));
  set('organizationName', organisation.slice(0, MAX_NAME));
  for (const [name, dates] of [
    ['issue', datesAt(fields, ({ path: [key], path }) => path.length === 1 && key === ISSUED)],
    ['expiration', expiryDates(schema, fields)],
  ] as const) {
    const [first] = dates;
    if (first !== undefined) {
      set(`${name}Year`, first.slice(0, 4));
      set(`${name}Month`, String(Number(first.slice(5, 7))));
    }
  }
  set('certUrl', page);
  set('certId', asset);
  return address.href;
}

function expiryDates(schema: unknown, fields: readonly Field[]): string[] {
  const isMarked = ({ path }: Field) => own(schemaAt(schema, path), MARK) === true;
  const isAnyMarked = JSON.stringify(schema).includes(`"${MARK}":true`);
  return datesAt(fields, isAnyMarked ? isMarked : ({ path: [key], path }) => path.length === 1 && key === EXPIRY);
}

/** Returns the proven dates of some fields, the earliest first. */
function datesAt(fields: readonly Field[], isWanted: (field: Field) => boolean): string[] {
  return fields.flatMap((field) => (field.status === 'proven' && typeof field.value === 'string' && isDate(field.value) && isWanted(field) ? [field.value] : [])).sort();
}

const isDate = (text: string) => /^\d{4}-\d\d-\d\d(T|$)/.test(text) && !Number.isNaN(Date.parse(text));
