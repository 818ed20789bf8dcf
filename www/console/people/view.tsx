// The view of people: who may do what on which register. Colleagues are invited, get roles, and lose them.
import { refreshBalance } from '/lib/balance.ts';
import { MAX_NAME, isAccount, keepName, readNames } from '/lib/contacts.ts';
import { byId } from '/lib/page.ts';
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import { Certified } from '/components/text.tsx';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { HEADING } from '../state.ts';
import type { ViewProperties } from '../views.ts';
import { Confirming } from './confirming.tsx';
import { Invite } from './invite.tsx';
import { Left, OnePerson } from './one.tsx';
import { type Power, mayManage, powerOf } from './roles.ts';
import { peopleOf, send } from './source.ts';
import { type Action, type Asked, type Person, type Register, type State, abilitiesOn, leftOf, ownOf, peopleOn, reduce, startOf } from './state.ts';

export interface PartProperties extends ViewProperties {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
}

export function View(properties: ViewProperties) {
  const { session, registers, parts, answered } = properties;
  const [state, dispatch] = useReducer(reduce, null, () => startOf(readNames()));
  useEffect(() => {
    peopleOf(session.client, registers).then(
      (found) => dispatch({ type: 'read', ...found }),
      (error) => answered(refusal(explained(error))),
    );
  }, [registers]);
  const [part, account = '', name = ''] = parts;
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    // The parts of this view have headings of their own, which take the focus.
    if (part === undefined && !isFirst.current) {
      byId(HEADING).focus();
    }
    isFirst.current = false;
  }, [part]);
  const given: PartProperties = { ...properties, state, dispatch };
  return (
    <div id="people">
      {part === undefined && <Everybody {...given} />}
      {part === 'invite' && <Invite {...given} />}
      {(part === 'add' || part === 'one') &&
        (state.registers === null ? (
          <p role="status">{say('console.loading')}</p>
        ) : (
          <OnePerson key={account} {...given} registers={state.registers} account={isAccount(account) ? account : null} offered={name.slice(0, MAX_NAME)} />
        ))}
      {state.asked !== null && <Confirming {...given} asked={state.asked} confirmed={(asked) => change(given, asked)} />}
    </div>
  );
}

/** Sends the changes that the person has confirmed. */
async function change({ session, dispatch, answered }: PartProperties, { account, name, changes, tokens, isLeaving }: Asked): Promise<void> {
  dispatch({ type: 'closed' });
  dispatch({ type: 'busy', isBusy: true });
  answered(busy(say(session.isWallet ? 'signIn.inWallet' : 'people.sending')));
  try {
    if (!isLeaving) {
      dispatch({ type: 'named', names: keepName(account, name) });
    }
    const gift = session.costs === null || tokens === '' ? null : { account, tokens, tokenAddress: session.costs.tokenAddress };
    await send(session.client, changes, gift, (sent) => dispatch({ type: 'changed', changes: sent }));
    refreshBalance(session);
    // The dialog is gone, so the answer has no control below which it could be.
    answered({ kind: 'valid', isResult: true, text: say(isLeaving ? 'people.taken' : 'people.given', { name: name === '' ? shortOf(account) : name }) });
  } catch (error) {
    answered(refusal(explained(error)));
  } finally {
    dispatch({ type: 'busy', isBusy: false });
  }
}

function Everybody({ state, session, answered }: PartProperties) {
  const [isAll, setAll] = useState(false);
  const { registers: all, isPartial } = state;
  const own = ownOf(all ?? []);
  const registers = all === null ? null : isAll ? all : own;
  const people = peopleOn(state.people, registers ?? []);
  const left = all === null ? [] : leftOf(state, session.account);
  return (
    <>
      <p class="lead">{say('people.lead')}</p>
      <p class="actions">
        <a class="button primary" id="invite" href={fragmentOf('people', 'invite')}>
          {say('people.invite')}
        </a>{' '}
        <a class="button" id="add" href={fragmentOf('people', 'add')}>
          {say('people.add')}
        </a>
      </p>
      {registers === null ? (
        <p role="status">{say('console.loading')}</p>
      ) : (
        <table id="people-list">
          <caption class="hint">{say('people.caption', { people: people.length, count: registers.length })}</caption>
          <thead>
            <tr>
              <th scope="col">{say('people.columns.name')}</th>
              <th scope="col">{say('people.columns.may')}</th>
            </tr>
          </thead>
          <tbody>
            {people.map((person) => (
              <tr>
                <th scope="row">
                  <a href={fragmentOf('people', 'one', person.account)}>
                    <NameOf account={person.account} state={state} />
                  </a>
                  {person.account.toLowerCase() === session.account.toLowerCase() && <span class="hint"> {say('people.you')}</span>}
                  <br />
                  <code class="long hint">{person.account}</code>
                </th>
                <td>
                  <Powers person={person} registers={registers} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {all !== null && left.length > 0 && (
        <details id="people-left">
          <summary>{say('people.left', { count: left.length })}</summary>
          <p class="hint">{say('people.leftHint')}</p>
          <ul>
            {left.map((account) => (
              <Left key={account} account={account} registers={all} state={state} session={session} answered={answered} />
            ))}
          </ul>
        </details>
      )}
      {all !== null && own.length < all.length && (
        <p>
          <label>
            <input type="checkbox" id="people-all" checked={isAll} onChange={() => setAll(!isAll)} /> {say('people.all')}
          </label>
        </p>
      )}
      {isPartial && <p class="hint">{say('people.partial')}</p>}
      {people.filter((person) => (registers ?? []).some((register) => mayManage(abilitiesOn(person, register)))).length === 1 && <p class="hint">{say('people.alone')}</p>}
    </>
  );
}

/** Returns the beginning and the end of an address. Never use it to compare accounts. */
export const shortOf = (account: string) => `${account.slice(0, 8)}…${account.slice(-4)}`;

/** The name of an account in this browser's address list, or a part of its address. */
export function NameOf({ account, state: { names } }: { readonly account: string; readonly state: Pick<State, 'names'> }) {
  const name = names.get(account.toLowerCase());
  return <Certified text={name ?? say('people.unnamed', { account: shortOf(account) })} />;
}

/** What a person may do, with the registers for each selection. */
export function Powers({ person, registers }: { readonly person: Person; readonly registers: readonly Register[] }) {
  const groups = new Map<string, Register[]>();
  for (const register of registers) {
    const abilities = abilitiesOn(person, register);
    if (abilities.length > 0) {
      const text = powerText(powerOf(abilities));
      groups.set(text, [...(groups.get(text) ?? []), register]);
    }
  }
  if (groups.size === 0) {
    return <p>{say('people.noRole')}</p>;
  }
  return (
    <ul class="powers">
      {[...groups].map(([text, list]) => (
        <li>
          <b>{text}</b>: {list.length === registers.length && list.length > 1 ? say('people.onAll', { count: list.length }) : <Registers list={list} />}
        </li>
      ))}
    </ul>
  );
}

/** The maximum number of registers that are named in a row. */
const MAX_NAMED = 5;

function Registers({ list }: { readonly list: readonly Register[] }) {
  return (
    <>
      {list.slice(0, MAX_NAMED).map(({ name }, index) => (
        <>
          {index > 0 && ', '}
          <Certified text={name.slice(0, MAX_NAME)} />
        </>
      ))}
      {list.length > MAX_NAMED && ` ${say('people.more', { count: list.length - MAX_NAMED })}`}
    </>
  );
}

/** Returns a text about what abilities amount to. */
export function powerText(power: Power): string {
  switch (power.kind) {
    case 'everything':
      return say('people.everything');
    case 'roles':
      return power.roles.map((role) => say(`people.roles.${role}`)).join(', ');
    case 'own':
      return say('people.own', { list: power.abilities.map((ability) => say(`people.abilities.${ability}`)).join(', ') });
  }
}
