// The list of certificates: those in force, and those that the account has withdrawn.
import { visible } from '/view/json.ts';
import { dayText, say } from '/lib/texts.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { usePart } from '/components/part.ts';
import { Certified } from '/components/text.tsx';
import { useEffect } from 'preact/hooks';
import { type Dispatch, askForReason, explain, findLedgers, findWithdrawn, linkOf, offer, orRefuse, print, readPage, refusal, shortId, shownName } from './certificates.ts';
import { BadgeFromFile } from './badge.tsx';
import { ReasonDialog, Replacing } from './changes.tsx';
import type { Gone, Item, State } from './state.ts';

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

/** All that the page shows of the account's certificates. */
export function Certificates({ state, dispatch }: Properties) {
  const { session, list, replacement } = state;
  const form = usePart(
    replacement !== null,
    () => import('./content.tsx'),
    (error) => dispatch({ type: 'answered', answer: refusal(error) }),
  );
  useEffect(() => {
    orRefuse(findLedgers(state, dispatch), dispatch);
  }, [session]);
  useEffect(() => {
    orRefuse(readPage(state, dispatch), dispatch);
  }, [list]);
  return (
    <>
      <Listing state={state} dispatch={dispatch} />
      {session !== null && replacement === null && <BadgeFromFile session={session} failed={(error) => dispatch({ type: 'answered', answer: refusal(error) })} />}
      <Replacing state={state} dispatch={dispatch}>
        {form !== null && <form.Content state={state} dispatch={dispatch} />}
      </Replacing>
      <ReasonDialog state={state} dispatch={dispatch} />
    </>
  );
}

/** Sends the reasons that the service does not have yet. */
export function sendReasons({ session, unexplained }: State, dispatch: Dispatch): void {
  if (session !== null) {
    explain(session, unexplained, dispatch);
  }
}

function Listing({ state, dispatch }: Properties) {
  const { list, ledgers, items, next, isAll, note, isBusy, replacement } = state;
  return (
    <section id="listing" aria-labelledby="listing-title" hidden={list === null} inert={replacement !== null}>
      <p id="ledger-line" hidden={ledgers.length <= 1}>
        <label for="ledger">{say('issue.ledger')}</label>{' '}
        <select id="ledger" disabled={isBusy} value={list?.ledger.id ?? ''} onChange={({ currentTarget }) => dispatch({ type: 'ledgerChosen', id: currentTarget.value })}>
          {ledgers.map((ledger) => (
            <option value={ledger.id}>{titleOf(ledger)}</option>
          ))}
        </select>
      </p>
      <h2 id="listing-title" tabIndex={-1}>
        {list?.ledger.name ?? ''}
      </h2>
      <p class="hint" id="none" hidden={next === undefined || items.length > 0}>
        {say('issued.none')}
      </p>
      <div id="some" hidden={next !== undefined && items.length === 0}>
        <p class="actions">
          <label>
            <input type="checkbox" id="all" checked={isAll} onChange={({ currentTarget }) => dispatch({ type: 'allTicked', isTicked: currentTarget.checked })} /> <span>{say('issued.all')}</span>
          </label>{' '}
          <button type="button" id="print" disabled={isBusy} onClick={() => orRefuse(print(state, dispatch), dispatch)}>
            {say('issued.print')}
          </button>{' '}
          <button type="button" id="replace" disabled={isBusy} onClick={() => offer(state, dispatch)}>
            {say('issued.replace')}
          </button>{' '}
          <button type="button" id="withdraw" disabled={isBusy} onClick={() => askForReason(state, dispatch)}>
            {say('issued.withdraw')}
          </button>{' '}
          <span class="note" id="note" role="status">
            {note}
          </span>
        </p>
        <ul class="assets" id="assets" aria-labelledby="listing-title">
          {items.map((item) => (
            <CertificateItem key={item.asset.id} item={item} dispatch={dispatch} />
          ))}
        </ul>
        <p class="actions">
          <button type="button" id="more" disabled={isBusy} hidden={next === null} onClick={() => orRefuse(readPage(state, dispatch), dispatch)}>
            {say('issued.more')}
          </button>
        </p>
      </div>
      <Withdrawn state={state} dispatch={dispatch} />
      <p class="hint">
        <a href="/console/#issue">{say('many.single')}</a> · <a href="/console/#many">{say('issued.many')}</a>
      </p>
    </section>
  );
}

function CertificateItem({ item: { asset, known, name, isTicked, reason }, dispatch }: { readonly item: Item; readonly dispatch: Dispatch }) {
  const { id } = asset;
  const facts = [...(known === null ? [] : [shownName(known)]), dayText(asset.createdAt)].join(' · ');
  const isGone = reason !== null;
  return (
    <li>
      <input
        type="checkbox"
        id={`asset-${id}`}
        // Many certificates have the same name, so the box is also named by the row's key and date.
        aria-labelledby={`name-${id} facts-${id}`}
        disabled={isGone}
        checked={isTicked}
        onChange={({ currentTarget }) => dispatch({ type: 'ticked', id, isTicked: currentTarget.checked })}
      />
      <div>
        <label for={`asset-${id}`} id={`name-${id}`} translate={false}>
          {name ?? shortId(id)}
        </label>
        <bdi class="hint" id={`facts-${id}`} translate={false}>
          {facts}
        </bdi>
      </div>
      <a href={linkOf(asset)} target="_blank" rel="noopener" aria-label={name === null ? undefined : `${say('issue.open')}: ${name}, ${known ?? shortId(id)}`}>
        {say('issue.open')}
      </a>
      <p class="gone" hidden={!isGone}>
        {isGone ? say('issued.withdrawn', { reason }) : ''}
      </p>
    </li>
  );
}

/** The withdrawn certificates, which are searched when the person opens their list. */
function Withdrawn({ state, dispatch }: Properties) {
  const { isGoneOpen, gone, goneNote } = state;
  const toggle = (isOpen: boolean) => {
    dispatch({ type: 'goneToggled', isOpen });
    if (isOpen && gone.length === 0) {
      orRefuse(findWithdrawn(state, dispatch), dispatch);
    }
  };
  return (
    <details id="gone" open={isGoneOpen} onToggle={({ currentTarget }) => currentTarget.open !== isGoneOpen && toggle(currentTarget.open)}>
      <summary>{say('issued.goneTitle')}</summary>
      <p class="hint">{say('issued.goneHint')}</p>
      <p class="note" id="gone-note" role="status">
        {goneNote}
      </p>
      <ul class="assets" id="gone-list" aria-label={say('issued.goneTitle')}>
        {gone.map((item) => (
          <GoneItem key={item.id} item={item} />
        ))}
      </ul>
    </details>
  );
}

function GoneItem({ item: { ledgerId, id, known, since, reason } }: { readonly item: Gone }) {
  const name = known === null ? shortId(id) : shownName(known);
  return (
    <li>
      <div>
        <Certified text={name} />
        <span class="hint">{say('issued.goneOn', { date: since === null ? say('badge.unknownDate') : dayText(since) })}</span>
      </div>
      <a href={linkOf({ ledgerId, id })} target="_blank" rel="noopener" aria-label={`${say('issue.open')}: ${name}`}>
        {say('issue.open')}
      </a>
      <p class="gone">{reason === null ? say('issued.goneSilent') : <Certified text={visible(reason)} />}</p>
    </li>
  );
}
