// One person: what they may do, the form that changes it, and what to do if they leave or lose their key.
import { type Entry, factOf, idOf, readEntries } from '/lib/book.ts';
import { MAX_NAME, isAccount, keepName, namesake } from '/lib/contacts.ts';
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { Refusal, visible } from '/view/json.ts';
import { busy, refusal } from '/components/answer.ts';
import { useCosts } from '/components/balance.ts';
import { Certified } from '/components/text.tsx';
import { Tokens } from '/components/tokens.tsx';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { Fingerprint, PartHeading } from './parts.tsx';
import { type Role, abilitiesOf, isLookSafe, isRevocable, offeredRoles, rolesIn } from './roles.ts';
import { type Issued as Certificate, issuedBy } from './source.ts';
import { MAX_CHANGES, type Person, type Register, type State, abilitiesOn, changesTo, ordersOf, ownOf, personOf, tokensIn } from './state.ts';
import { NameOf, type PartProperties, Powers } from './view.tsx';

interface Properties extends Omit<PartProperties, 'registers'> {
  readonly registers: readonly Register[];
  /** Null if the address of the view names no account, so the person enters it. */
  readonly account: string | null;
  /** The name in a link, which the sender of the link chose. */
  readonly offered: string;
}

/** Returns true if the person is no new colleague: the account has abilities, or a name in this browser, for example because all its roles were taken back. */
const isKnown = ({ account, abilities }: Person, { names }: Pick<State, 'names'>): boolean => abilities.size > 0 || names.has(account.toLowerCase());

export function OnePerson(properties: Properties) {
  const { account, state, offered, registers } = properties;
  const [entered, setEntered] = useState('');
  const known = account ?? (isAccount(entered.trim()) ? entered.trim() : null);
  const person = known === null ? null : personOf(state, known);
  return (
    <article id="person" aria-labelledby="part-title">
      <PartHeading view="people">{account === null ? say('people.add') : person !== null && isKnown(person, state) ? <NameOf account={account} state={state} /> : say('people.new')}</PartHeading>
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
          <RoleForm key={JSON.stringify([person.account, ...person.abilities])} {...properties} person={person} offered={offered} />
          {isKnown(person, state) && <Leaving {...properties} person={person} />}
        </>
      )}
    </article>
  );
}

/** Returns the roles with which the form begins: those of the first register on which the person has abilities. A new colleague most often issues. */
function firstRoles(person: Person, registers: readonly Register[], isNew: boolean): ReadonlySet<Role> {
  if (person.abilities.size === 0) {
    return new Set(isNew ? ['issue'] : []);
  }
  const found = registers.map((register) => rolesIn(abilitiesOn(person, register)));
  return new Set(found.find((roles) => roles.length > 0));
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
  const listed = offeredRoles(state.isOnChain, new Set(managed.flatMap((register) => rolesIn(abilitiesOn(person, register)))));
  const costs = useCosts(session, true);
  const [name, setName] = useState(state.names.get(person.account.toLowerCase()) ?? offered);
  const [roles, setRoles] = useState(() => firstRoles(person, managed, !isKnown(person, state)));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(ownOf(managed).map(({ id }) => id)));
  // The roles of a person may differ between registers, so what the form shows first is no change.
  const [isChanged, setChanged] = useState(person.abilities.size === 0);
  const [tokens, setTokens] = useState('');
  const picked = managed.filter(({ id }) => chosen.has(id));
  // A register that has none of the chosen roles is left out. Otherwise the person would lose the abilities there.
  const wanted = isChanged ? picked.filter((register) => roles.size === 0 || abilitiesOf(roles, register).length > 0) : [];
  const changes = wanted.flatMap((register) => changesTo(person, [register], abilitiesOf(roles, register)));
  const unsafe = roles.size === 1 && roles.has('look') ? picked.filter((register) => !isLookSafe(register)) : [];
  const irrevocable = roles.has('withdraw') ? picked.filter((register) => !isRevocable(register)) : [];
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
            {listed.map((role) => (
              <p>
                <label>
                  <input type="checkbox" id={`role-${role}`} checked={roles.has(role)} onChange={() => [setRoles(toggled(roles, role)), setChanged(true)]} /> {say(`people.roles.${role}`)}
                </label>
                <span class="hint"> {say(`people.roleHints.${role}`)}</span>
              </p>
            ))}
            {state.isOnChain && (
              <p class="hint" id="withdraw-on-chain">
                {say('people.withdrawOnChain')}
              </p>
            )}
          </fieldset>
          <fieldset>
            <legend>{say('people.where')}</legend>
            {managed.map(({ id, name, isForeign }) => (
              <p>
                <label>
                  <input type="checkbox" value={id} checked={chosen.has(id)} onChange={() => [setChosen(toggled(chosen, id)), setChanged(true)]} /> <Certified text={name.slice(0, MAX_NAME)} />
                </label>
                {isForeign && <span class="hint"> {say('people.foreign')}</span>}
              </p>
            ))}
          </fieldset>
          {unsafe.length > 0 && <p class="hint">{say('people.lookUnsafe', { count: unsafe.length })}</p>}
          {irrevocable.length > 0 && <p class="hint">{say('people.irrevocable', { count: irrevocable.length })}</p>}
          {costs !== null && (
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
                <Tokens text="people.tokensHint" values={{ balance: costs.balance, cost: costs.assetCreateCost, permission: costs.dappValueApproveCost }} />
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
  const changes = changesTo(person, registers, []);
  const unmanaged = registers.filter((register) => !register.isManaged && abilitiesOn(person, register).length > 0);
  const { list, shown } = useIssued({ session, registers, answered }, person.account);
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
      {shown}
    </section>
  );
}

/** Returns the function that lists what an account issued on registers, and the list. */
function useIssued({ session, registers, answered }: Pick<Properties, 'session' | 'registers' | 'answered'>, account: string): { readonly list: () => Promise<void>; readonly shown: ComponentChild } {
  const [issued, setIssued] = useState<Omit<IssuedProperties, 'registers'> | null>(null);
  const list = async () => {
    answered(busy(say('people.listing')));
    try {
      // The names in the register book of this browser, if it can be read.
      const [found, book] = await Promise.all([issuedBy(session.client, registers, account), readEntries().catch(() => new Map<string, Entry>())]);
      setIssued({ ...found, book });
      answered(null);
    } catch (error) {
      answered(refusal(explained(error)));
    }
  };
  return { list, shown: issued !== null && <Issued {...issued} registers={registers} /> };
}

/** A person who has no role any more, with what the account issued. */
export function Left({ account, state, ...properties }: Pick<Properties, 'session' | 'registers' | 'answered' | 'state'> & { readonly account: string }) {
  const { list, shown } = useIssued(properties, account);
  return (
    <li>
      <a href={fragmentOf('people', 'one', account)}>
        <NameOf account={account} state={state} />
      </a>{' '}
      <code class="long hint">{account}</code>
      <p class="actions">
        <button type="button" onClick={list}>
          {say('people.listIssued')}
        </button>
      </p>
      {shown}
    </li>
  );
}

interface IssuedProperties {
  readonly found: readonly Certificate[];
  readonly isWhole: boolean;
  readonly book: ReadonlyMap<string, Entry>;
  readonly registers: readonly Register[];
}

function Issued({ found, isWhole, book, registers }: IssuedProperties) {
  const holderOf = ({ ledgerId, id }: Certificate) => factOf(book.get(idOf({ ledger: ledgerId, asset: id })), 'holder');
  const nameOf = (ledgerId: string) => registers.find(({ id }) => id.toLowerCase() === ledgerId.toLowerCase())?.name ?? ledgerId;
  return (
    <div class="issued-by">
      <p>{say('people.issued', { count: found.length })}</p>
      {found.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a long list only if it takes the focus.
        <ul class="named" tabIndex={0} aria-label={say('people.issuedLabel')}>
          {found.map((certificate) => {
            const { ledgerId, id } = certificate;
            const holder = holderOf(certificate);
            return (
              <li>
                <a href={fragmentOf('certificates', ledgerId, id)}>
                  {holder !== '' && (
                    <>
                      <Certified text={visible(holder)} />,{' '}
                    </>
                  )}
                  <Certified text={nameOf(ledgerId).slice(0, MAX_NAME)} />, <code class="long">{id}</code>
                </a>
              </li>
            );
          })}
        </ul>
      )}
      {!isWhole && <p class="hint">{say('people.issuedPartial')}</p>}
    </div>
  );
}
