// The part of the register book that colleagues share: the key of this browser, the state of the shared book, and who can read it. Loaded with the view.
import { agoText } from '/lib/ago.ts';
import { readNames } from '/lib/contacts.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { explained, serviceOf } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { Certified, CopiedText } from '/components/text.tsx';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { Fingerprint } from '../people/parts.tsx';
import type { ViewProperties } from '../views.ts';
import { beginKey, findKey, read, saveRecovery, saveSealed, share, trustWriter } from './sharing.ts';
import { type Action, type Shared, type State, readersOf, reduce, startOf } from './sharing-state.ts';

interface Properties extends Omit<ViewProperties, 'parts'> {
  /** Called after the book of this browser has changed. */
  readonly changed: () => void;
}

interface PartProperties extends Properties {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
  /** Runs an action of the person, one at a time, and shows its failure. */
  readonly run: (act: () => Promise<unknown>) => void;
}

export function Sharing(properties: Properties) {
  const { session, registers, answered, changed } = properties;
  const [state, dispatch] = useReducer(reduce, registers[0]?.id ?? '', startOf);
  const [isHosting, setHosting] = useState<boolean | null>(null);
  const { key, ledger, isBusy } = state;
  const refuse = (error: unknown) => answered(refusal(explained(error)));
  const run = (act: () => Promise<unknown>) => {
    if (isBusy) {
      return;
    }
    dispatch({ type: 'busy', isBusy: true });
    answered(busy(say(session.isWallet ? 'signIn.inWallet' : 'book.sharing.working')));
    act()
      .then(() => {
        answered(null);
        changed();
      }, refuse)
      .finally(() => dispatch({ type: 'busy', isBusy: false }));
  };
  useEffect(() => {
    Promise.all([findKey(session, dispatch), serviceOf().then(({ files }) => setHosting(files))]).catch(refuse);
  }, []);
  const isReading = isHosting === true && key !== null && key !== '';
  useEffect(() => {
    if (isReading) {
      read(session, ledger, dispatch).then(changed, refuse);
    }
  }, [isReading, ledger]);
  const given: PartProperties = { ...properties, state, dispatch, run };
  return (
    <section id="sharing" aria-labelledby="sharing-title">
      <h3 id="sharing-title">{say('book.sharing.title')}</h3>
      <p>{say('book.sharing.lead')}</p>
      {isHosting === false && <p id="sharing-off">{say('book.sharing.off')}</p>}
      {isHosting === true && key === '' && <KeyForm {...given} />}
      {state.recovery !== null && <Recovery {...given} recovery={state.recovery} />}
      {isReading && state.recovery === null && <Book {...given} />}
    </section>
  );
}

/** Makes a key in this browser, or opens the one of a recovery key. */
function KeyForm({ session, state: { isBusy }, dispatch, run }: PartProperties) {
  const [entered, setEntered] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    run(() => beginKey(session, entered, dispatch));
  };
  return (
    <>
      <p class="hint">{say('book.sharing.keyHint')}</p>
      <p class="actions">
        <button type="button" class="primary" id="sharing-key" disabled={isBusy} onClick={() => run(() => beginKey(session, null, dispatch))}>
          {say('book.sharing.makeKey')}
        </button>
      </p>
      <details id="recovering">
        <summary>{say('book.sharing.haveRecovery')}</summary>
        <form onSubmit={submit}>
          <p>
            <label for="recovery-entered">{say('book.sharing.recovery')}</label>
            <input id="recovery-entered" autocomplete="off" spellcheck={false} autocapitalize="characters" value={entered} onInput={({ currentTarget }) => setEntered(currentTarget.value)} />
          </p>
          <p class="actions">
            <button type="submit" disabled={isBusy}>
              {say('book.sharing.useRecovery')}
            </button>
          </p>
        </form>
      </details>
    </>
  );
}

/** Shows a new recovery key once. */
function Recovery({ session, recovery, dispatch }: PartProperties & { readonly recovery: string }) {
  const shown = useRef<HTMLPreElement>(null);
  return (
    <div class="answer" data-kind="unchecked">
      <p>
        <b>{say('book.sharing.recovery')}</b>
      </p>
      <p>{say('book.sharing.recoveryHint')}</p>
      <CopiedText id="recovery" text={recovery} label={say('book.sharing.recovery')} place={shown} />
      <p class="actions">
        <button type="button" id="recovery-save" onClick={() => saveRecovery(session.account, recovery)}>
          {say('book.sharing.recoverySave')}
        </button>{' '}
        <button type="button" class="primary" id="recovery-kept" onClick={() => dispatch({ type: 'recoveryKept' })}>
          {say('book.sharing.recoveryKept')}
        </button>
      </p>
    </div>
  );
}

function Book(properties: PartProperties) {
  const { registers, state, dispatch, run, session } = properties;
  const { shared, ledger, isBusy, note } = state;
  return (
    <>
      <p hidden={registers.length === 1}>
        <label for="sharing-register">{say('book.sharing.register')}</label>{' '}
        <select id="sharing-register" disabled={isBusy} value={ledger} onChange={({ currentTarget }) => dispatch({ type: 'chosen', ledger: currentTarget.value })}>
          {registers.map((register) => (
            <option value={register.id}>{titleOf(register)}</option>
          ))}
        </select>
      </p>
      {shared === null ? <p role="status">{say('console.loading')}</p> : <Version {...properties} shared={shared} />}
      {shared !== null && (shared.kind === 'good' || shared.kind === 'none') && <Readers {...properties} shared={shared} />}
      <p class="note" id="sharing-note" role="status">
        {note}
      </p>
      {shared !== null && (
        <p class="actions">
          <button type="button" id="sharing-read" disabled={isBusy} onClick={() => run(() => read(session, ledger, dispatch))}>
            {say('book.sharing.read')}
          </button>
        </p>
      )}
    </>
  );
}

/** The name of an account in this browser, or the account. */
function Name({ account, session }: { readonly account: string; readonly session: SignedIn }) {
  const name = readNames().get(account.toLowerCase());
  if (account.toLowerCase() === session.account.toLowerCase()) {
    return <>{say('book.sharing.you')}</>;
  }
  return name === undefined ? <code class="long">{account}</code> : <Certified text={name} />;
}

/** What is to be made of the shared book: who changed it and when, or why it does not count. */
function Version({ session, state, dispatch, run, shared: { kind, version, readers, unsigned } }: PartProperties & { readonly shared: Shared }) {
  const isReader = readers.includes(session.account.toLowerCase());
  const isRefused = kind === 'older' || kind === 'forged';
  return (
    <>
      <p id="sharing-state" data-state={kind} class={isRefused ? 'answer' : undefined} data-kind={isRefused ? 'changed' : undefined} role="status">
        {kind === 'good' && version !== null ? (
          <>
            {say('book.sharing.changed', { version: version.version, ago: agoText(new Date(version.createdAt)) })} <Name account={version.writerId} session={session} />
          </>
        ) : (
          say(`book.sharing.${kind}`)
        )}
      </p>
      {kind === 'good' && !isReader && <p id="sharing-not-reader">{say('book.sharing.notReader')}</p>}
      {kind === 'stranger' && version !== null && (
        <div id="stranger">
          <code class="long">{version.writerId}</code>
          <Fingerprint account={version.writerId} id="writer-digits" label={say('book.sharing.digits')} />
          <p class="actions">
            <button type="button" id="writer-trust" disabled={state.isBusy} onClick={() => run(() => trustWriter(session, state.ledger, version.writerId, dispatch))}>
              {say('book.sharing.trust')}
            </button>
          </p>
        </div>
      )}
      {unsigned > 0 && <p id="unsigned">{say('book.sharing.unsigned', { count: unsigned })}</p>}
    </>
  );
}

/** Who can read the next version, and the button that writes it. */
function Readers({ session, state, dispatch, run, shared }: PartProperties & { readonly shared: Shared }) {
  const own = session.account.toLowerCase();
  const readers = readersOf(shared, state, own);
  const mayWrite = shared.members.some(({ account, mayWrite }) => account === own && mayWrite) && (shared.kind === 'none' || shared.readers.includes(own));
  const write = async () => {
    const count = await share(session, state, dispatch);
    dispatch({ type: 'noted', text: say('book.sharing.shared', { count }) });
  };
  return (
    <>
      <fieldset id="readers" disabled={state.isBusy || !mayWrite}>
        <legend>{say('book.sharing.readers')}</legend>
        <ul class="entries">
          {shared.members
            .filter(({ account }) => account !== own)
            .map(({ account }) => (
              <li>
                <label>
                  <input type="checkbox" checked={readers.some((reader) => reader.account === account)} onChange={() => dispatch({ type: 'toggled', account })} />{' '}
                  <Name account={account} session={session} />
                </label>
                {!shared.readers.includes(account) && <Fingerprint account={account} id={`digits-${account}`} label={say('book.sharing.digits')} />}
              </li>
            ))}
        </ul>
        <p class="hint">{say(shared.members.some(({ account }) => account !== own) ? 'book.sharing.compare' : 'book.sharing.alone')}</p>
        {state.left.size > 0 && <p id="leaving-hint">{say('book.sharing.leaving')}</p>}
      </fieldset>
      <p class="actions">
        <button type="button" class="primary" id="sharing-write" disabled={state.isBusy || !mayWrite} onClick={() => run(write)}>
          {say('book.sharing.write')}
        </button>{' '}
        <button type="button" id="sharing-save" disabled={state.isBusy} onClick={() => run(() => saveSealed(session, state))}>
          {say('book.sharing.save')}
        </button>
      </p>
      <p class="hint">{say('book.sharing.limit')}</p>
    </>
  );
}
