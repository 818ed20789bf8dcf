// The dialog that names the changes and their consequences before they are signed.
import { MAX_NAME } from '/lib/contacts.ts';
import { say } from '/lib/texts.ts';
import { useModal } from '/components/modal.ts';
import { Certified } from '/components/text.tsx';
import { Tokens } from '/components/tokens.tsx';
import { useState } from 'preact/hooks';
import { costOf } from './source.ts';
import { mayManage, powerOf } from './roles.ts';
import { type Asked, MAX_CHANGES, abandonedBy, ordersOf } from './state.ts';
import { type PartProperties, powerText, shortOf } from './view.tsx';

interface Properties extends PartProperties {
  readonly asked: Asked;
  readonly confirmed: (asked: Asked) => void;
}

export function Confirming({ asked, state, session, dispatch, confirmed }: Properties) {
  const { account, name, changes, tokens, isLeaving } = asked;
  const [isSure, setSure] = useState(false);
  const abandoned = abandonedBy(state.people, changes);
  const isOwn = account.toLowerCase() === session.account.toLowerCase() && changes.some(({ before, after }) => mayManage(before) && !mayManage(after));
  const close = () => dispatch({ type: 'closed' });
  const dialog = useModal(close);
  const submit = (event: Event) => {
    event.preventDefault();
    confirmed(asked);
  };
  const list = (abilities: Parameters<typeof powerOf>[0]) => (abilities.length === 0 ? say('people.nothing') : powerText(powerOf(abilities)));
  return (
    <dialog id="people-dialog" aria-labelledby="people-dialog-title" ref={dialog} onClose={close}>
      <form method="dialog" onSubmit={submit}>
        <h2 id="people-dialog-title">
          {say(isLeaving ? 'people.takeTitle' : 'people.giveTitle')} <Certified text={name === '' ? shortOf(account) : name} />
        </h2>
        <p>
          <code class="long">{account}</code>
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a long list only if it takes the focus. */}
        <ul class="named" tabIndex={0} aria-label={say('people.changes')}>
          {changes.map(({ register, before, after }) => (
            <li>
              <Certified text={register.name.slice(0, MAX_NAME)} />: {list(before)} → <b>{list(after)}</b>
            </li>
          ))}
        </ul>
        {tokens !== '' && <p>{say('people.gift', { tokens })}</p>}
        {session.costs !== null && (
          <p class="hint">
            <Tokens text="people.cost" values={{ cost: costOf(session.costs, changes, tokens) }} />
          </p>
        )}
        {changes.length > MAX_CHANGES && <p>{say('people.severalOrders', { most: MAX_CHANGES, count: ordersOf(changes).length })}</p>}
        {isLeaving && <p>{say('people.takeHint')}</p>}
        {isOwn && <p class="problem">{say('people.yourself')}</p>}
        {abandoned.length > 0 && (
          <>
            <p class="problem" id="abandoned">
              {say('people.abandoned', { count: abandoned.length, list: abandoned.map((register) => register.name.slice(0, MAX_NAME)).join(', ') })}
            </p>
            <p>
              <label>
                <input type="checkbox" id="abandon" checked={isSure} onChange={() => setSure(!isSure)} /> {say('people.abandon')}
              </label>
            </p>
          </>
        )}
        <p class="actions">
          <button type="submit" class="primary" id="people-confirm" disabled={abandoned.length > 0 && !isSure}>
            {say('people.sign')}
          </button>{' '}
          <button type="button" id="people-cancel" onClick={close}>
            {say('signIn.cancel')}
          </button>
        </p>
      </form>
    </dialog>
  );
}
