// Takes the place of www/lib/text-source.ts in a saved page, which has the texts inside itself.
import { own } from '../../pkg/view/src/json.ts';
import { blockOf } from './blocks.ts';

const texts: unknown = JSON.parse(blockOf('texts'));

/** Returns the content of the file of pkg/view/texts with this name. */
export const readTexts = async (name: string): Promise<unknown> => own(texts, name);
