// The sentence about an error, in the page's language.
import { Refusal, sentenceOf } from '../../pkg/view/src/json.ts';
import { hasText, say } from './texts.ts';

/** Returns the sentence about an error. A refusal with a key has a sentence in each language. Other refusals and errors of the library have only an English one. */
export function sentence(error: unknown): string {
  return error instanceof Refusal && error.key !== undefined && hasText(error.key) ? say(error.key, error.values) : sentenceOf(error);
}
