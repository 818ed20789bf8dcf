// Shows the part of a long list that is in the window, so a list of 100,000 rows is as fast as one of fifty.
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The number of rows that are drawn above and below the window, so the keyboard finds the next row. */
const BEYOND = 12;
/** The height of a row in pixels, before a row was drawn. */
const GUESS = 56;

export interface Windowed {
  /** The element around the rows. */
  readonly place: RefObject<HTMLTableSectionElement | null>;
  /** The drawn rows: from `first` up to, but not including, `end`. */
  readonly first: number;
  readonly end: number;
  /** The heights of the rows above and below, in pixels. */
  readonly above: number;
  readonly below: number;
}

/** Returns the rows to draw of `count` rows. All rows have the same height, which is measured at the first drawn row with the class `row`. */
export function useWindowed(count: number): Windowed {
  const place = useRef<HTMLTableSectionElement>(null);
  const [{ top, height, row }, setView] = useState({ top: 0, height: innerHeight, row: GUESS });
  useEffect(() => {
    let frame = 0;
    const measure = () => {
      frame = 0;
      if (place.current?.checkVisibility()) {
        const top = Math.max(0, -place.current.getBoundingClientRect().top);
        setView((view) => (Math.abs(view.top - top) < view.row && view.height === innerHeight ? view : { ...view, top, height: innerHeight }));
      }
    };
    const later = () => {
      frame ||= requestAnimationFrame(measure);
    };
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, []);
  useLayoutEffect(() => {
    const drawn = place.current?.querySelector<HTMLElement>('.row')?.offsetHeight ?? 0;
    if (drawn > 0 && drawn !== row) {
      setView((view) => ({ ...view, row: drawn }));
    }
  });
  const first = Math.min(Math.max(0, Math.floor(top / row) - BEYOND), Math.max(0, count - 1));
  const end = Math.min(count, first + Math.ceil(height / row) + 2 * BEYOND);
  return { place, first, end, above: first * row, below: (count - end) * row };
}
