// Finds the different characters of two texts that look alike, by docs/spec/text.md. Does not use the DOM.
import { hidden, lookalikes } from './characters.js';
import { visible } from './visible.js';

/** The maximum number of differences, and of code points in each. */
const MAX_DIFFERENCES = 8;
const MAX_POINTS = 12;
/** Longer texts are not compared. */
const MAX_LENGTH = 20_000;

const FIRST = new Map(lookalikes.flatMap((group) => [...group].map((letter) => [letter, [...group][0]])));
const HIDDEN = new RegExp(`[${hidden}]`, 'gu');

/**
 * Returns the differences `[{ text, points, otherText, otherPoints }]` of two texts that differ but look alike, such as `é` as one character and
 * as two. Points are code points such as `U+00E9`. Returns null if the texts are equal or do not look alike.
 */
export function differences(one, other) {
  if (one === other || Math.max(one.length, other.length) > MAX_LENGTH || skeleton(one) !== skeleton(other)) {
    return null;
  }
  const [here, there] = [one, other].map((text) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment));
  const pairs = here.length === there.length ? here.map((part, index) => [part, there[index]]) : [middles(here, there)];
  const different = pairs.filter(([part, otherPart]) => part !== otherPart).slice(0, MAX_DIFFERENCES);
  return different.map(([text, otherText]) => ({ text: visible(text), points: pointsOf(text), otherText: visible(otherText), otherPoints: pointsOf(otherText) }));
}

/** Returns a text's shape: equal for texts that look alike. Characters that are kept although they are hidden have no glyph. */
function skeleton(text) {
  const shape = [...visible(text).replace(HIDDEN, '').normalize('NFD')].map((letter) => FIRST.get(letter) ?? letter);
  return shape.join('').replace(/\s+/gu, ' ').trim();
}

/** Returns the different middle parts of two lists, as texts. */
function middles(one, other) {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) {
    start += 1;
  }
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) {
    end += 1;
  }
  return [one, other].map((list) => list.slice(start, list.length - end).join(''));
}

function pointsOf(text) {
  const points = [...text].map((character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
  const shown = points.slice(0, MAX_POINTS).join(' ') || '—';
  return points.length > MAX_POINTS ? `${shown} …` : shown;
}
