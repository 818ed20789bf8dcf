// Loads a part of a page that is a file of its own.
import { part } from '/lib/part.ts';
import { useEffect, useState } from 'preact/hooks';

/** Returns the module that `load` imports, once it is wanted and loaded, or null. Reports a failure. The next time that the module is wanted, it is loaded again. */
export function usePart<Module>(isWanted: boolean, load: () => Promise<Module>, failed: (error: unknown) => void): Module | null {
  const [loaded, setLoaded] = useState<Module | null>(null);
  useEffect(() => {
    if (isWanted && loaded === null) {
      part(load()).then((module) => setLoaded(() => module), failed);
    }
  }, [isWanted]);
  return loaded;
}
