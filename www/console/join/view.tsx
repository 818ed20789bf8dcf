// The view of an invited colleague: the text to send back, with the address of their account. The invitation gives no abilities.
import { MAX_NAME, cleanName, isAccount } from '/lib/contacts.ts';
import { say } from '/lib/texts.ts';
import { Certified } from '/components/text.tsx';
import { useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { Fingerprint, Message } from '../people/parts.tsx';
import type { ViewProperties } from '../views.ts';

export function View({ session, parts }: ViewProperties) {
  const [inviter = '', given = ''] = parts;
  const [name, setName] = useState('');
  const inviterName = cleanName(given);
  const link = `${location.origin}/console/${fragmentOf('people', 'add', session.account, name.trim())}`;
  return (
    <div id="join">
      <p class="lead">
        {say('people.joinLead', { host: location.host })} <Certified text={inviterName} />
      </p>
      {isAccount(inviter) && (
        <p class="hint">
          {say('people.joinFrom')} <code class="long">{inviter}</code>
        </p>
      )}
      <ol class="steps">
        <li>
          <h3>{say('people.join.key')}</h3>
          <p>{say('people.join.keyHint')}</p>
        </li>
        <li>
          <h3>{say('people.join.send')}</h3>
          <p>
            <label for="own-name">{say('people.yourName')}</label>
            <input id="own-name" maxLength={MAX_NAME} autocomplete="name" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </p>
          <Message
            id="join-text"
            subject={say('people.joinSubject', { host: location.host })}
            text={say('people.joinText', { inviter: inviterName, account: session.account, link, name: name.trim() })}
          />
        </li>
        <li>
          <h3>{say('people.join.compare')}</h3>
          <Fingerprint account={session.account} />
          <p>{say('people.join.compareHint')}</p>
          {isAccount(inviter) && <Fingerprint id="inviter-digits" account={inviter} label={say('people.inviterDigits')} />}
        </li>
        <li>
          <h3>{say('people.join.begin')}</h3>
          <p>{say('people.join.beginHint')}</p>
          <p class="actions">
            <a class="button" href={fragmentOf('issue')}>
              {say('many.single')}
            </a>
          </p>
        </li>
      </ol>
    </div>
  );
}
