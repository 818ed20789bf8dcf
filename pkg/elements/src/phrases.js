// The texts of a drawn certificate, in the languages of pkg/view/texts.
import { certificate as de, common as deCommon } from '../../view/texts/de.json';
import { certificate as en, common as enCommon } from '../../view/texts/en.json';
import { certificate as es, common as esCommon } from '../../view/texts/es.json';
import { certificate as fr, common as frCommon } from '../../view/texts/fr.json';
import { template as deTemplate } from '../../view/texts/de.templates.json';
import { template as enTemplate } from '../../view/texts/en.templates.json';
import { template as esTemplate } from '../../view/texts/es.templates.json';
import { template as frTemplate } from '../../view/texts/fr.templates.json';
import { filled } from './texts.js';

const PHRASES = { de, en, es, fr };
/** The titles of templates in each language, as `inLanguage` takes them. */
export const TITLES = Object.entries({ de: deTemplate, en: enTemplate, es: esTemplate, fr: frTemplate }).map(([language, template]) => [
  language,
  (key) => key.split('.').reduce((at, step) => at[step], { template }),
]);
const COMMON = { de: deCommon, en: enCommon, es: esCommon, fr: frCommon };

export const phrase = (language, key, values) => filled(PHRASES[language][key], values);

/** Returns the word for true or false. */
export const yesOrNo = (language, is) => COMMON[language][is ? 'yes' : 'no'];
