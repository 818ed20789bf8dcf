// Converts a report into a verdict to show. The report is untrusted, so its values are used only as text.
import { visible } from '../../view/src/visible.ts';
import { verdictOf } from '../../view/src/verdict.ts';
import { localeOf, say } from './texts.js';

const LOOKS = ['green', 'amber', 'red', 'grey-red', 'grey'];
/** The maximum length of a value and of a headline, in characters. The longest value is a reason, with up to 280 characters. */
const MAX_LENGTH = 600;

/**
 * Returns `{ code, look, headline, reason }` with texts in `language`. `reason` is the reason of a withdrawal that an account gave, or null. `own` has the parts of the verdict that this browser determined itself. Throws if the report is malformed, or about another asset.
 */
export function verdictFrom(report, { ledger, asset }, language, own = {}) {
  const isOther = report.ledger !== null && (report.ledger.id.toLowerCase() !== ledger.toLowerCase() || BigInt(report.asset.id) !== BigInt(asset));
  const { code, look, text, values } = verdictOf(report, own);
  if (isOther || typeof report.headline.code !== 'string' || !LOOKS.includes(look)) {
    throw new TypeError('the report is malformed');
  }
  const words = {
    get date() {
      return values.date === null ? say(language, 'badge', 'unknownDate') : dayText(values.date, language);
    },
    get domain() {
      return textOf(values.domain);
    },
    get name() {
      return textOf(values.name);
    },
  };
  const hasReason = code === 'withdrawn' && values.reason !== null;
  return {
    code,
    look,
    headline: text === undefined ? say(language, 'headline', code, words) : textOf(text),
    reason: hasReason ? textOf(values.reason) : null,
  };
}

/** Formats a time from the service as a date. Throws if it is not a time. */
function dayText(time, language) {
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(textOf(time)));
}

/** Returns an untrusted string. Escapes invisible characters and characters that reorder text. Throws if the value is not a string, or is empty or too long. */
function textOf(value) {
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_LENGTH) {
    throw new TypeError('the report has no text');
  }
  return visible(value);
}
