// The dialog that names what is declined, before the order ends for good.
import { say } from '/lib/texts.ts';
import { useModal } from '/components/modal.ts';
import type { ComponentChildren } from 'preact';

interface Properties {
  /** The certificates of the order. */
  readonly children: ComponentChildren;
  readonly confirmed: () => void;
  readonly closed: () => void;
}

export function Declining({ children, confirmed, closed }: Properties) {
  const dialog = useModal(closed);
  const submit = (event: Event) => {
    event.preventDefault();
    closed();
    confirmed();
  };
  return (
    <dialog id="review-dialog" aria-labelledby="review-dialog-title" ref={dialog} onClose={closed}>
      <form method="dialog" onSubmit={submit}>
        <h2 id="review-dialog-title">{say('review.declineTitle')}</h2>
        {children}
        <p>{say('review.declineHint')}</p>
        <p class="actions">
          <button type="submit" class="primary" id="review-confirm">
            {say('review.decline')}
          </button>{' '}
          <button type="button" id="review-cancel" onClick={closed}>
            {say('signIn.cancel')}
          </button>
        </p>
      </form>
    </dialog>
  );
}
