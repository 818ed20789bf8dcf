// The view of activity: who did what on which register, and when. Names are from this browser's address list and register book.
import type { Activity } from '/client/index.js';
import { type Entry, factOf, idOf, readEntries } from '/lib/book.ts';
import { MAX_NAME, readNames } from '/lib/contacts.ts';
import { download } from '/lib/page.ts';
import { explained } from '/lib/signer.ts';
import { writeTable } from '/lib/tables.ts';
import { momentText, say } from '/lib/texts.ts';
import { visible } from '/view/json.ts';
import { busy, refusal } from '/components/answer.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { Certified } from '/components/text.tsx';
import type { ComponentChildren } from 'preact';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { powerOf } from '../people/roles.ts';
import { NameOf, powerText, shortOf } from '../people/view.tsx';
import type { ViewProperties } from '../views.ts';
import { MAX_SAVED, read, readAll } from './source.ts';
import { type Action, KINDS, type State, accountsOf, dayIn, optionsOf, reduce, startOf } from './state.ts';

type Book = ReadonlyMap<string, Entry>;

interface PartProperties extends ViewProperties {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
  readonly book: Book;
}

export function View(properties: ViewProperties) {
  const { session } = properties;
  const [state, dispatch] = useReducer(reduce, null, () => startOf(readNames()));
  const [book, setBook] = useState<Book>(new Map());
  const given: PartProperties = { ...properties, state, dispatch, book };
  useEffect(() => {
    // The list is useful without the book.
    readEntries().then(setBook, () => {});
  }, []);
  useEffect(() => {
    readOn(given);
  }, [session, state.list]);
  return <Events {...given} />;
}

async function readOn({ session: { client }, state: { list, filter, next }, dispatch, answered }: PartProperties): Promise<void> {
  dispatch({ type: 'reading', list });
  try {
    dispatch({ type: 'read', list, ...(await read(client, optionsOf(filter), next)) });
  } catch (error) {
    dispatch({ type: 'failed', list });
    answered(refusal(explained(error)));
  }
}

function Events(properties: PartProperties) {
  const { events, next, isRead, isReading } = properties.state;
  const [isSaving, setSaving] = useState(false);
  const saveAll = () => {
    setSaving(true);
    save(properties).finally(() => setSaving(false));
  };
  return (
    <div id="activity">
      <p class="lead">{say('activity.lead')}</p>
      <Filters {...properties} />
      <p class="hint" role="status" id="activity-count">
        {isReading ? say('console.loading') : isRead && (next === null ? say('activity.count', { count: events.length }) : say('activity.countAtLeast', { count: events.length }))}
      </p>
      <ol class="entries" id="activity-list">
        {events.map((event, index) => (
          // The list only grows at its end, and events have no number of their own.
          <li key={index}>
            <OneEvent {...properties} event={event} />
          </li>
        ))}
      </ol>
      <p class="actions">
        {(next !== null || !isRead) && (
          <button type="button" id="activity-more" disabled={isReading} onClick={() => readOn(properties)}>
            {say('issued.more')}
          </button>
        )}{' '}
        <button type="button" id="activity-save" disabled={isReading || isSaving || events.length === 0} onClick={saveAll}>
          {say('activity.save')}
        </button>
      </p>
      <p class="hint">{say('activity.bounds', { most: MAX_SAVED })}</p>
    </div>
  );
}

function Filters({ state, registers, session, dispatch }: PartProperties) {
  const { kind, account, register, from, to } = state.filter;
  return (
    <search class="filters">
      <p>
        <label for="activity-kind">{say('activity.filter.kind')}</label>
        <select id="activity-kind" value={kind ?? ''} onChange={({ currentTarget: { value } }) => dispatch({ type: 'filtered', filter: { kind: KINDS.find((one) => one === value) ?? null } })}>
          <option value="">{say('activity.filter.everything')}</option>
          {KINDS.map((one) => (
            <option value={one}>{say(`activity.kinds.${one}`)}</option>
          ))}
        </select>
      </p>
      <p>
        <label for="activity-account">{say('activity.filter.account')}</label>
        <select id="activity-account" value={account ?? ''} onChange={({ currentTarget: { value } }) => dispatch({ type: 'filtered', filter: { account: value === '' ? null : value } })}>
          <option value="">{say('activity.filter.everybody')}</option>
          {accountsOf(state, session.account).map((one) => (
            <option value={one}>{isSame(one, session.account) ? say('activity.you') : (state.names.get(one) ?? shortOf(one))}</option>
          ))}
        </select>
      </p>
      <p>
        <label for="activity-register">{say('activity.filter.register')}</label>
        <select id="activity-register" value={register ?? ''} onChange={({ currentTarget: { value } }) => dispatch({ type: 'filtered', filter: { register: value === '' ? null : value } })}>
          <option value="">{say('activity.filter.allRegisters')}</option>
          {registers.map((ledger) => (
            <option value={ledger.ref}>{titleOf(ledger)}</option>
          ))}
        </select>
      </p>
      <p>
        <label for="activity-from">{say('activity.filter.from')}</label>
        <input id="activity-from" type="date" value={from ?? ''} onChange={({ currentTarget: { value } }) => dispatch({ type: 'filtered', filter: { from: dayIn(value) } })} />
      </p>
      <p>
        <label for="activity-to">{say('activity.filter.to')}</label>
        <input id="activity-to" type="date" value={to ?? ''} onChange={({ currentTarget: { value } }) => dispatch({ type: 'filtered', filter: { to: dayIn(value) } })} />
      </p>
    </search>
  );
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function OneEvent({ event, ...properties }: PartProperties & { readonly event: Activity }) {
  const { state, session, registers } = properties;
  const { kind, at, by, reason } = event;
  const who = by === null ? say('activity.unknown') : isSame(by, session.account) ? say('activity.you') : <NameOf account={by} state={state} />;
  const register = registerOf(event, registers);
  return (
    <>
      <b>{say(`activity.kinds.${kind}`)}</b> <Subject {...properties} event={event} />
      {reason !== null && reason !== '' && (
        <p>
          {say('activity.columns.reason')}: <Certified text={visible(reason)} />
        </p>
      )}
      <p class="hint">
        {who} · {momentText(new Date(at))}
        {register !== '' && (
          <>
            {' · '}
            <Certified text={register} />
          </>
        )}
      </p>
    </>
  );
}

/** What an event is about: a certificate, a person, a domain or a key. */
function Subject({ event, state, session, book }: PartProperties & { readonly event: Activity }): ComponentChildren {
  const { ledgerId, assetId, accountId, abilities, domain, keyName } = event;
  if (ledgerId !== null && assetId !== null) {
    const entry = book.get(idOf({ ledger: ledgerId, asset: assetId }));
    const [holder, title] = [factOf(entry, 'holder'), factOf(entry, 'title')];
    return (
      <>
        {holder !== '' && <Certified text={shownText(holder)} />} {title !== '' && <Certified text={shownText(title)} />}{' '}
        <a href={fragmentOf('certificates', ledgerId, assetId)}>
          <code class="long">{assetId}</code>
        </a>
      </>
    );
  }
  if (accountId !== null) {
    return (
      <>
        {isSame(accountId, session.account) ? say('activity.you') : <NameOf account={accountId} state={state} />}: {roleText(abilities)}
      </>
    );
  }
  return <Certified text={shownText(domain ?? keyName ?? '')} />;
}

/** Returns a text that people wrote as it is shown: without characters that hide or turn others. */
const shownText = (text: string): string => visible(text.slice(0, MAX_NAME));

/** Returns the roles that an account has since an event. An event without roles took them back. */
const roleText = (abilities: Activity['abilities']) => (abilities === null || abilities.length === 0 ? say('activity.noRole') : powerText(powerOf(abilities)));

/** Returns the name of an event's register. Registers that this console does not list have a part of their address. */
function registerOf({ ledgerRef, ledgerId }: Activity, registers: ViewProperties['registers']): string {
  const found = registers.find(({ ref }) => ref === ledgerRef);
  return found !== undefined ? titleOf(found) : ledgerId === null ? '' : shortOf(ledgerId);
}

const COLUMNS = ['time', 'kind', 'who', 'account', 'register', 'certificate', 'holder', 'person', 'personAccount', 'roles', 'reason', 'domain', 'key'] as const;

/** Saves the list as a table, after the rest of it was read. A spreadsheet runs none of its cells. */
async function save({ session: { client }, state: { events, filter, next, names }, registers, book, answered }: PartProperties): Promise<void> {
  answered(busy(say('activity.saving')));
  try {
    const rest = await readAll(client, optionsOf(filter), next, Math.max(0, MAX_SAVED - events.length));
    const nameOf = (account: string | null) => (account === null ? '' : (names.get(account.toLowerCase()) ?? ''));
    const rows = [...events, ...rest.events].map((event) => {
      const { at, kind, by, ledgerId, assetId, accountId, abilities, reason, domain, keyName } = event;
      const holder = ledgerId === null || assetId === null ? '' : visible(factOf(book.get(idOf({ ledger: ledgerId, asset: assetId })), 'holder'));
      const roles = accountId === null ? '' : roleText(abilities);
      const texts: Record<(typeof COLUMNS)[number], string> = {
        time: at,
        kind: say(`activity.kinds.${kind}`),
        who: nameOf(by),
        account: by ?? '',
        register: registerOf(event, registers),
        certificate: assetId ?? '',
        holder,
        person: nameOf(accountId),
        personAccount: accountId ?? '',
        roles,
        reason: visible(reason ?? ''),
        domain: domain ?? '',
        key: keyName ?? '',
      };
      return COLUMNS.map((name) => texts[name]);
    });
    download('activity.csv', await writeTable([COLUMNS.map((name) => say(`activity.columns.${name}`)), ...rows], ','), 'text/csv');
    answered({ kind: 'valid', text: say(rest.isWhole ? 'activity.saved' : 'activity.savedPart', { count: rows.length }) });
  } catch (error) {
    answered(refusal(explained(error)));
  }
}
