// Loads the parts of a page that are files of their own. Does not use the DOM.
import { Refusal } from '../../pkg/view/src/json.ts';

/** The time after a reload in which the page does not load itself again, in milliseconds. */
const PAUSE = 60_000;

/**
 * Loads the page again and returns true, because one of its files is missing: a deployment keeps the files of the previous release, and this tab may
 * be older. Returns false if the page was loaded again shortly before. Also returns false if the visitor has used the page, because a reload would
 * lose what they entered.
 */
export function loadAgain() {
  const [navigation] = performance.getEntriesByType('navigation');
  const isFresh = navigation instanceof PerformanceNavigationTiming && navigation.type === 'reload' && performance.now() < PAUSE;
  if (isFresh || navigator.userActivation?.hasBeenActive) {
    return false;
  }
  location.reload();
  return true;
}

/** Waits for the import of a part. If the part cannot be loaded, loads the page again, or refuses. */
export async function part<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch {
    if (loadAgain()) {
      return new Promise(() => {});
    }
    throw new Refusal('A part of this page could not be loaded. Reload the page.', 'refusal.part');
  }
}
