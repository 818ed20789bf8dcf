// The steps that need an account: signing, issuing, and the result. Loaded when there is something to sign, with the client of the API.
import { isHosted } from '/lib/issuing.ts';
import { visible } from '/view/json.ts';
import { say } from '/lib/texts.ts';
import { CostsLine, LedgerField } from '/components/ledger-choice.tsx';
import { DomainField } from '/components/domain-field.tsx';
import { findDomain } from '/components/domain.ts';
import { SignIn } from '/components/sign-in.tsx';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Badges } from './badges.tsx';
import { TRIAL, findLedgers, issue, issueRest, print, resume, save, saveTable } from './issuing.ts';
import { type Dispatch, findLists, saveList } from './reading.ts';
import type { Checked, State } from './state.ts';

/** The maximum number of links that are shown. The archive has all links. */
const MAX_SHOWN = 200;

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

/** `isGiven` says that the session is the one of the console. */
export function Signing({ state, dispatch, isGiven }: Properties & { readonly isGiven: boolean }) {
  const { isSigning, session, checked, ledgers, isIssuing, resuming } = state;
  useEffect(() => {
    findLedgers(state, dispatch);
  }, [session, checked]);
  useEffect(() => {
    findDomain(session, dispatch);
  }, [session]);
  useEffect(() => {
    resume(state, dispatch);
  }, [session, resuming]);
  const costs = session?.costs ?? null;
  return (
    <section id="signing" aria-labelledby="signing-title" hidden={!isSigning}>
      <h2 id="signing-title" tabIndex={-1}>
        {say('many.signTitle')}
      </h2>
      {state.operator === null && !isGiven && <SignIn changed={(signedIn) => dispatch({ type: 'signedIn', session: signedIn })} canDraw />}
      <div id="signed" hidden={session === null || checked === null}>
        <DomainField session={session} domain={state.domain} dispatch={dispatch} />
        <LedgerField choice={ledgers} isBusy={false} dispatch={dispatch} />
        <CostsLine costs={costs} choice={ledgers} certificates={checked?.rows.length ?? 0} />
        <p class="actions">
          <button type="button" class="primary" id="issue" disabled={isIssuing || ledgers.search !== null} onClick={() => issue(state, dispatch)}>
            {checked === null ? '' : say('many.issue', { count: checked.rows.length })}
          </button>{' '}
          {checked !== null && canTry(checked) && (
            <button type="button" id="try" disabled={isIssuing || ledgers.search !== null} onClick={() => issue(state, dispatch, true)}>
              {say('many.try', { count: TRIAL })}
            </button>
          )}
        </p>
      </div>
    </section>
  );
}

/** Returns true if some rows can be issued first. Without a column that identifies the rows, they would be issued again with the others. */
const canTry = ({ keyColumn, rows }: Checked) => keyColumn !== null && rows.length > TRIAL;

/** Shows the progress of issuing, and then the result. */
export function Issuing({ state, dispatch }: Properties) {
  return (
    <>
      <Working state={state} dispatch={dispatch} />
      {state.done !== null && <Finished state={state} done={state.done} dispatch={dispatch} />}
    </>
  );
}

function Working({ state: { stage, running, progress, note }, dispatch }: Properties) {
  const isWorking = stage === 'working';
  useLayoutEffect(() => {
    if (!isWorking) {
      return undefined;
    }
    const staysOpen = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', staysOpen);
    return () => removeEventListener('beforeunload', staysOpen);
  }, [isWorking]);
  const { total, certified, issued } = progress;
  return (
    <section id="working" aria-labelledby="working-title" hidden={!isWorking}>
      <h2 id="working-title" tabIndex={-1}>
        {say('many.workingTitle')}
      </h2>
      <progress id="bar" value={certified + issued} max={2 * total} aria-labelledby="working-title" />
      <p id="working-text" role="status">
        {certified < total ? say('many.certified', { number: certified, count: total }) : say('many.recorded', { number: issued, count: total })}
      </p>
      <p class="hint">{say('many.workingHint')}</p>
      <p class="actions">
        <button type="button" id="save-list" onClick={() => running !== null && saveList(running, dispatch)}>
          {say('many.saveList')}
        </button>{' '}
        <span class="hint">{say('many.saveListHint')}</span>{' '}
        <span class="note" id="working-note" role="status">
          {note}
        </span>
      </p>
    </section>
  );
}

interface FinishedProperties extends Properties {
  readonly done: NonNullable<State['done']>;
}

function Finished({ state, done, dispatch }: FinishedProperties) {
  const { batch, results } = done;
  const left = (state.checked?.rows.length ?? 0) - results.length;
  const begin = () => {
    dispatch({ type: 'begunAgain' });
    findLists(dispatch);
  };
  return (
    <section id="finished" aria-labelledby="finished-title">
      <h2 id="finished-title" tabIndex={-1}>
        {say('many.doneTitle', { count: results.length })}
      </h2>
      <p>{say('many.doneHint')}</p>
      <p class="hint">{say('many.sendHint', { command: 'cert send' })}</p>
      <p class="actions">
        <button type="button" class="primary" id="save" disabled={state.isSaving} onClick={() => save(done, dispatch)}>
          {say('many.save')}
        </button>{' '}
        <button type="button" id="save-table" onClick={() => saveTable(done)}>
          {say('many.saveTable')}
        </button>{' '}
        <button type="button" id="print" onClick={() => print(done, dispatch)}>
          {say('many.print')}
        </button>{' '}
        <span class="note" id="saved" role="status">
          {state.note}
        </span>
      </p>
      {left > 0 && (
        <p class="actions">
          <button type="button" class="primary" id="rest" onClick={() => issueRest(state, dispatch)}>
            {say('many.rest', { count: left })}
          </button>
        </p>
      )}
      <p class="hint" id="public-hint" hidden={isHosted(batch.ledger)}>
        {say('many.publicHint')}
      </p>
      {state.session !== null && <Badges session={state.session} done={done} dispatch={dispatch} />}
      <ol class="links" id="links">
        {results.slice(0, MAX_SHOWN).map(({ key, link }, index) => (
          <li>
            <a href={link} target="_blank" rel="noopener">
              {titleOf(key, batch.rows[index]?.cells)}
            </a>
          </li>
        ))}
      </ol>
      <p class="actions">
        <button type="button" id="another" onClick={begin}>
          {say('many.another')}
        </button>{' '}
        <a href="/console/#certificates">{say('many.issued')}</a>
      </p>
      <p class="hint">{say('issue.booked')}</p>
    </section>
  );
}

/** Returns the shown name of a row: its key, or its position and first cell. */
const titleOf = (key: string, cells: readonly string[] = []) => visible(cells.includes(key) ? key : `${key}. ${cells.find((cell) => cell !== '') ?? ''}`);
