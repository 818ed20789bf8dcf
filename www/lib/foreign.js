// Recognizes files that are not JSON, and explains in a sentence what they are and what to do. No DOM here.
const USE_JSON = 'Use the JSON file of the document instead.';
const EACH_ROW = 'Save each row as a JSON file of its own, and use one at a time.';

/** Beginnings of files, as their bytes read as UTF-8 text. */
const BEGINNINGS = [
  [/^%PDF-/, 'a PDF', USE_JSON],
  [/^PK[\u0003\u0005\u0007]/, 'an Excel, Word or ZIP file', `${USE_JSON} Of a table, each row needs a JSON file of its own.`],
  [/^\ufffd\ufffd\u0011/, 'an old Excel or Word file', `${USE_JSON} Of a table, each row needs a JSON file of its own.`],
  [/^(?:\ufffdPNG|\ufffd{4}|GIF8|RIFF)/, 'a picture', USE_JSON],
  [/^\s*<(?:!doctype html|html)/i, 'a web page', USE_JSON],
  [/^\s*<[?!a-z]/i, 'an XML file', USE_JSON],
];

/** Describes a text that is not JSON, and what to do: the rest of a sentence about the file, or null if the kind is not known. */
export function foreign(text) {
  const beginning = BEGINNINGS.find(([pattern]) => pattern.test(text));
  if (beginning !== undefined) {
    const [, what, advice] = beginning;
    return `is ${what}. ${advice}`;
  }
  const lines = text.slice(0, 100_000).split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== '');
  if (lines.length > 1 && lines.slice(0, 2).every(isJson)) {
    return 'has one document a line. Save each line as a JSON file of its own, and use one at a time.';
  }
  return isTable(lines) ? `is a table (CSV). ${EACH_ROW}` : null;
}

function isJson(line) {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

/** Returns true if two lines have the same number of separators. Braces and brackets at the start mean broken JSON instead. */
function isTable([head, first]) {
  if (first === undefined || /^[{[]/.test(head)) {
    return false;
  }
  const columns = (line, separator) => line.replace(/"(?:[^"]|"")*"/g, '').split(separator).length;
  return [',', ';', '\t'].some((separator) => columns(head, separator) > 1 && columns(head, separator) === columns(first, separator));
}
