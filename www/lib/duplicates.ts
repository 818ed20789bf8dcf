// Finds a key that an object of a JSON text has twice. `JSON.parse` keeps the last value and reports nothing. Does not use the DOM.

/** Returns the first key that occurs twice in one object, or null. `text` must be valid JSON. */
export function duplicateKey(text: string): string | null {
  /** The keys of each open object, and null for each open list. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
        open.push(new Set());
        break;
      case '[':
        open.push(null);
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case '"': {
        const end = endOfString(text, at);
        const keys = open.at(-1);
        if (keys && isKey(text, end)) {
          const key: string = JSON.parse(text.slice(at, end));
          if (keys.has(key)) {
            return key;
          }
          keys.add(key);
        }
        at = end - 1;
        break;
      }
      default:
    }
  }
  return null;
}

/** Returns the index after the closing quotation mark of the string at `start`. */
function endOfString(text: string, start: number) {
  let at = start + 1;
  while (text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

function isKey(text: string, end: number) {
  let at = end;
  while (/[ \t\r\n]/.test(text.charAt(at))) {
    at += 1;
  }
  return text[at] === ':';
}
