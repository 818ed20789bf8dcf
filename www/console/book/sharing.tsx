// The part of the register book that colleagues share: the key of this browser, the state of the shared book, and who can read it. Loaded with the view.
import { agoText } from '/lib/ago.ts';
import { readNames } from '/lib/contacts.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { serviceOf } from '/lib/service.ts';
import { explained } from '/lib/signer.ts';
import { listText, say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { useModal } from '/components/modal.ts';
import { Certified, CopiedText } from '/components/text.tsx';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { Fingerprint } from '../people/parts.tsx';
import type { ViewProperties } from '../views.ts';
import { beginKey, findKey, read, readAll, readAnew, recoverKey, saveRecovery, saveSealed, share, signedKey, trustWriter, useKey } from './sharing.ts';
import { type Action, type BookState, type Member, type Shared, type State, mayBeginAgain, readersOf, reduce, sortedBooks, startOf } from './sharing-state.ts';

interface Properties extends Omit<ViewProperties, 'parts' | 'lookAgain'> {
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
  // A disabled button loses the focus, and a new version draws other buttons.
  const pressed = useRef<Element | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (!isBusy && pressed.current !== null) {
      const control = pressed.current.isConnected ? pressed.current : title.current;
      pressed.current = null;
      if (control instanceof HTMLElement && document.activeElement === document.body) {
        control.focus({ preventScroll: true });
      }
    }
  }, [isBusy]);
  const run = (act: () => Promise<unknown>) => {
    if (isBusy) {
      return;
    }
    pressed.current = document.activeElement;
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
  }, [isReading, key, ledger]);
  useEffect(() => {
    const leaving = new AbortController();
    if (isReading) {
      // The chosen one is read above.
      const others = registers.map(({ id }) => id).filter((id) => id !== ledger);
      readAll(session, others, dispatch, changed, leaving.signal);
    }
    return () => leaving.abort();
  }, [isReading, key]);
  const unopened = isReading ? state.unopened : null;
  const given: PartProperties = { ...properties, state, dispatch, run };
  return (
    <section id="sharing" aria-labelledby="sharing-title">
      <h3 id="sharing-title" tabIndex={-1} ref={title}>
        {say('book.sharing.title')}
      </h3>
      <p>{say('book.sharing.lead')}</p>
      {isHosting === false && <p id="sharing-off">{say('book.sharing.off')}</p>}
      {unopened !== null && <p id="sharing-unopened">{bookText(unopened)}</p>}
      {state.recovery !== null ? (
        <Recovery {...given} recovery={state.recovery} />
      ) : (
        <>
          {isHosting === true && (key === '' || unopened === 'locked') && <KeyForm {...given} />}
          {isReading && registers.length > 1 && <AllBooks {...given} />}
          {isReading && <Book {...given} />}
        </>
      )}
    </section>
  );
}

/** Returns what became of a shared book, as a sentence. */
const bookText = (book: BookState) => say(`book.sharing.${book === 'locked' ? 'notForYou' : book}`);

/** Says how many shared books were read, and which the person has to look at. */
function AllBooks({ registers, state, dispatch }: PartProperties) {
  const { read, doubtful } = sortedBooks(state, registers);
  return (
    <>
      <p id="sharing-all" role="status">
        {read.length > 0 && say('book.sharing.allRead', { count: read.length, registers: listText(read.map(({ register }) => `\u2068${titleOf(register)}\u2069`)) })}
      </p>
      <ul class="entries" id="sharing-doubtful">
        {doubtful.map(({ register, book }) => (
          <li>
            <Certified text={titleOf(register)} />: {bookText(book)}{' '}
            {register.id !== state.ledger && (
              <button type="button" disabled={state.isBusy} onClick={() => dispatch({ type: 'chosen', ledger: register.id })}>
                {say('book.sharing.look')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Makes a key in this browser, or opens the one of a recovery key. */
function KeyForm({ session, state: { isBusy, ledger }, dispatch, run }: PartProperties) {
  const [entered, setEntered] = useState('');
  const [isReplacing, setReplacing] = useState(false);
  // A new key locks out the account's other browsers, so the first press only says so.
  const make = async () => {
    if (!isReplacing && (await signedKey(session, ledger)) !== null) {
      setReplacing(true);
      return;
    }
    await beginKey(dispatch);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    run(() => recoverKey(session, entered, ledger, dispatch));
  };
  return (
    <>
      <p class="hint">{say('book.sharing.keyHint')}</p>
      <p class="problem" id="key-replaced" role="alert" hidden={!isReplacing}>
        {isReplacing && say('book.sharing.keyReplaced')}
      </p>
      <p class="actions">
        <button type="button" class={isReplacing ? undefined : 'primary'} id="sharing-key" disabled={isBusy} onClick={() => run(make)}>
          {say(isReplacing ? 'book.sharing.makeKeyAnyway' : 'book.sharing.makeKey')}
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

/** Shows a new recovery key once. Its key counts once the person has kept it. */
function Recovery({ session, recovery, state: { isBusy }, dispatch, run }: PartProperties & { readonly recovery: string }) {
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
        <button type="button" class="primary" id="recovery-kept" disabled={isBusy} onClick={() => run(() => useKey(session, recovery, dispatch))}>
          {say('book.sharing.recoveryKept')}
        </button>
      </p>
    </div>
  );
}

function Book(properties: PartProperties) {
  const { registers, state, dispatch, run, session } = properties;
  const { shared, ledger, isBusy, unopened, note } = state;
  const isAgain = shared !== null && mayBeginAgain(shared, unopened !== null, session.account);
  const isUsed = unopened === null && (shared?.kind === 'good' || shared?.kind === 'none');
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
      {shared !== null && (isUsed || isAgain) && <Readers {...properties} shared={shared} isAgain={isAgain} />}
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
      {isRefused && (
        <details id="restored">
          <summary>{say('book.sharing.restored')}</summary>
          <p>{say('book.sharing.restoredHint')}</p>
          <p class="actions">
            <button type="button" id="read-anew" disabled={state.isBusy} onClick={() => run(() => readAnew(session, state.ledger, dispatch))}>
              {say('book.sharing.readAnew')}
            </button>
          </p>
        </details>
      )}
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

/** Who can read the next version, and the button that writes it. `isAgain` is true if the person can only begin the book again. */
function Readers({ session, state, dispatch, run, shared, isAgain }: PartProperties & { readonly shared: Shared; readonly isAgain: boolean }) {
  const [asked, setAsked] = useState<(() => Promise<unknown>) | null>(null);
  const own = session.account.toLowerCase();
  const readers = readersOf(shared, state, own);
  const mayWrite = shared.members.some(({ account, mayWrite }) => account === own && mayWrite) && (isAgain || shared.kind === 'none' || shared.readers.includes(own));
  const write = async () => {
    const count = await share(session, state, isAgain, dispatch);
    dispatch({ type: 'noted', text: say('book.sharing.shared', { count }) });
  };
  // The service suggests the readers of a book that begins, so the person confirms them.
  const ask = (act: () => Promise<unknown>) => (isAgain || shared.kind === 'none' ? setAsked(() => act) : run(act));
  const confirmed = (act: () => Promise<unknown>) => {
    setAsked(null);
    run(act);
  };
  return (
    <>
      {isAgain && (
        <p class="hint" id="again-hint">
          {say('book.sharing.againHint')}
        </p>
      )}
      {asked !== null && <Asking session={session} isAgain={isAgain} others={readers.filter(({ account }) => account !== own)} confirmed={() => confirmed(asked)} closed={() => setAsked(null)} />}
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
      <p id="sharing-due" role="status">
        {mayWrite && state.unshared > 0 && say('book.sharing.due', { count: state.unshared })}
      </p>
      <p class="actions">
        <button type="button" class="primary" id="sharing-write" disabled={state.isBusy || !mayWrite} onClick={() => ask(write)}>
          {say(isAgain ? 'book.sharing.again' : 'book.sharing.write')}
        </button>{' '}
        <button type="button" id="sharing-save" disabled={state.isBusy} onClick={() => ask(() => saveSealed(session, state))}>
          {say('book.sharing.save')}
        </button>
      </p>
      <p class="hint">{say('book.sharing.limit')}</p>
    </>
  );
}

interface AskingProperties {
  readonly session: SignedIn;
  readonly isAgain: boolean;
  /** The readers beside the person's own account. */
  readonly others: readonly Member[];
  readonly confirmed: () => void;
  readonly closed: () => void;
}

/** Asks before a book begins: who can read it, and what is not in it. */
function Asking({ session, isAgain, others, confirmed, closed }: AskingProperties) {
  const dialog = useModal(closed);
  const submit = (event: Event) => {
    event.preventDefault();
    confirmed();
  };
  return (
    <dialog id="sharing-dialog" aria-labelledby="sharing-dialog-title" ref={dialog} onClose={closed}>
      <form method="dialog" onSubmit={submit}>
        <h2 id="sharing-dialog-title">{say(isAgain ? 'book.sharing.againTitle' : 'book.sharing.firstTitle')}</h2>
        {isAgain && <p>{say('book.sharing.againSure')}</p>}
        <p>{say(others.length === 0 ? 'book.sharing.nobody' : 'book.sharing.somebody')}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a long list only if it takes the focus. */}
        <ul class="named" tabIndex={0} aria-label={say('book.sharing.readers')} hidden={others.length === 0}>
          {others.map(({ account }) => (
            <li>
              <Name account={account} session={session} />
              <Fingerprint account={account} id={`asked-${account}`} label={say('book.sharing.digits')} />
            </li>
          ))}
        </ul>
        <p class="actions">
          <button type="submit" class="primary" id="sharing-confirm">
            {say(others.length === 0 ? 'book.sharing.writeAlone' : 'book.sharing.same')}
          </button>{' '}
          <button type="button" id="sharing-cancel" onClick={closed}>
            {say('signIn.cancel')}
          </button>
        </p>
      </form>
    </dialog>
  );
}
