// Hides the page's answer when a view that has its own answers is left.
import { byId } from '/lib/page.ts';
import { useLayoutEffect } from 'preact/hooks';

export function useHiddenAnswer(): void {
  useLayoutEffect(
    () => () => {
      byId('answer').hidden = true;
    },
    [],
  );
}
