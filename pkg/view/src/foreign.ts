// Recognizes files that are not JSON, and explains in a sentence what they are and what to do. Does not use the DOM.
const USE_JSON = 'Use the JSON file of the document instead.';
const EACH_ROW = 'Save each row as a JSON file of its own, and use one at a time.';

/** The beginnings of files, decoded as UTF-8, and the kinds of these files. */
const BEGINNINGS: [RegExp, ForeignKind][] = [
  [/^%PDF-/, 'pdf'],
  [/^PK[\u0003\u0005\u0007]/, 'office'],
  [/^\ufffd\ufffd\u0011/, 'oldOffice'],
  [/^(?:\ufffdPNG|\ufffd{4}|GIF8|RIFF)/, 'picture'],
  [/^\s*<(?:!doctype html|html)/i, 'webPage'],
  [/^\s*<[?!a-z]/i, 'xml'],
];

export type ForeignKind = keyof typeof SENTENCES;

/** For each kind, the rest of a sentence about a file of this kind. */
const SENTENCES = {
  pdf: `is a PDF. ${USE_JSON}`,
  office: `is an Excel, Word or ZIP file. ${USE_JSON} Of a table, each row needs a JSON file of its own.`,
  oldOffice: `is an old Excel or Word file. ${USE_JSON} Of a table, each row needs a JSON file of its own.`,
  picture: `is a picture. ${USE_JSON}`,
  webPage: `is a web page. ${USE_JSON}`,
  xml: `is an XML file. ${USE_JSON}`,
  lines: 'has one document a line. Save each line as a JSON file of its own, and use one at a time.',
  table: `is a table (CSV). ${EACH_ROW}`,
};

/** Returns the rest of a sentence that describes a text that is not JSON and says what to do. Returns null if the kind is not known. */
export function foreign(text: string): string | null {
  const kind = foreignKind(text);
  return kind === null ? null : SENTENCES[kind];
}

/** Returns the kind of a text that is not JSON, or null if it is not known. Texts of the pages have a sentence for each. */
export function foreignKind(text: string): ForeignKind | null {
  const beginning = BEGINNINGS.find(([pattern]) => pattern.test(text));
  if (beginning !== undefined) {
    return beginning[1];
  }
  const lines = text
    .slice(0, 100_000)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length > 1 && lines.slice(0, 2).every(isJson)) {
    return 'lines';
  }
  return isTable(lines) ? 'table' : null;
}

function isJson(line: string) {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

/** Returns true if two lines have the same number of separators. Braces and brackets at the start mean broken JSON instead. */
function isTable([head, first]: string[]) {
  if (head === undefined || first === undefined || /^[{[]/.test(head)) {
    return false;
  }
  const columns = (line: string, separator: string) => line.replace(/"(?:[^"]|"")*"/g, '').split(separator).length;
  return [',', ';', '\t'].some((separator) => columns(head, separator) > 1 && columns(head, separator) === columns(first, separator));
}
