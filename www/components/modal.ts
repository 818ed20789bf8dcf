// Dialogs that are open as long as they are drawn.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Returns the reference of a dialog, and opens it. Calls `closed` when another part of the page is shown, such as by the browser's button to go back. */
export function useModal(closed: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    addEventListener('hashchange', closed);
    return () => removeEventListener('hashchange', closed);
  }, []);
  return dialog;
}
