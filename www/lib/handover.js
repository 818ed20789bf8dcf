// Passes a certificate from the certify page to the verify page in another tab. The certificate stays in this browser and can be taken only once.
const KEY = 'assay.handover';
/** The time after which an unclaimed certificate is removed, in milliseconds. The other page normally opens immediately. */
const UNCLAIMED = 30_000;

/** Leaves public texts for the other page. Returns false if the browser cannot store that much. */
export function leave(texts) {
  try {
    const text = JSON.stringify(texts);
    // Uses `localStorage`, because a page without an opener cannot read this tab's `sessionStorage`.
    localStorage.setItem(KEY, text);
    setTimeout(() => localStorage.getItem(KEY) === text && localStorage.removeItem(KEY), UNCLAIMED);
    return true;
  } catch {
    return false;
  }
}

/** Takes the texts that were left. Returns null if there are none. */
export function take() {
  try {
    const text = localStorage.getItem(KEY);
    localStorage.removeItem(KEY);
    return JSON.parse(text);
  } catch {
    return null;
  }
}
