// The frame of the form that replaces a certificate, and the dialog that asks for the reason of a withdrawal.
import { ActionKind, priceOf } from '/client/index.js';
import { say } from '/lib/texts.ts';
import { Price } from '/components/tokens.tsx';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Dispatch, withdraw } from './certificates.ts';
import type { State } from './state.ts';

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

/** The frame of the form that replaces a certificate. The form is a part that is loaded later. */
export function Replacing({ state, dispatch, children }: Properties & { readonly children: ComponentChildren }) {
  return (
    <section id="replacing" aria-labelledby="replacing-title" hidden={state.replacement === null}>
      <h2 id="replacing-title" tabIndex={-1}>
        {say('issued.replaceTitle')}
      </h2>
      <p>{say('issued.replaceHint')}</p>
      {children}
      <p class="actions">
        <button type="button" id="replace-cancel" onClick={() => dispatch({ type: 'cancelled' })}>
          {say('signIn.cancel')}
        </button>
      </p>
    </section>
  );
}

export function ReasonDialog({ state, dispatch }: Properties) {
  const { session, withdrawing, reason, reasonProblem } = state;
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = withdrawing !== null;
  useLayoutEffect(() => {
    if (isOpen) {
      dialog.current?.showModal();
    } else {
      dialog.current?.close();
    }
  }, [isOpen]);
  const close = () => dispatch({ type: 'dialogClosed' });
  const submit = (event: Event) => {
    event.preventDefault();
    withdraw(state, dispatch);
  };
  return (
    <dialog id="dialog" aria-labelledby="dialog-title" ref={dialog} onClose={close}>
      <form method="dialog" id="dialog-form" onSubmit={submit}>
        <h2 id="dialog-title">{withdrawing === null ? '' : say('issued.withdrawTitle', { count: withdrawing.length })}</h2>
        <p>{say('issued.withdrawHint')}</p>
        <label for="reason">{say('issued.reason')}</label>
        <textarea
          id="reason"
          rows={3}
          maxLength={280}
          autocomplete="off"
          aria-describedby="reason-hint reason-problem"
          aria-invalid={reasonProblem === '' ? undefined : 'true'}
          value={reason}
          onInput={({ currentTarget }) => dispatch({ type: 'reasonEntered', reason: currentTarget.value })}
        />
        <p class="hint" id="reason-hint">
          {say('issued.reasonHint')}
        </p>
        <p class="problem" id="reason-problem" role="status">
          {reasonProblem}
        </p>
        {withdrawing !== null && (
          <Price
            id="withdraw-costs"
            session={session}
            of={(costs) =>
              priceOf(
                withdrawing.map(() => ({ kind: ActionKind.DESTROY_ASSET })),
                costs,
              )
            }
          />
        )}
        <p class="actions">
          <button type="submit" class="primary" id="confirm">
            {say('issued.confirm')}
          </button>{' '}
          <button type="button" id="cancel" onClick={close}>
            {say('signIn.cancel')}
          </button>
        </p>
      </form>
    </dialog>
  );
}
