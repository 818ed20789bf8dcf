// Reads and writes tables as spreadsheets save them (CSV), by the rules of `cert batch` (docs/batch.md). tests/vectors/batch checks both programs.
// Does not use the DOM. This module also runs in Node.
import { Refusal, visible } from './json.js';

/** The maximum size of a table, in bytes. */
export const MAX_BYTES = 5 * 1024 * 1024;
/** The maximum number of rows that a page issues. `cert batch` can issue more. */
export const MAX_ROWS = 2000;

export const WINDOWS_1252 = 'windows-1252';
const DELIMITERS = [',', ';', '\t'];

/** The beginnings of files of other formats, each with the key of the refusal. */
const BEGINNINGS = [
  [[0x50, 0x4b, 0x03, 0x04], 'table.office'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'table.oldOffice'],
  [[0x25, 0x50, 0x44, 0x46], 'table.pdf'],
  [[0xff, 0xfe], 'table.utf16'],
  [[0xfe, 0xff], 'table.utf16'],
];

/**
 * Returns the text of a table's bytes. Without an `encoding` it has to be UTF-8. Other text is refused with the key `table.encoding` and the
 * value `sample`, a part of the text decoded as Windows-1252.
 */
export function decodeTable(bytes, encoding = null) {
  if (bytes.length > MAX_BYTES) {
    throw Refusal.of('table.size', { megabytes: (bytes.length / 1024 / 1024).toFixed(1), most: MAX_BYTES / 1024 / 1024 });
  }
  const other = BEGINNINGS.find(([beginning]) => beginning.every((byte, index) => bytes[index] === byte));
  if (other !== undefined) {
    throw Refusal.of(other[1]);
  }
  const text = encoding === null ? utf8(bytes) : new TextDecoder(encoding).decode(bytes);
  // In Windows-1252, five bytes are undefined and decode to control characters. Control characters are refused, because a table of text has
  // none.
  const control = /[^\P{Cc}\n\r\t]/u.exec(text);
  if (control !== null) {
    throw Refusal.of('table.control', { code: control[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0') });
  }
  return text;
}

function utf8(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw Refusal.of('table.encoding', { sample: sampleOf(new TextDecoder(WINDOWS_1252).decode(bytes)) });
  }
}

/** Returns a few words that have characters outside of ASCII. */
function sampleOf(text) {
  // The text is split first. A pattern that looks for such a word takes quadratic time in a long word without these characters.
  const words = text.split(/[\s,;"]+/).filter((word) => /[\u0080-\uffff]/.test(word));
  return [...new Set(words)].slice(0, 4).map((word) => visible(word.slice(0, 40))).join(' ');
}

/**
 * Reads CSV (RFC 4180). Returns `{ delimiter, columns, rows, errors }`. A row is `{ row, cells }`, and an error `{ row, column, key, values }` is
 * about a row that cannot be read. Rows are numbered as in a spreadsheet, including empty rows. `parse` is the function of csv-parse,
 * which pages and tests find at different addresses.
 */
export function readTable(text, parse, delimiter = null) {
  // With an odd number of quotation marks, the parser would read the rest of the file as one cell.
  if (text.split('"').length % 2 === 0) {
    throw Refusal.of('table.quote');
  }
  const separator = delimiter ?? delimiterOf(text);
  const [first, ...records] = recordsOf(text, parse, separator).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (first === undefined) {
    throw Refusal.of('table.empty');
  }
  const columns = columnsOf(first.cells);
  const [rows, errors] = [[], []];
  for (const record of records) {
    const cells = withoutEmptyEnd(record.cells, columns.length);
    if (cells.length === columns.length) {
      rows.push({ row: record.row, cells });
    } else {
      errors.push({ row: record.row, column: null, key: 'table.cells', values: { count: cells.length, columns: columns.length } });
    }
  }
  if (records.length === 0) {
    throw Refusal.of('table.noRows');
  }
  if (records.length > MAX_ROWS) {
    throw Refusal.of('table.rows', { count: records.length, most: MAX_ROWS });
  }
  return { delimiter: separator, columns, rows, errors };
}

function recordsOf(text, parse, delimiter) {
  try {
    const records = parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true });
    return records.map((cells, index) => ({ row: index + 1, cells }));
  } catch (error) {
    throw Refusal.of('table.inside', { row: (error.records ?? 0) + 1 });
  }
}

/** Returns the delimiter of the header. A header without a delimiter is a single column. */
function delimiterOf(text) {
  // Every second part of the split header is inside quotation marks.
  const outside = [];
  for (const [index, part] of text.split('"').entries()) {
    const end = index % 2 === 0 ? part.indexOf('\n') : -1;
    if (index % 2 === 0) {
      outside.push(end < 0 ? part : part.slice(0, end));
    }
    if (end >= 0) {
      break;
    }
  }
  const found = DELIMITERS.filter((delimiter) => outside.some((part) => part.includes(delimiter)));
  if (found.length > 1) {
    throw Refusal.of('table.delimiter');
  }
  return found[0] ?? ',';
}

function columnsOf(header) {
  const columns = header.map((cell) => cell.trim());
  // Spreadsheets also save empty columns at the end if these columns had content before.
  while (columns.at(-1) === '') {
    columns.pop();
  }
  const names = new Set();
  for (const [index, column] of columns.entries()) {
    if (column === '') {
      throw Refusal.of('table.unnamed', { number: index + 1 });
    }
    if (names.has(column)) {
      throw Refusal.of('table.twice', { name: visible(column) });
    }
    names.add(column);
  }
  return columns;
}

function withoutEmptyEnd(record, length) {
  const cells = [...record];
  while (cells.length > length && cells.at(-1) === '') {
    cells.pop();
  }
  return cells;
}

/**
 * Returns a cell of the result in a form that no spreadsheet runs as a formula: with an apostrophe before `=`, `+`, `-`, `@`, their full-width
 * forms, a tab or a line break. A spreadsheet that expects another delimiter may split the cell. Therefore the part after each
 * possible delimiter, quotation mark and line break is treated like a cell. Numbers and telephone numbers stay unchanged, because they cannot
 * name a function, a cell or a program.
 */
export function harmless(cell) {
  const parts = cell.split(/(?<=[,;\t\r\n"])/).map((part) => (/^[=+\-@＝＋－＠]/.test(part) && !/^[+-]?[0-9 .()/-]*[,;\t\r\n"]?$/.test(part) ? `'${part}` : part));
  return `${/^[\t\r\n]/.test(cell) ? "'" : ''}${parts.join('')}`;
}

/** Returns a table as CSV. Spreadsheets recognize UTF-8 by its byte order mark. */
export function writeTable(lines, delimiter) {
  const quoted = (cell) => (/["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return `\ufeff${lines.map((cells) => `${cells.map((cell) => quoted(harmless(cell))).join(delimiter)}\r\n`).join('')}`;
}
