// The first step on a service that lets only chosen accounts issue: it says so, asks for the account, and offers a request to the operator.
import type { Operator } from '/lib/operator.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { mailTo } from '/lib/mail.ts';
import { say } from '/lib/texts.ts';
import { AdmissionForm } from './admission.tsx';
import { SignIn } from './sign-in.tsx';

interface Properties {
  readonly operator: Operator;
  readonly session: SignedIn | null;
  /** Null if the session is the one of the console. */
  readonly changed: ((session: SignedIn | null) => void) | null;
  readonly isInert?: boolean;
}

export function Chosen({ operator, session, changed, isInert = false }: Properties) {
  return (
    <section class="field" id="chosen" aria-labelledby="chosen-title">
      <h2 id="chosen-title">{say('chosen.title')}</h2>
      <p>
        {say('chosen.lead')} {session === null && say('chosen.signFirst')}
      </p>
      {changed !== null && <SignIn changed={changed} canDraw isInert={isInert} />}
      <div role="status">{session !== null && <p id={session.mayDeploy ? 'may-issue' : undefined}>{say(session.mayDeploy ? 'chosen.may' : 'chosen.mayNot')}</p>}</div>
      {session !== null && !session.mayDeploy && (
        <>
          <AdmissionForm key={session.account} session={session} />
          <Ask operator={operator} account={session.account} />
        </>
      )}
    </section>
  );
}

/** Offers other ways to ask the operator: a message with the account's address, or the operator's page. */
function Ask({ operator: { contactUrl }, account }: { readonly operator: Operator; readonly account: string }) {
  const { host } = location;
  const mailbox = contactUrl?.startsWith('mailto:') ? contactUrl.slice('mailto:'.length) : null;
  return (
    <>
      {mailbox !== null && (
        <p class="actions">
          <a class="button" id="ask-operator" href={mailTo(say('chosen.subject', { host }), say('chosen.body', { host, account }), mailbox)}>
            {say('chosen.ask')}
          </a>
        </p>
      )}
      {contactUrl?.startsWith('https:') && (
        <p>
          {say('chosen.askPage')}{' '}
          <a id="ask-operator" href={contactUrl} rel="noopener">
            {contactUrl}
          </a>
        </p>
      )}
    </>
  );
}
