// The view of all certificates of the account's registers: search, filters, a list of any length, and one certificate with its history.
import { say } from '/lib/texts.ts';
import { usePart } from '/components/part.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { useWindowed } from '/components/windowed.ts';
import { useEffect, useMemo, useReducer } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import type { ViewProperties } from '../views.ts';
import { type Dispatch, count, detailsOf, lookUpFound, print, readBook, readOn, refusal, saveTable } from './listing.ts';
import { Row } from './row.tsx';
import { listingOf } from './source.ts';
import { ALL, type Certificate, type Counts, MAX_FOUND, type State, foundInBook, keyOf, reduce, registersIn, shownOf, startOf } from './state.ts';

/** The time after the last change of the search or the window before the service is asked, in milliseconds. */
const PAUSE = 150;
/** The number of rows before the end of the list at which the next part is read. */
const AHEAD = 60;
/** The number of public records that are read at the same time. */
const PARALLEL = 4;

export function View({ session, registers, parts, answered }: ViewProperties) {
  const [state, dispatch] = useReducer(reduce, undefined, () => startOf());
  const { list, filter, query, book, rows, lookedUp, details, ticked, withdrawing, unexplained } = state;
  const listing = useMemo(() => listingOf(session, registers, filter), [list]);
  const own = useMemo(() => new Set(registers.map(({ id }) => id.toLowerCase())), [registers]);
  const shown = useMemo(() => shownOf({ rows, query, book, lookedUp, details, filter }, own), [rows, query, book, lookedUp, query === '' ? null : details, filter]);
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
    count(session, registersIn(registers, filter.register), dispatch).catch(refuse);
  }, [filter.register]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (query.trim() !== '') {
        lookUpFound(session, registers, foundInBook(book, query, own), known, query, dispatch).catch(refuse);
      }
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [query, book]);

  const opened = isOne ? (known.get(keyOf({ ledgerId: ledger, id })) ?? null) : null;
  useEffect(() => {
    if (isOne && opened === null) {
      lookUpFound(session, registers, [{ ledgerId: ledger, id }], known, '', dispatch).catch(refuse);
    }
  }, [ledger, id]);
  const one = usePart(isOne, () => import('./one.tsx'), refuse);
  const dialog = usePart(withdrawing !== null || unexplained.length > 0, () => import('./withdrawing.tsx'), refuse);
  const properties = { session, registers, state, dispatch, answered };
  const tickedRows = [...ticked].flatMap((key) => known.get(key) ?? []);
  return (
    <>
      <div id="list-part" hidden={isOne}>
        <Search state={state} registers={registers} dispatch={dispatch} />
        <Actions
          state={state}
          ticked={tickedRows}
          dispatch={dispatch}
          print={() => print(tickedRows, state, registers).then((note) => dispatch({ type: 'noted', text: note }), refuse)}
          save={() => saveTable(state, { shown, known: indexOf(state), registers, listing, account: session.account }, dispatch).catch(refuse)}
        />
        <Rows {...properties} shown={shown} readOn={() => readOn(list, listing, dispatch, answered)} />
      </div>
      {isOne && one !== null && opened !== null && <one.One key={keyOf(opened)} {...properties} certificate={opened} />}
      {isOne && opened === null && <p role="status">{say(own.has(ledger.toLowerCase()) ? 'console.loading' : 'certificates.notHere')}</p>}
      {dialog !== null && <dialog.Withdrawing {...properties} />}
    </>
  );
}

/** Returns the certificates that were read, by their keys. */
const indexOf = ({ rows, lookedUp }: State): Map<string, Certificate> => new Map([...lookedUp, ...rows.map((row): [string, Certificate] => [keyOf(row), row])]);

function Search({ state: { filter, query, count }, registers, dispatch }: { readonly state: State; readonly registers: ViewProperties['registers']; readonly dispatch: Dispatch }) {
  const { status, register, month } = filter;
  const isMixed = registersIn(registers, null).length < registers.length;
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
        {count !== null && countText(count)}
      </p>
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

interface ActionProperties {
  readonly state: State;
  readonly ticked: readonly Certificate[];
  readonly dispatch: Dispatch;
  readonly print: () => void;
  readonly save: () => void;
}

function Actions({ state: { isBusy, note }, ticked, dispatch, print, save }: ActionProperties) {
  // Only certificates in force can be ticked, but the list may have changed since.
  const usable = ticked.filter(({ asset }) => asset !== null);
  const act = (run: () => void) => () => (usable.length === 0 ? dispatch({ type: 'noted', text: say('issued.tickFirst') }) : run());
  return (
    <p class="actions" id="list-actions">
      <button type="button" id="print" disabled={isBusy} onClick={act(print)}>
        {say('issued.print')}
      </button>{' '}
      <button type="button" id="withdraw" disabled={isBusy} onClick={act(() => dispatch({ type: 'withdrawalAsked', certificates: usable }))}>
        {say('issued.withdraw')}
      </button>{' '}
      <button type="button" id="save-table" disabled={isBusy} onClick={save}>
        {say('certificates.save')}
      </button>{' '}
      <span class="note" id="note" role="status">
        {note === '' && ticked.length > 0 ? say('certificates.ticked', { count: ticked.length }) : note}
      </span>
    </p>
  );
}

interface RowsProperties extends PartProperties {
  readonly shown: readonly Certificate[];
  readonly readOn: () => void;
}

/** What the parts of this view get. */
export interface PartProperties extends Omit<ViewProperties, 'parts'> {
  readonly state: State;
  readonly dispatch: Dispatch;
}

function Rows({ session, registers, state, dispatch, shown, readOn }: RowsProperties) {
  const { isEnd, isReading, isBusy, query, ticked, details, rows } = state;
  const { place, first, end, above, below } = useWindowed(shown.length);
  const visible = shown.slice(first, end);
  const isSearch = query.trim() !== '';
  useEffect(() => {
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
  const tickable = visible.filter(({ asset }) => asset !== null).map(keyOf);
  const areTicked = tickable.length > 0 && tickable.every((key) => ticked.has(key));
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
                disabled={tickable.length === 0}
                onChange={({ currentTarget }) => dispatch({ type: 'allTicked', keys: tickable, isTicked: currentTarget.checked })}
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
        {shown.length === 0 && (isEnd || isSearch) && say(isSearch ? 'certificates.notFound' : 'certificates.none')}
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
