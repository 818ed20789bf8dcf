// The dialog that withdraws certificates with a reason, after it has named each of them. This part is loaded with the first withdrawal.
import { ActionKind, priceOf } from '/client/index.js';
import { MAX_NAME } from '/lib/contacts.ts';
import { MAX_WITHDRAWN, destroy, reasonOf } from '/lib/changes.ts';
import { sentence } from '/lib/sentence.ts';
import { say } from '/lib/texts.ts';
import { validityOf } from '/lib/validity.ts';
import { Refusal } from '/view/json.ts';
import { busy } from '/components/answer.ts';
import { useModal } from '/components/modal.ts';
import { Certified } from '/components/text.tsx';
import { Price } from '/components/tokens.tsx';
import { useState } from 'preact/hooks';
import { LastDigits, NamedCertificates } from './last-digits.tsx';
import { nameOf, refusal, textsOf } from './listing.ts';
import { type Certificate, type Unexplained, isConfirmedBy, isOwnedBy } from './state.ts';
import type { PartProperties } from './view.tsx';

export function Withdrawing(properties: PartProperties) {
  const { state, dispatch } = properties;
  const { withdrawing, unexplained, isBusy } = state;
  return (
    <>
      {withdrawing !== null && <Dialog {...properties} certificates={withdrawing} closed={() => dispatch({ type: 'dialogClosed' })} />}
      {unexplained.length > 0 && !isBusy && (
        <p class="answer" data-kind="unchecked" id="unexplained">
          {say('issued.noReason')}{' '}
          <button type="button" onClick={() => explain(properties, unexplained)}>
            {say('common.again')}
          </button>
        </p>
      )}
    </>
  );
}

interface DialogProperties extends PartProperties {
  readonly certificates: readonly Certificate[];
  readonly closed: () => void;
}

function Dialog({ certificates, closed, ...properties }: DialogProperties) {
  const { state, session, registers } = properties;
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [problems, setProblems] = useState({ reason: '', digits: '' });
  const dialog = useModal(closed);
  const named = certificates.map((one) => ({ ...one, ...textsOf(one, state, registers) }));
  const others = certificates.filter((one) => !isOwnedBy(one, session.account));
  const actions = certificates.map((one) => ({ kind: others.includes(one) ? ActionKind.REVOKE_ASSET : ActionKind.DESTROY_ASSET }));
  const [first] = named;
  if (first === undefined) {
    return null;
  }
  const submit = (event: Event) => {
    event.preventDefault();
    const digits = isConfirmedBy(typed, first) ? '' : say('certificates.digitsWrong');
    try {
      const text = reasonOf(reason);
      setProblems({ reason: '', digits });
      if (digits === '') {
        withdraw(properties, certificates, text);
      }
    } catch (error) {
      setProblems({ reason: sentence(error), digits });
    }
  };
  return (
    <dialog id="withdraw-dialog" aria-labelledby="withdraw-title" ref={dialog} onClose={closed}>
      <form method="dialog" onSubmit={submit}>
        <h2 id="withdraw-title">{say('issued.withdrawTitle', { count: certificates.length })}</h2>
        <p>{say('issued.withdrawHint')}</p>
        <NamedCertificates certificates={named} />
        {others.length > 0 && (
          <p id="of-others">
            {say('certificates.ofOthers', { count: others.length })} <Certified text={ownersOf(others)} />
          </p>
        )}
        <label for="reason">{say('issued.reason')}</label>
        <textarea
          id="reason"
          rows={2}
          maxLength={280}
          autocomplete="off"
          aria-describedby="reason-hint reason-problem"
          aria-invalid={problems.reason === '' ? undefined : 'true'}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <p class="hint" id="reason-hint">
          {say('issued.reasonHint')}
        </p>
        <p class="problem" id="reason-problem" role="status">
          {problems.reason}
        </p>
        <LastDigits certificate={first} typed={typed} problem={problems.digits} entered={setTyped} />
        <Price id="withdraw-costs" session={session} of={(costs) => priceOf(actions, costs)} />
        <p class="actions">
          <button type="submit" class="primary" id="confirm">
            {say('issued.confirm')}
          </button>{' '}
          <button type="button" id="cancel" onClick={closed}>
            {say('signIn.cancel')}
          </button>
        </p>
      </form>
    </dialog>
  );
}

/** The maximum number of owners that the dialog names. */
const MAX_OWNERS = 5;

/** Returns the names of the owners of certificates. */
function ownersOf(certificates: readonly Certificate[]): string {
  const owners = new Set(certificates.flatMap(({ asset }) => (asset === null ? [] : [nameOf(asset.ownerId).slice(0, MAX_NAME)])));
  const named = [...owners].slice(0, MAX_OWNERS);
  return [...named, ...(owners.size > MAX_OWNERS ? ['…'] : [])].join(', ');
}

/** Withdraws certificates, with an order for each register, and sends the reason. Each order is noted at once, so a later failure loses no reason. */
async function withdraw(properties: PartProperties, certificates: readonly Certificate[], reason: string): Promise<void> {
  const { session, dispatch, answered } = properties;
  if (certificates.length > MAX_WITHDRAWN) {
    answered(refusal(Refusal.of('issued.tooMany', { most: MAX_WITHDRAWN })));
    dispatch({ type: 'dialogClosed' });
    return;
  }
  dispatch({ type: 'dialogClosed' });
  dispatch({ type: 'busy', isBusy: true });
  answered(busy(say(session.isWallet ? 'signIn.inWallet' : 'issued.withdrawing')));
  const done: Unexplained[] = [];
  try {
    for (const ledgerId of new Set(certificates.map(({ ledgerId }) => ledgerId))) {
      const all = certificates.filter((one) => one.ledgerId === ledgerId);
      const own = all.filter((one) => isOwnedBy(one, session.account));
      const idsOf = (list: readonly Certificate[]) => list.map(({ id }) => id);
      await destroy(session.client, ledgerId, idsOf(own), idsOf(all.filter((one) => !own.includes(one))));
      const ids = all.map(({ id }) => ({ ledgerId, id }));
      dispatch({ type: 'withdrawn', ids, reason });
      done.push(...ids.map((id) => ({ id, reason })));
    }
  } catch (error) {
    answered(refusal(error));
    dispatch({ type: 'busy', isBusy: false });
    return;
  }
  await explain(properties, done);
}

/** Sends the reasons that the service does not have yet. */
async function explain({ session, dispatch, answered }: PartProperties, unexplained: readonly Unexplained[]): Promise<void> {
  dispatch({ type: 'busy', isBusy: true });
  answered(busy(say('issued.explaining')));
  try {
    for (const { id, reason } of unexplained) {
      await session.client.updateAssetWithdrawal(id.ledgerId, id.id, reason);
      await validityOf({ ledger: id.ledgerId, asset: id.id }, 'reload').catch(() => undefined);
      dispatch({ type: 'explained', id });
    }
    answered({ kind: 'withdrawn', text: say('issued.done') });
  } catch (error) {
    answered(refusal(error));
  } finally {
    dispatch({ type: 'busy', isBusy: false });
  }
}
