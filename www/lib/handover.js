// From the page that certifies to the page that verifies, which opens beside it: within this browser, once, and uploaded nowhere.
const KEY = 'assay.handover';
/** The other page opens at once, or never. In milliseconds. */
const UNCLAIMED = 30_000;

/** Leaves public texts for the next page; false where the browser does not keep that much. */
export function leave(texts) {
  try {
    const text = JSON.stringify(texts);
    // A page that opens without an opener gets none of this tab's own storage.
    localStorage.setItem(KEY, text);
    setTimeout(() => localStorage.getItem(KEY) === text && localStorage.removeItem(KEY), UNCLAIMED);
    return true;
  } catch {
    return false;
  }
}

/** Takes what was left, if anything was. */
export function take() {
  try {
    const text = localStorage.getItem(KEY);
    localStorage.removeItem(KEY);
    return JSON.parse(text);
  } catch {
    return null;
  }
}
