// Lists of short texts without spaces in the browser's storage, such as addresses. A browser without storage keeps none. Does not use the DOM.

/** Returns the list under a key. */
export function readNoted(key: string): string[] {
  try {
    return (localStorage.getItem(key) ?? '').split(' ').filter((text) => text !== '');
  } catch {
    return [];
  }
}

/** Keeps a list under a key. */
export function keepNoted(key: string, texts: readonly string[]): void {
  try {
    localStorage.setItem(key, texts.join(' '));
  } catch {
    // The caller does without the list after the page is left.
  }
}

/** Notes a text as the first one of a list of at most `most` texts. The list then has the text once, and loses its last ones. */
export function noteFirst(key: string, text: string, most: number): void {
  const others = readNoted(key).filter((other) => other !== text);
  keepNoted(key, [text, ...others].slice(0, most));
}
