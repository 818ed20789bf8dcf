// The texts that both elements need, in the languages of pkg/view/texts.
import { badge as deBadge, headline as deHeadline } from '../../view/texts/de.json';
import { badge as enBadge, headline as enHeadline } from '../../view/texts/en.json';
import { badge as esBadge, headline as esHeadline } from '../../view/texts/es.json';
import { badge as frBadge, headline as frHeadline } from '../../view/texts/fr.json';

const TEXTS = {
  de: { badge: deBadge, headline: deHeadline },
  en: { badge: enBadge, headline: enHeadline },
  es: { badge: esBadge, headline: esHeadline },
  fr: { badge: frBadge, headline: frHeadline },
};

/** Returns the language of an element: the `lang` of the element or of its nearest ancestor. English if there are no texts in that language. */
export function languageOf(element) {
  const named = element.closest('[lang]') ?? document.documentElement;
  const language = named.lang.slice(0, 2).toLowerCase();
  return Object.hasOwn(TEXTS, language) ? language : 'en';
}

export const say = (language, group, key, values) => filled(TEXTS[language][group][key], values);

/** Replaces each `{name}` by the value of that name. Values are inserted once, so a value with braces stays as it is. */
export const filled = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

export const localeOf = (language) => (language === 'en' ? 'en-GB' : language);
