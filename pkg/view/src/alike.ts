// Finds the different characters of two texts that look alike, by docs/spec/text.md. Does not use the DOM.
import { hidden, lookalikes } from './characters.ts';
import { visible } from './visible.ts';

/** The maximum number of differences, and of code points in each. */
const MAX_DIFFERENCES = 8;
const MAX_POINTS = 12;
/** Longer texts are not compared. */
const MAX_LENGTH = 20_000;

const FIRST = new Map(lookalikes.flatMap((group) => [...group].map((letter) => [letter, [...group][0]])));
const HIDDEN = new RegExp(`[${hidden}]`, 'gu');

/** A different part of two texts, and its code points in each. */
export interface Difference {
  text: string;
  points: string;
  otherText: string;
  otherPoints: string;
}

/**
 * Returns the differences `[{ text, points, otherText, otherPoints }]` of two texts that differ but look alike, such as `é` as one character and
 * as two. Points are code points such as `U+00E9`. Returns null if the texts are equal or do not look alike.
 */
export function differences(one: string, other: string): Difference[] | null {
  if (one === other || Math.max(one.length, other.length) > MAX_LENGTH || skeleton(one) !== skeleton(other)) {
    return null;
  }
  const [here, there] = [graphemesOf(one), graphemesOf(other)];
  const pairs = here.length === there.length ? here.map((part, index): [string, string] => [part, there[index] ?? '']) : [middles(here, there)];
  const different = pairs.filter(([part, otherPart]) => part !== otherPart).slice(0, MAX_DIFFERENCES);
  return different.map(([text, otherText]) => ({ text: visible(text), points: pointsOf(text), otherText: visible(otherText), otherPoints: pointsOf(otherText) }));
}

const graphemesOf = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

/** Returns a text's shape: equal for texts that look alike. Characters that are kept although they are hidden have no glyph. */
function skeleton(text: string) {
  const shape = [...visible(text).replace(HIDDEN, '').normalize('NFD')].map((letter) => FIRST.get(letter) ?? letter);
  return shape.join('').replace(/\s+/gu, ' ').trim();
}

/** Returns the different middle parts of two lists, as texts. */
function middles(one: string[], other: string[]): [string, string] {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) {
    start += 1;
  }
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) {
    end += 1;
  }
  return [one.slice(start, one.length - end).join(''), other.slice(start, other.length - end).join('')];
}

function pointsOf(text: string) {
  const points = [...text].map((character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`);
  const shown = points.slice(0, MAX_POINTS).join(' ') || '—';
  return points.length > MAX_POINTS ? `${shown} …` : shown;
}
