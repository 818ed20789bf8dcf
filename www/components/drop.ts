// Files that are dropped on the page.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Calls `dropped` with the files that are dropped anywhere on the page. Returns true while something is dragged above the page. */
export function useDrop(dropped: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(dropped);
  latest.current = dropped;
  // At once: an effect after the next picture would miss files that are dropped before it.
  useLayoutEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    const dragover = (event: Event) => {
      event.preventDefault();
      setIsOver(true);
    };
    const drop = (event: DragEvent) => {
      setIsOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) {
        event.preventDefault();
        latest.current(files);
      }
    };
    document.addEventListener('dragover', dragover, { signal });
    document.addEventListener('dragleave', () => setIsOver(false), { signal });
    document.addEventListener('drop', drop, { signal });
    return () => end.abort();
  }, []);
  return isOver;
}
