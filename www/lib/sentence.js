// The sentence about an error, in the page's language.
import { sentenceOf } from './json.js';
import { hasText, say } from './texts.js';

/** Returns the sentence about an error. A refusal with a key has a sentence in each language. Other refusals and errors of the library have only an English one. */
export function sentence(error) {
  return error.key !== undefined && hasText(error.key) ? say(error.key, error.values) : sentenceOf(error);
}
