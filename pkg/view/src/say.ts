// The types of the texts that pages show.

/** The values for the places in a text. `count` selects the plural form. */
export interface Values {
  readonly count?: number;
  readonly [name: string]: unknown;
}

/** Returns the text with a key in one language, with its places filled in. */
export type Say = (key: string, values?: Values) => string;
