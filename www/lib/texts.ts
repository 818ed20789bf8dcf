// The texts of the pages in the visitor's language, from pkg/view/texts. Each language has a file for all pages, and a file for each group of pages with many texts.
import { own } from '../../pkg/view/src/json.ts';
import { readTexts } from './text-source.ts';
import type { Say, Values } from '../../pkg/view/src/say.ts';

export const LANGUAGES = ['en', 'de', 'fr', 'es'];

/** The language of the page: the language in its address (`?lang=de`), or otherwise the browser's first preferred language that has texts. */
export const language = chosen();

const texts: Record<string, unknown> = await load();

/** The locale for dates and numbers. */
export const locale = language === 'en' ? 'en-GB' : language;

/** Returns a text, with each `{name}` replaced by the value of that name. A text with plural forms is chosen by `values.count`. Throws if there is no such text. */
export const say: Say = sayOf(language, texts);

/** Returns the function `say` of each language, with the texts of one group: `[[language, say]]`. */
export const saysOf = (group: string) => Promise.all(LANGUAGES.map(async (tag): Promise<[language: string, say: Say]> => [tag, sayOf(tag, await readTexts(`${tag}.${group}`))]));

/** Returns the function `say` with the texts of one group in the language of the page. */
export const sayIn = async (group: string): Promise<Say> => sayOf(language, await readTexts(`${language}.${group}`));

/** Adds the texts of a group, for a part of the page that is loaded later. */
export async function addTexts(group: string): Promise<void> {
  Object.assign(texts, await readTexts(`${language}.${group}`));
}

/** Returns the function `say` for the texts of a language. */
function sayOf(tag: string, texts: unknown): Say {
  return (key, values = {}) => textOf(tag, texts, key, values);
}

function textOf(tag: string, texts: unknown, key: string, values: Values) {
  const found = textAt(texts, key);
  const text = typeof found === 'object' ? (own(found, plural(tag, values.count)) ?? own(found, 'other')) : found;
  if (typeof text !== 'string') {
    throw new Error(`there is no text \`${key}\``);
  }
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
}

const textAt = (texts: unknown, key: string) => key.split('.').reduce<unknown>(own, texts);

/** Returns true if there is a text with this key. */
export const hasText = (key: string) => textAt(texts, key) !== undefined;

/**
 * Sets texts (`data-text`), labels (`data-label`) and placeholders (`data-placeholder`) of elements. The page's own texts are English. They stay where
 * the texts lack a key, because a cached page may be older than the texts.
 */
export function translate(root: ParentNode = document) {
  document.documentElement.lang = language;
  const each = (name: string, set: (element: HTMLElement, text: string) => void) => {
    for (const element of root.querySelectorAll<HTMLElement>(`[data-${name}]`)) {
      const key = element.dataset[name];
      if (key !== undefined && hasText(key)) {
        set(element, say(key));
      }
    }
  };
  each('text', (element, text) => (element.textContent = text));
  each('label', (element, text) => element.setAttribute('aria-label', text));
  each('placeholder', (element, text) => element.setAttribute('placeholder', text));
}

/** Sets the links to this page in the other languages. Keeps the fragment, which may contain a certificate. */
export function offerLanguages(place: HTMLElement) {
  for (const link of place.querySelectorAll<HTMLAnchorElement>('a[hreflang]')) {
    const address = new URL(location.href);
    address.searchParams.set('lang', link.hreflang);
    link.href = address.href;
    if (link.hreflang === language) {
      link.setAttribute('aria-current', 'true');
    }
  }
}

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' });

/** Formats a time from the service as a date in UTC. A date and the `momentText` of the same time can therefore differ by a day. */
export const dayText = (text: string | Date) => DAY.format(new Date(text));
/** Formats a moment as date and time in the visitor's time zone. */
export const momentText = (date: Date) => MOMENT.format(date);
/** Returns a list with the language's word for "and". */
export const listText = (items: Iterable<string>) => new Intl.ListFormat(locale).format(items);

function plural(tag: string, count = 0) {
  return new Intl.PluralRules(tag).select(count);
}

function chosen() {
  const asked = [new URLSearchParams(location.search).get('lang'), ...navigator.languages];
  return asked.map((tag) => tag?.slice(0, 2).toLowerCase()).find((tag) => tag !== undefined && LANGUAGES.includes(tag)) ?? 'en';
}

/** Loads the texts of all pages. A page with `<html data-texts="signing issue templates">` also gets the texts of the groups `issue` and `templates`. */
async function load(): Promise<Record<string, unknown>> {
  const groups = document.documentElement.dataset.texts?.split(' ') ?? [];
  const parts = await Promise.all([language, ...groups.map((group) => `${language}.${group}`)].map(readTexts));
  return Object.assign({}, ...parts);
}
