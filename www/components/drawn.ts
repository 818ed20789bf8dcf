// Elements whose content a module of www/lib draws.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Returns the reference of an element that `draw` fills, again for other `inputs`. The component gives the element no children, so Preact leaves
 * its content as it is.
 */
export function useDrawn<Kind extends HTMLElement>(draw: (place: Kind) => void, inputs: readonly unknown[]): RefObject<Kind | null> {
  const place = useRef<Kind>(null);
  useLayoutEffect(() => {
    if (place.current !== null) {
      draw(place.current);
    }
  }, inputs);
  return place;
}
