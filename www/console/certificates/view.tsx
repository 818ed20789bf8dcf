// The view of all certificates of the account's registers: search, filters, a list of any length, and one certificate with its history.
import { mayRevoke } from '/lib/changes.ts';
import type { OwnLedger } from '/lib/issuing.ts';
import { part } from '/lib/part.ts';
import { serviceOf } from '/lib/service.ts';
import { say } from '/lib/texts.ts';
import { usePart } from '/components/part.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { useWindowed } from '/components/windowed.ts';
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { HEADING } from '../state.ts';
import type { ViewProperties } from '../views.ts';
import { type Dispatch, count, detailsOf, lookUpFound, print, readBook, readOn, refusal, saveTable, tickList, withdrawalAnswered } from './listing.ts';
import { Row } from './row.tsx';
import { listingOf } from './source.ts';
import { ALL, type Certificate, type Counts, MAX_FOUND, type State, foundInBook, isOwnedBy, keyOf, reduce, registersIn, shownOf, startOf, ticksOf } from './state.ts';

/** The time after the last change of the search or the window before the service is asked, in milliseconds. */
const PAUSE = 150;
/** The number of rows before the end of the list at which the next part is read. */
const AHEAD = 60;
/** The number of public records that are read at the same time. */
const PARALLEL = 4;

export function View({ session, registers: given, parts, answered, lookAgain }: ViewProperties) {
  const [left, setLeft] = useState<readonly OwnLedger[]>([]);
  const registers = useMemo(() => [...given, ...left.filter(({ id }) => given.every((one) => one.id !== id))], [given, left]);
  const [state, dispatch] = useReducer(reduce, undefined, () => startOf());
  const { list, filter, query, isLooking, book, rows, lookedUp, details, ticked, ended, withdrawing, unexplained } = state;
  const listing = useMemo(() => listingOf(session, registers, filter), [list]);
  const own = useMemo(() => new Set(registers.map(({ id }) => id.toLowerCase())), [registers]);
  const shown = useMemo(() => shownOf({ rows, query, isLooking, book, lookedUp, details, filter, ended }, own), [rows, query, isLooking, book, lookedUp, query === '' ? null : details, filter, ended]);
  const ticks = useMemo(() => ticksOf(shown, ticked), [shown, ticked]);
  const [isOnChain, setOnChain] = useState(false);
  const revocable = useMemo(() => new Set(isOnChain ? [] : registers.filter(mayRevoke).map(({ id }) => id.toLowerCase())), [registers, isOnChain]);
  const mayWithdraw = (one: Certificate) => isOwnedBy(one, session.account) || revocable.has(one.ledgerId.toLowerCase());
  const [ledger, id] = parts;
  const isOne = ledger !== undefined && id !== undefined;
  // Indexing 100,000 rows again for each part of the list that is read would slow down scrolling.
  const isIndexed = isOne || ticked.size > 0 || query.trim() !== '';
  const known = useMemo(() => (isIndexed ? indexOf(state) : new Map<string, Certificate>()), [isIndexed, isIndexed ? rows : null, lookedUp]);
  const refuse = (error: unknown) => answered(refusal(error));

  useEffect(() => {
    readBook(dispatch).catch(refuse);
  }, []);
  useEffect(() => {
    part(import('../left.ts'))
      .then(({ leftRegisters }) => leftRegisters(session, given))
      .then((found) => {
        if (found.length > 0) {
          setLeft(found);
          dispatch({ type: 'lookedAgain' });
        }
      }, refuse);
  }, [given]);
  useEffect(() => {
    count(session, registersIn(registers, filter.register), dispatch).catch(refuse);
    // Another list is counted anew.
  }, [list]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (query.trim() !== '') {
        lookUpFound(session, registers, foundInBook(book, query, own), known, query, dispatch)
          .then(() => dispatch({ type: 'lookedAll' }))
          .catch(refuse);
      }
    }, PAUSE);
    return () => clearTimeout(timer);
    // Another filter forgets the rows of the list, which the search may have shown.
  }, [query, book, list]);

  const opened = isOne ? (known.get(keyOf({ ledgerId: ledger, id })) ?? null) : null;
  useEffect(() => {
    if (isOne && opened === null) {
      lookUpFound(session, registers, [{ ledgerId: ledger, id }], known, '', dispatch).catch(refuse);
    }
  }, [ledger, id, left]);
  useReturn(isOne ? fragmentOf('certificates', ledger, id) : null);
  const one = usePart(isOne, () => import('./one.tsx'), refuse);
  const dialog = usePart(withdrawing !== null || unexplained.length > 0, () => import('./withdrawing.tsx'), refuse);
  const properties = { session, registers, state, dispatch, answered, mayWithdraw };
  const tickedRows = [...ticked].flatMap((key) => known.get(key) ?? []);
  useEffect(() => {
    // Orders on a chain cannot revoke. The console reads the same settings for a pause.
    serviceOf().then((service) => setOnChain(service.isOnChain), refuse);
  }, []);
  return (
    <>
      <div id="list-part" hidden={isOne}>
        <Search state={state} found={shown.length} registers={registers} dispatch={dispatch} />
        <Actions
          state={state}
          mayWithdraw={mayWithdraw}
          ticked={tickedRows}
          ticks={ticks}
          dispatch={dispatch}
          tickAll={() => tickList(state, listing, dispatch).catch(refuse)}
          again={() => lookAgain().then(() => dispatch({ type: 'lookedAgain' }), refuse)}
          print={() => print(tickedRows, state, registers).then((note) => dispatch({ type: 'noted', text: note }), refuse)}
          save={() => saveTable(state, { shown, known: indexOf(state), registers, listing, account: session.account }, dispatch).catch(refuse)}
        />
        <Rows {...properties} shown={shown} ticks={ticks} readOn={() => readOn(list, listing, dispatch, answered)} />
      </div>
      {isOne && one !== null && opened !== null && <one.One key={keyOf(opened)} {...properties} certificate={opened} />}
      {isOne && opened === null && <p role="status">{say(own.has(ledger.toLowerCase()) ? 'console.loading' : 'certificates.notHere')}</p>}
      {dialog !== null && <dialog.Withdrawing {...properties} answered={withdrawalAnswered(session, registers, state, dispatch, answered)} />}
    </>
  );
}

/** Moves the focus to the row of the certificate that was open, or to the heading if its row is not drawn. `address` is the one of the open certificate. */
function useReturn(address: string | null): void {
  const last = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (address === null && last.current !== null) {
      const row = document.querySelector<HTMLElement>(`.rows a[href="${CSS.escape(last.current)}"]`);
      (row ?? document.getElementById(HEADING))?.focus({ preventScroll: row === null });
    }
    last.current = address;
  }, [address]);
}

/** Returns the certificates that were read, by their keys. */
const indexOf = ({ rows, lookedUp }: State): Map<string, Certificate> => new Map([...lookedUp, ...rows.map((row): [string, Certificate] => [keyOf(row), row])]);

interface SearchProperties {
  readonly state: State;
  /** The number of certificates that the search finds. */
  readonly found: number;
  readonly registers: ViewProperties['registers'];
  readonly dispatch: Dispatch;
}

function Search({ state: { filter, query, count }, found, registers, dispatch }: SearchProperties) {
  const { status, register, month } = filter;
  const hidden = registers.length - registersIn(registers, null).length;
  const isMixed = hidden > 0;
  return (
    <search class="filters">
      <p class="wide">
        <label for="find">{say('certificates.find')}</label>
        <input id="find" type="search" autocomplete="off" spellcheck={false} value={query} onInput={({ currentTarget }) => dispatch({ type: 'searched', query: currentTarget.value })} />
      </p>
      <p>
        <label for="status">{say('certificates.columns.status')}</label>
        <select
          id="status"
          value={status ?? ''}
          onChange={({ currentTarget: { value } }) => dispatch({ type: 'filtered', filter: { status: value === 'inForce' || value === 'withdrawn' ? value : null } })}
        >
          <option value="inForce">{say('certificates.statuses.inForce')}</option>
          <option value="withdrawn">{say('certificates.statuses.withdrawn')}</option>
          <option value="">{say('certificates.any')}</option>
        </select>
      </p>
      <p>
        <label for="month">{say('certificates.month')}</label>
        <input
          id="month"
          type="month"
          placeholder="2026-06"
          value={month ?? ''}
          onChange={({ currentTarget: { value } }) => dispatch({ type: 'filtered', filter: { month: /^\d{4}-\d\d$/.test(value) ? value : null } })}
        />
      </p>
      <p hidden={registers.length === 1}>
        <label for="register">{say('certificates.columns.register')}</label>
        <select id="register" value={register ?? ''} onChange={({ currentTarget: { value } }) => dispatch({ type: 'filtered', filter: { register: value === '' ? null : value } })}>
          <option value="">{say(isMixed ? 'certificates.ownRegisters' : 'certificates.any')}</option>
          {isMixed && <option value={ALL}>{say('certificates.any')}</option>}
          {registers.map((ledger) => (
            <option value={ledger.id}>{titleOf(ledger)}</option>
          ))}
        </select>
      </p>
      <p class="wide hint" id="count" role="status">
        {query.trim() !== '' && `${say('certificates.found', { count: found })} `}
        {count !== null && countText(count)}
      </p>
      {isMixed && register === null && (
        <p class="wide hint" id="list-others">
          {say('certificates.othersHidden', { count: hidden })}{' '}
          <button type="button" onClick={() => dispatch({ type: 'filtered', filter: { register: ALL } })}>
            {say('certificates.othersShow')}
          </button>
        </p>
      )}
    </search>
  );
}

/** Returns a sentence for each status of which there are certificates. */
function countText({ valid, replaced, withdrawn, isMinimum }: Counts): string {
  const texts = [
    say(isMinimum ? 'certificates.countAtLeast' : 'certificates.count', { count: valid }),
    ...(replaced > 0 ? [say('certificates.countReplaced', { count: replaced })] : []),
    ...(withdrawn > 0 ? [say('certificates.countWithdrawn', { count: withdrawn })] : []),
  ];
  return texts.join(' ');
}

type Ticks = ReturnType<typeof ticksOf>;

interface ActionProperties {
  readonly state: State;
  readonly mayWithdraw: (certificate: Certificate) => boolean;
  readonly ticked: readonly Certificate[];
  readonly ticks: Ticks;
  readonly dispatch: Dispatch;
  readonly tickAll: () => void;
  readonly again: () => void;
  readonly print: () => void;
  readonly save: () => void;
}

function Actions({ state, mayWithdraw, ticked, ticks, dispatch, tickAll, again, print, save }: ActionProperties) {
  const { isBusy, note } = state;
  // Only certificates in force can be ticked, but the list may have changed since.
  const usable = ticked.filter(({ asset }) => asset !== null);
  const act = (run: () => void) => () => (usable.length === 0 ? dispatch({ type: 'noted', text: say('issued.tickFirst') }) : run());
  const withdraw = () => {
    const others = usable.filter((one) => !mayWithdraw(one)).length;
    dispatch(others > 0 ? { type: 'noted', text: say('certificates.othersTicked', { count: others }) } : { type: 'withdrawalAsked', certificates: usable });
  };
  return (
    <p class="actions" id="list-actions">
      <button type="button" id="print" disabled={isBusy} onClick={act(print)}>
        {say('issued.print')}
      </button>{' '}
      <button type="button" id="withdraw" disabled={isBusy} onClick={act(withdraw)}>
        {say('issued.withdraw')}
      </button>{' '}
      <button type="button" id="list-again" disabled={isBusy} onClick={again}>
        {say('console.lookAgain')}
      </button>{' '}
      <button type="button" id="save-table" disabled={isBusy} onClick={save}>
        {say('certificates.save')}
      </button>{' '}
      <span class="note" id="note" role="status">
        {note === '' && state.ticked.size > 0 ? tickedText(state, ticks) : note}
      </span>{' '}
      {mayTickMore(state, ticks) && (
        <button type="button" id="tick-list" disabled={isBusy} onClick={tickAll}>
          {say('certificates.tickList')}
        </button>
      )}
    </p>
  );
}

/** Returns true if the list has more rows than were read, and all that were read are ticked. */
const mayTickMore = ({ isEnd, query }: State, { tickable, inView }: Ticks): boolean => !isEnd && query.trim() === '' && tickable > 0 && inView === tickable;

/** Returns how many certificates are ticked, of how many, and how many of them are not shown. */
function tickedText({ isEnd, query }: State, { tickable, inView, outside }: Ticks): string {
  const isWhole = isEnd || query.trim() !== '';
  const texts = [say(isWhole ? 'certificates.ticked' : 'certificates.tickedSoFar', { count: inView, all: tickable }), ...(outside > 0 ? [say('certificates.tickedOutside', { count: outside })] : [])];
  return texts.join(' ');
}

interface RowsProperties extends PartProperties {
  readonly shown: readonly Certificate[];
  readonly ticks: Ticks;
  readonly readOn: () => void;
}

/** What the parts of this view get. */
export interface PartProperties extends Omit<ViewProperties, 'parts' | 'lookAgain'> {
  readonly state: State;
  readonly dispatch: Dispatch;
  readonly mayWithdraw: (certificate: Certificate) => boolean;
}

function Rows({ session, registers, state, dispatch, shown, ticks, readOn }: RowsProperties) {
  const { isEnd, isReading, isUnread, isBusy, query, details, rows, filter } = state;
  const { place, first, end, above, below } = useWindowed(shown.length);
  const visible = shown.slice(first, end);
  const isSearch = query.trim() !== '';
  useLayoutEffect(() => {
    if (!isEnd && !isReading && !isBusy && !isSearch && end + AHEAD > shown.length) {
      readOn();
    }
  }, [isEnd, isReading, isBusy, isSearch, end, rows]);
  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(() => readDetails(visible, details, dispatch, () => isOver), PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [first, end, shown]);
  const areTicked = ticks.tickable > 0 && ticks.inView === ticks.tickable;
  const tickShown = (isTicked: boolean) => dispatch({ type: 'allTicked', keys: shown.filter(({ asset }) => asset !== null).map(keyOf), isTicked });
  return (
    <>
      <table class="rows" aria-labelledby="view-title" aria-rowcount={isEnd || isSearch ? shown.length + 1 : -1}>
        <thead>
          <tr aria-rowindex={1}>
            <td>
              <input
                type="checkbox"
                id="tick-all"
                aria-label={say('certificates.tickShown')}
                checked={areTicked}
                indeterminate={ticks.inView > 0 && !areTicked}
                disabled={ticks.tickable === 0}
                onChange={({ currentTarget }) => tickShown(currentTarget.checked)}
              />
            </td>
            {['holder', 'titleColumn', 'number', 'date', 'by', 'status'].map((name) => (
              <th scope="col">{say(`certificates.columns.${name}`)}</th>
            ))}
          </tr>
        </thead>
        <tbody ref={place}>
          {above > 0 && (
            <tr class="gap">
              <td colSpan={7} style={{ height: `${above}px` }} />
            </tr>
          )}
          {visible.map((certificate, index) => (
            <Row
              key={keyOf(certificate)}
              certificate={certificate}
              number={first + index + 2}
              account={session.account}
              registers={registers}
              state={state}
              dispatch={dispatch}
              address={fragmentOf('certificates', certificate.ledgerId, certificate.id)}
            />
          ))}
          {below > 0 && (
            <tr class="gap">
              <td colSpan={7} style={{ height: `${below}px` }} />
            </tr>
          )}
        </tbody>
      </table>
      <p class="hint" id="list-note" role="status">
        {isUnread && !isSearch && say('certificates.unread')}
        {shown.length === 0 &&
          (isSearch || (isEnd && !isUnread)) &&
          say(!isSearch ? 'certificates.none' : filter.status === null && filter.month === null ? 'certificates.notFound' : 'certificates.notFoundFiltered')}
        {shown.length >= MAX_FOUND && isSearch && say('certificates.moreFound', { most: MAX_FOUND })}
        {isReading && say('console.loading')}
      </p>
    </>
  );
}

/** Reads the public records of the rows in the window, a few at a time, until the window shows others. */
async function readDetails(visible: readonly Certificate[], details: State['details'], dispatch: Dispatch, isOver: () => boolean): Promise<void> {
  const waiting = visible.filter((one) => !details.has(keyOf(one)));
  const work = async () => {
    for (let one = waiting.shift(); one !== undefined && !isOver(); one = waiting.shift()) {
      dispatch({ type: 'detailed', key: keyOf(one), details: await detailsOf(one) });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}
