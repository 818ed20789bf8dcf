// Finds values that can hardly be meant, such as those that a spreadsheet destroyed, by docs/batch.md. The issuer confirms them before issuing.
// `cert batch` finds the same ones (tests/vectors). Does not use the DOM.
import { nameOf } from './display.js';
import { expiryPaths, moment } from './expiry.js';
import { Refusal, isObject, pathText, valueAt } from './json.js';

const DAY = 86_400_000;
const FIRST_YEAR = 1600;
const YEARS_AHEAD = 100;
/** The maximum length of an error value, a number or a name, in characters. Two spaces in a row are usual in longer texts. */
const MAX_SHORT = 80;
/** The maximum number of doubts that are listed of each kind. */
const MAX_LISTED = 10;

/** The kinds of doubts in their order, each with the codes of its doubts. Each kind is confirmed separately. */
const KINDS = {
  dates: ['expired', 'order', 'future', 'old', 'far'],
  errors: ['error'],
  shortened: ['shortened'],
  'equal-rows': ['equal'],
  spaces: ['around', 'double'],
};

/** Returns the kind of a doubt. */
export const kindOf = ({ code }) => Object.keys(KINDS).find((kind) => KINDS[kind].includes(code));

/** White space of Unicode, and characters without width that separate or join words. */
const SPACE = '\\p{White_Space}\\u180e\\u200b\\u2060\\ufeff';
const AROUND = new RegExp(`^[${SPACE}]|[${SPACE}]$`, 'u');
const DOUBLE = new RegExp(`(?:(?![\\n\\r\\x85\\u2028\\u2029])[${SPACE}]){2}`, 'u');
const OUTSIDE = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, 'gu');

/** Error values of spreadsheets in any language, error numbers of LibreOffice, and the signs of a column that was too narrow. French has a space before `!`. */
const ERROR = new RegExp(`^(?:Err[${SPACE}]?:\\d{3}|###+|#[¡¿]?\\p{Uppercase}[\\p{Uppercase}0-9/_]*[${SPACE}]?[!?]|#\\p{Uppercase}/\\p{Uppercase}|#(?:NV|YOK|HIÁNYZIK|NENÍ_K_DISPOZICI|GETTING_DATA))$`, 'u');
/** A number that a spreadsheet shortened. A text such as `1E5` may be a code, so an exponent without a sign needs decimals before it. */
const SHORTENED = /^[+-]?\d{1,3}(?:[.,]\d+[eE][+-]?|[eE][+-])\d{1,3}$/;

/** Returns the codes of the doubts about a text. */
export function codesOf(text) {
  const found = [];
  const isShort = text.length <= 2 * MAX_SHORT && [...text].length <= MAX_SHORT;
  const inside = isShort ? text.replace(OUTSIDE, '') : '';
  if (ERROR.test(inside)) {
    found.push('error');
  }
  if (SHORTENED.test(inside)) {
    found.push('shortened');
  }
  if (AROUND.test(text)) {
    found.push('around');
  } else if (DOUBLE.test(inside)) {
    found.push('double');
  }
  return found;
}

/**
 * Returns the doubts about a document at a time in milliseconds: `[{ path, code }]`, in the order of the kinds and the paths. `code` is `expired` for a
 * certificate that is over already, `order` for one that is over before its day of issue, `future` for a day of issue that is to come, `old` for a date
 * before 1600, `far` for a date more than 100 years ahead, `error` for an error value, `shortened` for a shortened number, `around` for spaces around a
 * text, and `double` for two spaces in a row.
 */
export function doubtsOf(schema, document, now) {
  const texts = leavesOf(document).filter(({ value }) => typeof value === 'string');
  const dateCode = dateCodes(schema, document, now);
  return inOrder(texts.flatMap(({ path, value }) => [dateCode(path, value) ?? [], codesOf(value)].flat().map((code) => ({ path, code }))));
}

/**
 * Returns the doubts about rows `{ row, cells, document }`: `[{ row, path, code }]`, in the order of the kinds, the rows and the paths. `mapped` has
 * the field of each column, or null. A row with the same values as an earlier row has the code `equal`, and `first` is the earlier row.
 */
export function doubtsOfRows(schema, rows, mapped, now) {
  const firstRows = new Map();
  const found = rows.flatMap(({ row, cells, document }) => {
    const text = JSON.stringify(document);
    const first = firstRows.get(text);
    firstRows.set(text, first ?? row);
    const equal = first === undefined ? [] : [{ path: [], code: 'equal', first }];
    const numbers = mapped.flatMap((field, index) => {
      const isNumber = field !== null && typeof valueAt(document, field.path) === 'number';
      return isNumber && codesOf(cells[index]).includes('shortened') ? [{ path: field.path, code: 'shortened' }] : [];
    });
    return [...doubtsOf(schema, document, now), ...numbers, ...equal].map((doubt) => ({ row, ...doubt }));
  });
  return inOrder(found);
}

const ORDER = Object.keys(KINDS);

/** Sorts doubts by kind, row and path. */
function inOrder(doubts) {
  return doubts.sort((one, other) => ORDER.indexOf(kindOf(one)) - ORDER.indexOf(kindOf(other)) || (one.row ?? 0) - (other.row ?? 0) || comparePaths(one.path, other.path));
}

function comparePaths(one, other) {
  const at = one.findIndex((step, index) => step !== other[index]);
  if (at < 0 || at >= other.length) {
    return one.length - other.length;
  }
  return one[at] < other[at] ? -1 : 1;
}

/** Returns the single values of a document: `[{ path, value }]`. */
function leavesOf(value, path = []) {
  if (Array.isArray(value) || isObject(value)) {
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    return entries.flatMap(([key, inside]) => leavesOf(inside, [...path, key]));
  }
  return [{ path, value }];
}

/** Returns a function that returns the code of a doubtful date, or undefined. */
function dateCodes(schema, document, now) {
  const expiry = new Set(expiryPaths(schema).map((path) => JSON.stringify(path)));
  const issued = typeof document.issuedAt === 'string' ? moment(document.issuedAt) : undefined;
  return (path, value) => {
    const at = moment(value);
    if (at === undefined) {
      return undefined;
    }
    const year = Number(value.slice(0, 4));
    if (expiry.has(JSON.stringify(path))) {
      if (at.end <= now) {
        return 'expired';
      }
      if (issued !== undefined && at.end <= issued.start) {
        return 'order';
      }
    }
    if (path.length === 1 && path[0] === 'issuedAt' && at.start > now + DAY) {
      return 'future';
    }
    return year < FIRST_YEAR ? 'old' : year > new Date(now).getUTCFullYear() + YEARS_AHEAD ? 'far' : undefined;
  };
}

/**
 * Returns a function that refuses doubts, one kind at a time. If it has just refused the same kind for the same `content`, it accepts this kind,
 * because the issuer has pressed the button again. `say` and `listText` are the functions of lib/texts.js.
 */
export function doubtsConfirmation({ say, listText }) {
  let confirmed = { content: null, kinds: new Set() };
  return (schema, doubts, content) => {
    if (confirmed.content !== content) {
      confirmed = { content, kinds: new Set() };
    }
    const kind = ORDER.find((kind) => !confirmed.kinds.has(kind) && doubts.some((doubt) => kindOf(doubt) === kind));
    if (kind !== undefined) {
      confirmed.kinds.add(kind);
      throw Refusal.of(`doubt.confirm.${kind}`, { list: listed(schema, doubts.filter((doubt) => kindOf(doubt) === kind), { say, listText }) });
    }
  };
}

/** Returns a sentence for each of the first doubts, by row, and the number of the others. */
function listed(schema, doubts, { say, listText }) {
  const byRow = new Map();
  for (const doubt of doubts.slice(0, MAX_LISTED)) {
    byRow.set(doubt.row, [...(byRow.get(doubt.row) ?? []), sentenceOf(schema, doubt, say)]);
  }
  const lines = [...byRow].map(([row, sentences]) => (row === undefined ? listText(sentences) : say('doubt.row', { row, list: listText(sentences) })));
  const more = doubts.length - MAX_LISTED;
  return [...lines, ...(more > 0 ? [say('certificate.more', { count: more })] : [])].join('; ');
}

const sentenceOf = (schema, { path, code, first }, say) => say(`doubt.${code}`, { field: `\u2068${nameOf(schema, path) ?? pathText(path)}\u2069`, first });
