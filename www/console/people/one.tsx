// One person: what they may do, the form that changes it, and what to do if they leave or lose their key.
import { fromUnits } from '/client/index.js';
import { MAX_NAME, isAccount, keepName, namesake } from '/lib/contacts.ts';
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { Refusal } from '/view/json.ts';
import { busy, refusal } from '/components/answer.ts';
import { Certified } from '/components/text.tsx';
import { useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { Fingerprint, PartHeading } from './parts.tsx';
import { ROLES, type Role, abilitiesOf, isLookSafe, powerOf } from './roles.ts';
import { type Issued as Certificate, issuedBy } from './source.ts';
import { MAX_CHANGES, type Person, type Register, abilitiesOn, changesTo, ordersOf, ownOf, personOf, tokensIn } from './state.ts';
import { NameOf, type PartProperties, Powers } from './view.tsx';

interface Properties extends Omit<PartProperties, 'registers'> {
  readonly registers: readonly Register[];
  /** Null if the address of the view names no account, so the person enters it. */
  readonly account: string | null;
  /** The name in a link, which the sender of the link chose. */
  readonly offered: string;
}

export function OnePerson(properties: Properties) {
  const { account, state, offered, registers } = properties;
  const [entered, setEntered] = useState('');
  const known = account ?? (isAccount(entered.trim()) ? entered.trim() : null);
  const person = known === null ? null : personOf(state, known);
  return (
    <article id="person" aria-labelledby="part-title">
      <PartHeading view="people">{account === null ? say('people.add') : person !== null && person.abilities.size > 0 ? <NameOf account={account} state={state} /> : say('people.new')}</PartHeading>
      {account === null && (
        <p>
          <label for="person-account">{say('people.account')}</label>
          <input id="person-account" autocomplete="off" spellcheck={false} autocapitalize="off" value={entered} onInput={({ currentTarget }) => setEntered(currentTarget.value)} />
          <span class="hint">{entered.trim() !== '' && known === null ? say('people.accountWrong') : say('people.accountHint')}</span>
        </p>
      )}
      {person !== null && (
        <>
          {account !== null && <code class="long">{account}</code>}
          <Fingerprint account={person.account} />
          <p class="hint">{say('people.compare')}</p>
          <Powers person={person} registers={registers} />
          <RoleForm key={person.account} {...properties} person={person} offered={offered} />
          {(person.abilities.size > 0 || state.names.has(person.account.toLowerCase())) && <Leaving {...properties} person={person} />}
        </>
      )}
    </article>
  );
}

/** Returns the roles with which the form begins: those of the first register on which the person has some. */
function firstRoles(person: Person, registers: readonly Register[]): ReadonlySet<Role> {
  for (const register of registers) {
    const power = powerOf(abilitiesOn(person, register));
    if (power.kind === 'roles' && power.roles.length > 0) {
      return new Set(power.roles);
    }
  }
  return new Set(person.abilities.size > 0 ? [] : ['issue']);
}

function toggled<Item>(items: ReadonlySet<Item>, item: Item): ReadonlySet<Item> {
  const next = new Set(items);
  if (!next.delete(item)) {
    next.add(item);
  }
  return next;
}

function RoleForm({ person, registers, state, session, dispatch, answered, offered }: Properties & { readonly person: Person }) {
  const managed = registers.filter(({ isManaged }) => isManaged);
  const [name, setName] = useState(state.names.get(person.account.toLowerCase()) ?? offered);
  const [roles, setRoles] = useState(() => firstRoles(person, managed));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(ownOf(managed).map(({ id }) => id)));
  const [tokens, setTokens] = useState('');
  const after = abilitiesOf(roles);
  const isLookOnly = roles.size === 1 && roles.has('look');
  const changes = changesTo(
    person,
    managed.filter((register) => chosen.has(register.id) && (!isLookOnly || isLookSafe(register))),
    after,
  );
  const unsafe = isLookOnly ? managed.filter((register) => chosen.has(register.id) && !isLookSafe(register)) : [];
  const other = namesake(state.names, person.account, name);
  const submit = (event: Event) => {
    event.preventDefault();
    answered(null);
    const given = tokensIn(tokens);
    if (given === null) {
      answered(refusal(Refusal.of('people.tokensWrong')));
    } else if (changes.length === 0 && given === '') {
      dispatch({ type: 'named', names: keepName(person.account, name) });
      answered({ kind: 'valid', text: say('people.unchanged') });
    } else {
      dispatch({ type: 'asked', asked: { account: person.account, name: name.trim(), changes, tokens: given, isLeaving: false } });
    }
  };
  return (
    <form id="role-form" onSubmit={submit}>
      <p>
        <label for="person-name">{say('people.name')}</label>
        <input id="person-name" maxLength={MAX_NAME} autocomplete="off" aria-describedby="person-name-hint" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        <span class="hint" id="person-name-hint">
          {say('people.nameHint')}
        </span>
      </p>
      {other !== null && (
        <p class="problem" id="same-name">
          {say('people.sameName')} <code class="long">{other}</code>
        </p>
      )}
      {managed.length === 0 ? (
        <p class="hint">{say('people.notManager')}</p>
      ) : (
        <>
          <fieldset>
            <legend>{say('people.may')}</legend>
            {ROLES.map((role) => (
              <p>
                <label>
                  <input type="checkbox" id={`role-${role}`} checked={roles.has(role)} onChange={() => setRoles(toggled(roles, role))} /> {say(`people.roles.${role}`)}
                </label>
                <span class="hint"> {say(`people.roleHints.${role}`)}</span>
              </p>
            ))}
          </fieldset>
          <fieldset>
            <legend>{say('people.where')}</legend>
            {managed.map(({ id, name, isForeign }) => (
              <p>
                <label>
                  <input type="checkbox" value={id} checked={chosen.has(id)} onChange={() => setChosen(toggled(chosen, id))} /> <Certified text={name.slice(0, MAX_NAME)} />
                </label>
                {isForeign && <span class="hint"> {say('people.foreign')}</span>}
              </p>
            ))}
          </fieldset>
          {unsafe.length > 0 && <p class="hint">{say('people.lookUnsafe', { count: unsafe.length })}</p>}
          {session.costs !== null && (
            <p>
              <label for="person-tokens">{say('people.tokens')}</label>
              <input
                id="person-tokens"
                inputMode="decimal"
                maxLength={31}
                autocomplete="off"
                aria-describedby="person-tokens-hint"
                value={tokens}
                onInput={({ currentTarget }) => setTokens(currentTarget.value)}
              />
              <span class="hint" id="person-tokens-hint">
                {say('people.tokensHint', { balance: fromUnits(BigInt(session.costs.balance)), cost: fromUnits(BigInt(session.costs.assetCreateCost)) })}
              </span>
            </p>
          )}
          <p class="hint">{changes.length > MAX_CHANGES && say('people.severalOrders', { most: MAX_CHANGES, count: ordersOf(changes).length })}</p>
        </>
      )}
      <p class="actions">
        <button type="submit" class="primary" id="role-save" disabled={state.isBusy}>
          {changes.length > 0 ? say('people.save', { count: changes.length }) : say(tokens.trim() === '' ? 'people.saveName' : 'people.giveTokens')}
        </button>
      </p>
    </form>
  );
}

/** What to do if a person leaves or loses their key: all abilities are taken back at once, and the certificates of the account are listed. */
function Leaving({ person, registers, state, session, dispatch, answered }: Properties & { readonly person: Person }) {
  const [issued, setIssued] = useState<{ readonly found: readonly Certificate[]; readonly isWhole: boolean } | null>(null);
  const changes = changesTo(person, registers, []);
  const unmanaged = registers.filter((register) => !register.isManaged && abilitiesOn(person, register).length > 0);
  const list = async () => {
    answered(busy(say('people.listing')));
    try {
      setIssued(await issuedBy(session.client, registers, person.account));
      answered(null);
    } catch (error) {
      answered(refusal(explained(error)));
    }
  };
  const name = state.names.get(person.account.toLowerCase()) ?? '';
  return (
    <section class="field" id="leaving" aria-labelledby="leaving-title">
      <h4 id="leaving-title">{say('people.leaving')}</h4>
      <p>{say('people.leavingHint')}</p>
      {unmanaged.length > 0 && <p class="hint">{say('people.unmanaged', { count: unmanaged.length })}</p>}
      <p class="actions">
        <button
          type="button"
          id="take-all"
          disabled={state.isBusy || changes.length === 0}
          onClick={() => {
            answered(null);
            dispatch({ type: 'asked', asked: { account: person.account, name, changes, tokens: '', isLeaving: true } });
          }}
        >
          {say('people.takeAll')}
        </button>{' '}
        <button type="button" id="list-issued" onClick={list}>
          {say('people.listIssued')}
        </button>
      </p>
      {issued !== null && <Issued {...issued} registers={registers} />}
    </section>
  );
}

function Issued({ found, isWhole, registers }: { readonly found: readonly Certificate[]; readonly isWhole: boolean; readonly registers: readonly Register[] }) {
  const nameOf = (ledgerId: string) => registers.find(({ id }) => id.toLowerCase() === ledgerId.toLowerCase())?.name ?? ledgerId;
  return (
    <div id="issued-by">
      <p>{say('people.issued', { count: found.length })}</p>
      {found.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a long list only if it takes the focus.
        <ul class="named" tabIndex={0} aria-label={say('people.issuedLabel')}>
          {found.map(({ ledgerId, id }) => (
            <li>
              <a href={fragmentOf('certificates', ledgerId, id)}>
                <Certified text={nameOf(ledgerId).slice(0, MAX_NAME)} />, <code class="long">{id}</code>
              </a>
            </li>
          ))}
        </ul>
      )}
      {!isWhole && <p class="hint">{say('people.issuedPartial')}</p>}
    </div>
  );
}
