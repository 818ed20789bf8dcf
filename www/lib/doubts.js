// Finds dates of a document that can hardly be true, by docs/batch.md. The issuer confirms them before issuing. Does not use the DOM.
import { nameOf } from './display.js';
import { expiryPaths, moment } from './expiry.js';
import { Refusal } from './json.js';
import { plainFields } from './model.js';

const DAY = 86_400_000;
const FIRST_YEAR = 1600;
const YEARS_AHEAD = 100;

/**
 * Returns the doubtful dates of a document at a time in milliseconds: `[{ path, code }]`. `code` is `expired` for a certificate that is over already,
 * `order` for one that is over before its day of issue, `future` for a day of issue that is to come, `old` for a date before 1600, and `far` for a date
 * more than 100 years ahead.
 */
export function doubtsOf(schema, document, now) {
  const dated = plainFields(schema, document, 'proven').filter(({ value }) => typeof value === 'string' && moment(value) !== undefined);
  const expiry = new Set(expiryPaths(schema).map((path) => JSON.stringify(path)));
  const issued = dated.find(({ path }) => path.length === 1 && path[0] === 'issuedAt')?.value;
  const codeOf = ({ path, value }) => {
    const year = Number(value.slice(0, 4));
    if (expiry.has(JSON.stringify(path))) {
      if (moment(value).end <= now) {
        return 'expired';
      }
      if (issued !== undefined && moment(value).end <= moment(issued).start) {
        return 'order';
      }
    }
    if (value === issued && path[0] === 'issuedAt' && moment(value).start > now + DAY) {
      return 'future';
    }
    return year < FIRST_YEAR ? 'old' : year > new Date(now).getUTCFullYear() + YEARS_AHEAD ? 'far' : null;
  };
  return dated.map((field) => ({ path: field.path, code: codeOf(field) })).filter(({ code }) => code !== null);
}

/** Returns a sentence for each doubtful date. `say` returns texts. */
export const doubtSentences = (schema, doubts, say) => doubts.map(({ path, code }) => say(`doubt.${code}`, { field: `\u2068${nameOf(schema, path) ?? path.join('.')}\u2069` }));

/**
 * Returns a function that refuses a document with doubtful dates. If it has just refused the same `content`, it accepts the document, because the issuer has
 * pressed the button again. `say` and `listText` are the functions of lib/texts.js.
 */
export function datesConfirmation({ say, listText }) {
  let confirmed = null;
  return (schema, document, content) => {
    const doubts = doubtsOf(schema, document, Date.now());
    if (doubts.length > 0 && confirmed !== content) {
      confirmed = content;
      throw Refusal.of('doubt.confirm', { list: listText(doubtSentences(schema, doubts, say)) });
    }
  };
}
