// The part that lets a domain confirm the account.
import { mailTo } from '/lib/mail.ts';
import { download } from '/lib/page.ts';
import { say } from '/lib/texts.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { CopyButton } from './copy-button.tsx';
import { CopiedText } from './text.tsx';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type DomainDispatch, checkDomain, fileOf, listBadgeKey } from './domain.ts';
import type { Domain, Way } from './domain-state.ts';

interface Properties {
  readonly session: SignedIn | null;
  readonly domain: Domain;
  readonly dispatch: DomainDispatch;
  /** Whether the field is unfolded, with the name, logo and contact of a domain that confirms the account. */
  readonly isOpen?: boolean;
}

export function DomainField({ session, domain, dispatch, isOpen = false }: Properties) {
  return (
    <details class="field" id="domain" open={isOpen}>
      <summary id="domain-state">{domain.summary || say('issue.domainNone')}</summary>
      <p class="hint">{say('issue.domainHint')}</p>
      <label for="domain-name">{say('issue.domainLabel')}</label>
      <input
        id="domain-name"
        inputMode="url"
        autocomplete="off"
        spellcheck={false}
        autocapitalize="off"
        placeholder="uni.example"
        value={domain.name}
        onInput={({ currentTarget }) => dispatch({ type: 'domainChanged', domain: { name: currentTarget.value } })}
      />
      <p class="actions">
        <button type="button" id="check-domain" onClick={() => checkDomain(session, domain, dispatch)}>
          {say('issue.domainCheck')}
        </button>{' '}
        <span class="note" id="domain-answer" role="status">
          {domain.answer}
        </span>
      </p>
      <Ways domain={domain} dispatch={dispatch} isOpen={isOpen} />
    </details>
  );
}

/** What the domain can publish. Folded if the domain confirms the account already. */
function Ways({ domain, dispatch, isOpen }: Omit<Properties, 'session'>) {
  const { ways } = domain;
  if (ways === null) {
    return null;
  }
  const { file, record, isConfirmed } = ways;
  const { text, problem } = fileOf(domain);
  const shown = (
    <div id="domain-ways">
      <p>{isConfirmed ? say('issue.domainReplace') : say('issue.domainWays')}</p>
      {file.isWhole ? <Organisation domain={domain} dispatch={dispatch} problem={problem} /> : <p id="domain-entries">{say('issue.domainEntries')}</p>}
      <WayField id="domain-file" title={file.isWhole ? say('issue.domainFile') : say('issue.domainFileEntries')} way={{ ...file, publish: text }} isHidden={problem !== ''}>
        {file.isWhole && (
          <button type="button" onClick={() => download('did.json', text)}>
            {say('issue.domainSave')}
          </button>
        )}
      </WayField>
      {!isConfirmed && <WayField id="domain-record" title={say('issue.domainRecord')} way={record} />}
      {problem === '' && (
        <p class="actions">
          <a id="domain-message" href={messageOf(ways, text)}>
            {say('issue.domainMessage')}
          </a>
        </p>
      )}
    </div>
  );
  if (!isConfirmed) {
    return shown;
  }
  return (
    <details id="domain-change" open={isOpen}>
      <summary>{say('issue.domainChange')}</summary>
      {shown}
    </details>
  );
}

/** The fields that only the file can have. */
function Organisation({ domain, dispatch, problem }: Omit<Properties, 'session'> & { readonly problem: string }) {
  const { organisation, logo, contact } = domain;
  return (
    <>
      <label for="organisation">{say('issue.organisation')}</label>
      <input
        id="organisation"
        maxLength={120}
        autocomplete="organization"
        aria-describedby="organisation-hint organisation-problem"
        value={organisation}
        onInput={({ currentTarget }) => dispatch({ type: 'domainChanged', domain: { organisation: currentTarget.value } })}
      />
      <p class="hint" id="organisation-hint">
        {say('issue.organisationHint')}
      </p>
      <label for="logo">{say('issue.logo')}</label>
      <input
        id="logo"
        inputMode="url"
        autocomplete="off"
        spellcheck={false}
        autocapitalize="off"
        aria-describedby="logo-hint organisation-problem"
        value={logo}
        onInput={({ currentTarget }) => dispatch({ type: 'domainChanged', domain: { logo: currentTarget.value } })}
      />
      <p class="hint" id="logo-hint">
        {say('issue.logoHint')}
      </p>
      <label for="contact">{say('issue.contact')}</label>
      <input
        id="contact"
        inputMode="email"
        autocomplete="off"
        spellcheck={false}
        autocapitalize="off"
        aria-describedby="contact-hint organisation-problem"
        value={contact}
        onInput={({ currentTarget }) => dispatch({ type: 'domainChanged', domain: { contact: currentTarget.value } })}
      />
      <p class="hint" id="contact-hint">
        {say('issue.contactHint')}
      </p>
      <p>
        <label>
          <input type="checkbox" id="domain-badge" checked={domain.badgeFile !== null} onChange={({ currentTarget }) => listBadgeKey(domain, currentTarget.checked, dispatch)} />{' '}
          {say('issue.domainBadge')}
        </label>
      </p>
      <p class="hint">{say('issue.domainBadgeHint')}</p>
      <p class="note" id="organisation-problem" role="status">
        {problem}
      </p>
    </>
  );
}

/** The maximum length of an address that every mail program accepts, in characters. */
const MESSAGE_MAX = 2083;

/** Returns the address that opens a message to the webmaster in the person's mail program. A text that is too long for it is to be attached. */
function messageOf({ file, record, isConfirmed }: NonNullable<Domain['ways']>, publish: string): string {
  const key = file.isWhole ? (isConfirmed ? 'issue.domainMessageChange' : 'issue.domainMessageText') : 'issue.domainMessageEntries';
  const messageWith = (text: string) => {
    const body = say(key, { at: file.at, publish: text, name: record.at, record: record.publish });
    return mailTo(say('issue.domainMessageSubject'), body);
  };
  const message = messageWith(JSON.stringify(JSON.parse(publish)));
  return message.length > MESSAGE_MAX ? messageWith(say('issue.domainAttached')) : message;
}

interface WayProperties {
  readonly id: string;
  readonly title: string;
  readonly way: Way;
  /** Whether the text to publish is hidden, because it is not complete. */
  readonly isHidden?: boolean;
  readonly children?: ComponentChildren;
}

/** One way to confirm: the place to publish a text, the text, and the reason why the check failed. The service's sentences are English. */
function WayField({ id, title, way: { at, publish, problem }, isHidden = false, children }: WayProperties) {
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  return (
    <div class="way" id={id}>
      <h3>{title}</h3>
      <p>
        <code class="long">{at}</code>
      </p>
      <CopiedText text={publish} label={at} place={shown} isHidden={isHidden} />
      <p class="actions" hidden={isHidden}>
        <CopyButton text={publish} shown={shown} done={setCopied} />
        {children}
        <span class="note" role="status">
          {copied}
        </span>
      </p>
      {problem !== null && (
        <p class="hint" lang="en">
          {problem.message}
        </p>
      )}
    </div>
  );
}
