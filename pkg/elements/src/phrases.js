// The texts of a drawn certificate, in the languages of www/texts.
import { certificate as de } from '../../../www/texts/de.json';
import { certificate as en } from '../../../www/texts/en.json';
import { certificate as es } from '../../../www/texts/es.json';
import { certificate as fr } from '../../../www/texts/fr.json';
import { filled } from './texts.js';

const PHRASES = { de, en, es, fr };

export const phrase = (language, key, values) => filled(PHRASES[language][key], values);
