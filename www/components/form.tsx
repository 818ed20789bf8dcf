// The form of lib/form.ts as a component. The fields keep what is typed, and the page's state gets the content after each change.
import { type FormContent, showForm } from '/lib/form.ts';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useDrawn } from './drawn.ts';
import type { JsonObject, Path } from '/view/json.ts';

/** What a form begins with. Another object shows the form anew. */
export interface FormSpec {
  readonly schema: JsonObject;
  readonly document: JsonObject;
  readonly shown: readonly Path[];
}

interface Properties {
  readonly id: string;
  readonly spec: FormSpec;
  /** The problems to show at their fields. Another object moves the focus to the first of them. */
  readonly problems: FormContent['problems'];
  readonly shown: (content: FormContent) => void;
  readonly changed: (content: FormContent) => void;
  readonly failed: (error: unknown) => void;
}

export function Form({ id, spec, problems, shown, changed, failed }: Properties) {
  const form = useRef<ReturnType<typeof showForm> | null>(null);
  const draw = (place: HTMLFormElement) => {
    try {
      const made = showForm(place, spec.schema, { document: spec.document, shown: [...spec.shown], changed: () => changed(made.read()) });
      form.current = made;
      shown(made.read());
    } catch (error) {
      failed(error);
    }
  };
  const place = useDrawn(draw, [spec]);
  useLayoutEffect(() => form.current?.refuse(problems), [problems]);
  return <form id={id} class="made-form" noValidate ref={place} onSubmit={(event) => event.preventDefault()} />;
}
