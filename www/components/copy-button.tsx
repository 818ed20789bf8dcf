// A button that copies a text.
import { copyButton } from '/lib/page.ts';
import { say } from '/lib/texts.ts';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { useDrawn } from './drawn.ts';

interface Properties {
  readonly id?: string;
  readonly text: string;
  /** The element with the text. Its content is selected if the browser does not allow copying. */
  readonly shown: RefObject<HTMLElement | null>;
  /** Gets a sentence about the result. */
  readonly done: (sentence: string) => void;
  readonly label?: string;
  /** The sentences about the result. */
  readonly words?: { readonly copied: string; readonly selected: string };
}

const translated = () => ({ copied: say('common.copied'), selected: say('common.selected') });

export function CopyButton({ id, text, shown, done, label = say('common.copy'), words = translated() }: Properties) {
  const latest = useRef({ text, done });
  latest.current = { text, done };
  const report = (sentence: string) => latest.current.done(sentence);
  const button = useDrawn<HTMLButtonElement>((button) => copyButton(button, shown.current ?? button, () => latest.current.text, report, words), []);
  return (
    <button type="button" id={id} ref={button}>
      {label}
    </button>
  );
}
