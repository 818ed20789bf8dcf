// One certificate: its facts, its history, its public page, and what can be done with it. This part is loaded with the first opened certificate.
import { entryOf, keepEntries } from '/lib/book.ts';
import { mailTo } from '/lib/mail.ts';
import { isAddress } from '/lib/people.ts';
import { isReplaceable, mayReplace } from '/lib/changes.ts';
import { momentText, say } from '/lib/texts.ts';
import { CopyButton } from '/components/copy-button.tsx';
import { usePart } from '/components/part.ts';
import { Certified, CopiedText } from '/components/text.tsx';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { byText, detailsOf, linkOf, nameOf, print, readBook, refusal, textsOf } from './listing.ts';
import { historyOf } from './source.ts';
import { type Certificate, type Happening, isOwnedBy, keyOf } from './state.ts';
import type { PartProperties } from './view.tsx';

interface Properties extends PartProperties {
  readonly certificate: Certificate;
}

export function One(properties: Properties) {
  const { certificate, session, registers, state, dispatch, answered, mayWithdraw } = properties;
  const { id, by, asset, date } = certificate;
  const key = keyOf(certificate);
  const { holder, email, title, registerName, status } = textsOf(certificate, state, registers);
  const register = registers.find((one) => one.id.toLowerCase() === certificate.ledgerId.toLowerCase());
  const heading = useRef<HTMLHeadingElement>(null);
  const [history, setHistory] = useState<readonly Happening[]>([]);
  const [isReplacing, setReplacing] = useState(false);
  const [isShown, setShown] = useState(false);
  const refuse = (error: unknown) => answered(refusal(error));
  const link = linkOf(certificate);
  const isOwn = isOwnedBy(certificate, session.account);
  const canWithdraw = mayWithdraw(certificate);
  const canReplace = register !== undefined && isReplaceable(register) && mayReplace(register);
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  const isDetailed = state.details.has(key);
  useEffect(() => {
    if (!isDetailed) {
      detailsOf(certificate).then((details) => dispatch({ type: 'detailed', key, details }));
    }
  }, [isDetailed]);
  useEffect(() => {
    historyOf(session, certificate).then(setHistory, refuse);
    // A reason that the service has just got is in the history.
  }, [certificate, state.unexplained.length]);
  const replacing = usePart(isReplacing, () => import('./replacing.tsx'), refuse);
  const page = usePart(isShown, () => import('./public-page.tsx'), refuse);
  return (
    <article id="one" aria-labelledby="one-title">
      <p>
        <a href={fragmentOf('certificates')}>{say('certificates.back')}</a>
      </p>
      <h3 id="one-title" tabIndex={-1} ref={heading}>
        <Certified text={[holder, title].filter((text) => text !== '').join(', ')} />
      </h3>
      <dl class="facts">
        <Fact name="holder">{holder === '' ? say('certificates.noHolder') : <Certified text={holder} />}</Fact>
        {email !== '' && (
          <Fact name="email">
            <Certified text={email} />
          </Fact>
        )}
        <Fact name="number">
          <code class="long">{id}</code>
        </Fact>
        <Fact name="register">
          <Certified text={registerName} />
        </Fact>
        {date !== '' && <Fact name="date">{momentText(new Date(date))}</Fact>}
        {by !== null && (
          <Fact name="by">
            {byText(by, session.account)} <code class="long hint">{by}</code>
          </Fact>
        )}
        <Fact name="status">{say(`certificates.statuses.${status}`)}</Fact>
      </dl>
      <p class="actions">
        <a class="button" id="one-open" href={link} target="_blank" rel="noopener">
          {say('issue.open')}
        </a>{' '}
        <a class="button" id="one-send" href={messageTo(email, status === 'withdrawn', { holder, title, link })}>
          {say('certificates.send')}
        </a>{' '}
        {asset !== null && (
          <>
            <button
              type="button"
              id="one-print"
              disabled={state.isBusy}
              onClick={() => print([certificate], state, registers).then((note) => answered(note === '' ? null : { kind: 'unchecked', text: note }), refuse)}
            >
              {say('issued.print')}
            </button>{' '}
            {canReplace && (
              <button type="button" id="one-replace" disabled={state.isBusy || isReplacing} onClick={() => setReplacing(true)}>
                {say('issued.replace')}
              </button>
            )}{' '}
            {canWithdraw && (
              <button type="button" id="one-withdraw" disabled={state.isBusy} onClick={() => dispatch({ type: 'withdrawalAsked', certificates: [certificate] })}>
                {say('issued.withdraw')}
              </button>
            )}
          </>
        )}
      </p>
      {asset !== null && !isOwn && (
        <p class="hint" id="one-others">
          {say('certificates.others')} <Certified text={nameOf(asset.ownerId)} />. {say(`certificates.${canWithdraw ? 'othersWithdraw' : canReplace ? 'othersReplace' : 'othersAsk'}`)}
        </p>
      )}
      {isReplacing && replacing !== null && register !== undefined && asset !== null && (
        <replacing.Replace {...properties} asset={asset} register={register} holder={holder} title={title} ended={() => setReplacing(false)} />
      )}
      <LinkPart link={link} />
      <BookPart {...properties} holder={holder} email={email} />
      <h3>{say('certificates.history')}</h3>
      <ol class="history" id="history">
        {history.map(({ kind, at, by, reason }) => (
          <li>
            <b>{say(`certificates.events.${kind}`)}</b> {at === null ? say('badge.unknownDate') : momentText(new Date(at))}
            {by !== null && ` · ${byText(by, session.account)}`}
            {reason !== null && (
              <>
                {' · '}
                <Certified text={reason} />
              </>
            )}
          </li>
        ))}
      </ol>
      <details onToggle={({ currentTarget }) => setShown(isShown || currentTarget.open)}>
        <summary>{say('certificates.strangers')}</summary>
        {page !== null && <page.PublicPage certificate={certificate} link={link} />}
      </details>
    </article>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{say(`certificates.columns.${name}`)}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Returns the address that opens a message to the holder in the person's mail program. The service sends and sees nothing. */
function messageTo(email: string, isWithdrawn: boolean, { holder, title, link }: { readonly holder: string; readonly title: string; readonly link: string }): string {
  const body = say(isWithdrawn ? 'certificates.messageWithdrawn' : 'certificates.message', { holder, title, link });
  return mailTo(title, body, isAddress(email) ? encodeURIComponent(email) : '');
}

function LinkPart({ link }: { readonly link: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  return (
    <>
      <CopiedText text={link} label={say('issue.link')} place={shown} kind="link" />
      <p class="actions">
        <CopyButton text={link} shown={shown} done={setCopied} />{' '}
        <span class="note" role="status">
          {copied}
        </span>
      </p>
    </>
  );
}

/** Changes the certificate's entry in the book. */
function BookPart({ certificate, dispatch, answered, holder, email }: Properties & { readonly holder: string; readonly email: string }) {
  const [texts, setTexts] = useState({ holder, email });
  const [note, setNote] = useState('');
  const save = async (event: Event) => {
    event.preventDefault();
    if (texts.email.trim() !== '' && !isAddress(texts.email)) {
      setNote(say('certificates.emailWrong'));
      return;
    }
    try {
      await keepEntries([entryOf({ ledger: certificate.ledgerId, asset: certificate.id, ...texts }, Date.now())]);
      await readBook(dispatch);
      setNote(say('certificates.bookSaved'));
    } catch (error) {
      answered(refusal(error));
    }
  };
  return (
    <details class="field" id="book-part">
      <summary>{say('certificates.book')}</summary>
      <p class="hint">{say('certificates.bookHint')}</p>
      <form onSubmit={save}>
        {(['holder', 'email'] as const).map((name) => (
          <p>
            <label for={`book-${name}`}>{say(`certificates.columns.${name}`)}</label>
            <input id={`book-${name}`} maxLength={300} autocomplete="off" value={texts[name]} onInput={({ currentTarget }) => setTexts({ ...texts, [name]: currentTarget.value })} />
          </p>
        ))}
        <p class="actions">
          <button type="submit">{say('certificates.bookSave')}</button>{' '}
          <span class="note" role="status">
            {note}
          </span>
        </p>
      </form>
    </details>
  );
}
