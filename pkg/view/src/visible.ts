// Shows untrusted text so that hidden characters cannot mislead a reader, by docs/spec/text.md. Does not use the DOM.
import { apart, emoji, hidden, joining, rightToLeft, varying } from './characters.ts';

/** Hidden characters where their script or an emoji uses them, with the characters around them. */
const USED = [
  `[${joining}][\\u180b-\\u180f\\u200b-\\u200d\\ufe00]`,
  `[\\u200b-\\u200d](?=[${joining}])`,
  // Sequences of emoji, emoji with a variation selector, keycaps, and flags of subdivisions (UTS 51).
  `[${emoji}](?:\\ufe0f?\\u200d(?=[${emoji}])|[\\ufe0e\\ufe0f])`,
  '[#*0-9]\\ufe0f(?=\\u20e3)',
  '\\u{1f3f4}[\\u{e0061}-\\u{e007a}]{2}[\\u{e0030}-\\u{e007a}]{1,3}\\u{e007f}',
  `[${varying}][\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]`,
  `[${rightToLeft}]\\u034f`,
  `[^${apart}${hidden}]\\xad(?=[^${apart}${hidden}])`,
].join('|');

const FOUND = new RegExp(`(${USED})|[${hidden}]`, 'gu');
const RIGHT_TO_LEFT = new RegExp(`[${rightToLeft}]`, 'u');

/** Escapes hidden characters, such as `\u{202e}`, except where their script uses them. */
export function visible(text: string): string {
  const shown = (found: string, isDirection: boolean) => (isDirection && RIGHT_TO_LEFT.test(text) ? found : `\\u{${found.codePointAt(0)?.toString(16)}}`);
  return text.replace(FOUND, (found: string, used: string | undefined) => used ?? shown(found, /[\u061c\u200e\u200f]/.test(found)));
}

/** Returns the start of a text of at most `most` UTF-16 code units, and the rest. Splits between graphemes, such as the parts of a family emoji. */
export function split(text: string, most: number): [start: string, rest: string] {
  if (text.length <= most) {
    return [text, ''];
  }
  // A grapheme's start depends only on the text before it and on its first characters.
  const start = new Intl.Segmenter().segment(text.slice(0, 2 * most)).containing(most)?.index ?? 0;
  // A stack of marks may be longer than `most`. It is split between code points.
  const end = start > 0 ? start : most - (/^[\udc00-\udfff]/.test(text.slice(most)) ? 1 : 0);
  return [text.slice(0, end), text.slice(end)];
}

/** Truncates a long text between two graphemes. */
export function shorten(text: string, most: number): string {
  const [start, rest] = split(text, most);
  return rest === '' ? text : `${start}… (${text.length} characters)`;
}
