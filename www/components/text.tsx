// Small parts of pages that show texts.
import type { RefObject } from 'preact';

/** An untrusted or certified text. Browsers do not translate it, and its direction does not change the text around it. */
export const Certified = ({ text, kind }: { readonly text: string; readonly kind?: string }) => (
  <bdi class={kind} translate={false}>
    {text}
  </bdi>
);

interface Properties {
  readonly text: string;
  readonly label: string;
  readonly place: RefObject<HTMLPreElement | null>;
  readonly id?: string;
  readonly kind?: string;
  readonly isHidden?: boolean;
}

/** A text to copy, such as a link or a file. It scrolls, so it takes the focus and has a label. */
export const CopiedText = ({ text, label, place, id, kind, isHidden = false }: Properties) => (
  // biome-ignore lint/a11y: keyboards scroll a text only if it takes the focus, and screen readers then need its name.
  <pre id={id} class={kind} tabIndex={0} aria-label={label} hidden={isHidden} ref={place}>
    {text}
  </pre>
);
