// The sentence about an error, in the page's language.
import { sentenceOf } from './json.js';
import { hasText, say } from './texts.js';

/** Returns the sentence of a refusal's key. An error of the library, and one without a key, has an English sentence only. */
export function sentence(error) {
  return error.key !== undefined && hasText(error.key) ? say(error.key, error.values) : sentenceOf(error);
}
