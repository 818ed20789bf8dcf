// The encodings in which a text may be written, with words by which a person recognises the right one. Does not use the DOM.

/** Encodings of the Encoding Standard that programs still write, the most frequent first. */
const LABELS = [
  ...['windows-1252', 'macintosh', 'windows-1250', 'windows-1251', 'windows-1254', 'windows-1253', 'windows-1257', 'windows-1255', 'windows-1256', 'windows-1258'],
  ...['iso-8859-2', 'iso-8859-5', 'koi8-r', 'ibm866', 'x-mac-cyrillic', 'windows-874', 'shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'],
];
/** The maximum number of bytes that are read, and the number of words that are shown at first. */
const MAX_BYTES = 65_536;
const MAX_WORDS = 4;

export interface Spelling {
  readonly encoding: string;
  /** Words with letters outside ASCII, as the encoding spells them. */
  readonly words: string;
}

/** Returns the different spellings of a text's words. Leaves out encodings to which the bytes do not belong. */
export function spellingsOf(bytes: Uint8Array): Spelling[] {
  const found: { encoding: string; all: string[] }[] = [];
  for (const encoding of LABELS) {
    const all = wordsOf(bytes, encoding);
    if (all.length > 0 && found.every((known) => known.all.join() !== all.join())) {
      found.push({ encoding, all });
    }
  }
  return found.map(({ encoding, all }, index) => {
    // Words after the first ones may tell this encoding from an earlier one.
    const others = found.slice(0, index).map((known) => all.find((word, at) => word !== known.all[at]));
    const words = [...all.slice(0, MAX_WORDS), ...others.filter((word) => word !== undefined)];
    return { encoding, words: [...new Set(words)].join(', ') };
  });
}

function wordsOf(bytes: Uint8Array, encoding: string): string[] {
  try {
    // The part may end inside a character, so the decoder waits for more.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes.subarray(0, MAX_BYTES), { stream: true });
    const words = text.match(/[\p{L}\p{M}\p{N}\p{S}]*[^\p{ASCII}][^\s,;"']*/gu) ?? [];
    return /[^\t\n\r\P{Cc}]|\p{Co}/u.test(text) ? [] : words;
  } catch {
    return [];
  }
}
