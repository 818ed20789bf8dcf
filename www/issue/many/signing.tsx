// The steps that need an account: signing, issuing, and the result. Loaded when there is something to sign, with the client of the API.
import { isHosted } from '/lib/issuing.ts';
import type { BatchRow } from '/lib/batches.ts';
import { download } from '/lib/page.ts';
import { personIn } from '/lib/people.ts';
import { shorten, visible } from '/view/json.ts';
import { listText, say } from '/lib/texts.ts';
import { CostsLine, LedgerField } from '/components/ledger-choice.tsx';
import { DomainField } from '/components/domain-field.tsx';
import { findDomain } from '/components/domain.ts';
import { chosenLedger } from '/components/ledger-state.ts';
import { ReviewerField } from '/components/reviewer-field.tsx';
import { SignIn } from '/components/sign-in.tsx';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Badges } from './badges.tsx';
import { TRIAL, findLedgers, findStanding, issue, issueRest, print, resume, save, saveTable } from './issuing.ts';
import { type Dispatch, findLists, saveList } from './reading.ts';
import { type Checked, type LeftOut, type State, restOf } from './state.ts';

/** The maximum number of links that are shown. The archive has all links. */
const MAX_SHOWN = 200;

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

/** `isGiven` says that the session is the one of the console. */
export function Signing({ state, dispatch, isGiven }: Properties & { readonly isGiven: boolean }) {
  const { isSigning, session, checked, ledgers, standing, isIssuing, resuming } = state;
  useEffect(() => {
    findLedgers(state, dispatch);
  }, [session, checked]);
  useEffect(() => {
    findStanding(state, dispatch);
    // An attempt that failed may have issued some rows.
  }, [session, checked, ledgers.found, ledgers.chosen, state.stage]);
  useEffect(() => {
    findDomain(session, dispatch);
  }, [session]);
  useEffect(() => {
    resume(state, dispatch);
  }, [session, resuming]);
  const { length: fresh } = restOf(state);
  const issued = standing?.issued ?? [];
  // After a failed search for ledgers, the buttons search again.
  const isWaiting = isIssuing || ledgers.search !== null || (ledgers.found !== null && standing === null);
  return (
    <section id="signing" aria-labelledby="signing-title" hidden={!isSigning}>
      <h2 id="signing-title" tabIndex={-1}>
        {say('many.signTitle')}
      </h2>
      {state.operator === null && !isGiven && <SignIn changed={(signedIn) => dispatch({ type: 'signedIn', session: signedIn })} canDraw />}
      <div id="signed" hidden={session === null || checked === null}>
        <DomainField session={session} domain={state.domain} dispatch={dispatch} />
        <LedgerField session={session} choice={ledgers} isBusy={false} dispatch={dispatch} />
        <ReviewerField
          session={session}
          ledger={chosenLedger(ledgers)}
          reviewer={state.reviewer}
          isBusy={isIssuing}
          hint={say('many.reviewerHint')}
          chosen={(account) => dispatch({ type: 'reviewerChosen', account })}
        />
        <CostsLine session={session} choice={ledgers} certificates={fresh} />
        <div id="standing" role="status">
          {checked !== null && standing !== null && (
            <>
              {issued.length > 0 && <p>{say('many.earlier', { count: issued.length, rows: namesOf(issued, checked.keyColumn) })}</p>}
              <LeftOutLines of={standing} keyColumn={checked.keyColumn} />
            </>
          )}
        </div>
        <p class="actions">
          <button type="button" class="primary" id="issue" hidden={fresh + issued.length === 0} disabled={isWaiting} onClick={() => issue(state, dispatch)}>
            {checked === null ? '' : fresh > 0 ? say('many.issue', { count: fresh }) : say('many.filesAgain', { count: issued.length })}
          </button>{' '}
          {checked !== null && canTry(checked, fresh) && (
            <button type="button" id="try" disabled={isWaiting} onClick={() => issue(state, dispatch, true)}>
              {say('many.try', { count: TRIAL })}
            </button>
          )}
        </p>
      </div>
    </section>
  );
}

/** Returns true if some rows can be issued first. Without a column that identifies the rows, they would be issued again with the others. */
const canTry = ({ keyColumn }: Checked, fresh: number) => keyColumn !== null && fresh > TRIAL;

/** The maximum number of rows that a sentence names. */
const MAX_NAMED = 10;

/** Returns the numbers of rows, with the values by which the table tells them apart. */
function namesOf(rows: readonly BatchRow[], keyColumn: string | null): string {
  const named = rows.slice(0, MAX_NAMED).map(({ row, key }) => (keyColumn === null ? String(row) : `${row} (${visible(shorten(key, MAX_KEY))})`));
  return listText(rows.length > MAX_NAMED ? [...named, say('certificate.more', { count: rows.length - MAX_NAMED })] : named);
}

/** The maximum length of a named row's value, in characters. */
const MAX_KEY = 60;

/** Names the rows that get no files. */
function LeftOutLines({ of: { withdrawn, replaced }, keyColumn }: { readonly of: LeftOut; readonly keyColumn: string | null }) {
  return (
    <>
      {withdrawn.length > 0 && <p>{say('many.earlierWithdrawn', { count: withdrawn.length, rows: namesOf(withdrawn, keyColumn) })}</p>}
      {replaced.length > 0 && <p>{say('many.earlierReplaced', { count: replaced.length, rows: namesOf(replaced, keyColumn) })}</p>}
    </>
  );
}

/** Shows the progress of issuing, and then the result. */
export function Issuing({ state, dispatch }: Properties) {
  return (
    <>
      <Working state={state} dispatch={dispatch} />
      {state.done !== null && <Finished state={state} done={state.done} dispatch={dispatch} />}
    </>
  );
}

function Working({ state: { stage, running, review, progress, note }, dispatch }: Properties) {
  const isWorking = stage === 'working';
  const isClosable = review !== null;
  useLayoutEffect(() => {
    if (!isWorking || isClosable) {
      return undefined;
    }
    const staysOpen = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', staysOpen);
    return () => removeEventListener('beforeunload', staysOpen);
  }, [isWorking, isClosable]);
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
      {review !== null && (
        <div id="review">
          <h3>{say('many.reviewTitle', { count: review.count })}</h3>
          <p>{say('many.reviewAsk')}</p>
          <p class="actions">
            <button type="button" class="primary" id="review-save" onClick={() => download(review.name, review.text, 'application/json')}>
              {say('issue.reviewSave')}
            </button>{' '}
            <button type="button" id="review-later" onClick={review.stop}>
              {say('many.reviewLater')}
            </button>
          </p>
        </div>
      )}
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
  const { batch, results, leftOut } = done;
  const { length: left } = restOf(state);
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
      <LeftOutLines of={leftOut} keyColumn={state.checked?.keyColumn ?? null} />
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
        {results.slice(0, MAX_SHOWN).map(({ key, link, document }, index) => (
          <li>
            <a href={link} target="_blank" rel="noopener">
              {titleOf(key, personIn(document, batch.schema).holder, batch.rows[index]?.cells)}
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

/** Returns the shown name of a row: its holder and its key, or its position and its holder or first cell. */
function titleOf(key: string, holder: string, cells: readonly string[] = []): string {
  const isKey = cells.includes(key);
  const name = holder === '' && !isKey ? (cells.find((cell) => cell !== '') ?? '') : holder;
  return visible(!isKey ? `${key}. ${name}` : name === '' || name === key ? key : `${name}, ${key}`);
}
