// From the page that certifies to the page that verifies: within this tab of this browser, once, and uploaded nowhere.
const KEY = 'assay.handover';

/** Leaves texts for the next page; false where the browser does not keep that much. */
export function leave(texts) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(texts));
    return true;
  } catch {
    return false;
  }
}

/** Takes what was left, if anything was. */
export function take() {
  try {
    const text = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return JSON.parse(text);
  } catch {
    return null;
  }
}
