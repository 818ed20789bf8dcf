// A change with its reason: one press opens it, and a second one sends it.
import { say } from '/lib/texts.ts';
import { Refusal } from '/view/json.ts';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { MAX_REASON, reasonIn } from './state.ts';
import type { PartProperties } from './view.tsx';

interface Properties extends PartProperties {
  /** Identifies the change on the page. */
  readonly id: string;
  /** The text of the button. */
  readonly text: string;
  /** What the button is for, if its text stands several times on the page. */
  readonly label?: string;
  /** The reason that is offered. */
  readonly reason: string;
  /** Further fields of the change. */
  readonly children?: ComponentChildren;
  readonly send: (reason: string) => Promise<void>;
}

export function Deciding({ id, text, label, reason, children, send, state: { asked, isBusy }, dispatch, act }: Properties) {
  const form = useRef<HTMLFormElement>(null);
  const opened = asked !== null && asked.id === id ? asked : null;
  const isOpen = opened !== null;
  const button = useRef<HTMLButtonElement>(null);
  const isCanceled = useRef(false);
  useLayoutEffect(() => {
    if (isOpen) {
      form.current?.querySelector('input')?.focus();
    } else if (isCanceled.current) {
      // After a change is sent, the focus is at its answer.
      isCanceled.current = false;
      button.current?.focus();
    }
  }, [isOpen]);
  const cancel = () => {
    isCanceled.current = true;
    dispatch({ type: 'closed' });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    act(async () => {
      const given = reasonIn(opened?.reason ?? '');
      if (given === null) {
        throw Refusal.of('operate.reasonWrong', { most: MAX_REASON });
      }
      await send(given);
    }, label ?? text);
  };
  if (!isOpen) {
    return (
      <button type="button" id={id} ref={button} aria-label={label} disabled={isBusy} onClick={() => dispatch({ type: 'asked', asked: { id, reason } })}>
        {text}
      </button>
    );
  }
  return (
    <form class="deciding" ref={form} onSubmit={submit}>
      {children}
      <p>
        <label for={`${id}-reason`}>{say('operate.reason')}</label>
        <input
          id={`${id}-reason`}
          required
          maxLength={MAX_REASON}
          autocomplete="off"
          value={opened.reason}
          onInput={({ currentTarget }) => dispatch({ type: 'reasoned', reason: currentTarget.value })}
        />
      </p>
      <p class="actions">
        <button type="submit" class="primary" id={`${id}-send`} aria-label={label} disabled={isBusy}>
          {text}
        </button>{' '}
        <button type="button" disabled={isBusy} onClick={cancel}>
          {say('signIn.cancel')}
        </button>
      </p>
    </form>
  );
}
