// The view of an invited colleague: the text to send back, with the address of their account. The invitation gives no abilities.
import { MAX_NAME, cleanName, isAccount, keepName, namesake, readNames } from '/lib/contacts.ts';
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { refusal } from '/components/answer.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { Certified } from '/components/text.tsx';
import { useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { Fingerprint, Message } from '../people/parts.tsx';
import type { ViewProperties } from '../views.ts';

export function View({ session, registers, parts, answered, lookAgain }: ViewProperties) {
  const [inviter = '', given = ''] = parts;
  const [name, setName] = useState('');
  const [note, setNote] = useState('');
  const [names, setNames] = useState(readNames);
  const again = async () => {
    noteInviter();
    setNote(say('console.loading'));
    try {
      const { length } = await lookAgain();
      setNote(length === 0 ? say('people.join.none') : '');
    } catch (error) {
      setNote('');
      answered(refusal(explained(error)));
    }
  };
  const inviterName = cleanName(given);
  const known = names.get(inviter.toLowerCase());
  const impersonated = known === undefined ? namesake(names, inviter, inviterName) : null;
  // Whoever wrote the link chose the name, so it neither changes a known one nor doubles it.
  const noteInviter = () => {
    if (isAccount(inviter) && inviterName !== '' && known === undefined && impersonated === null && inviter.toLowerCase() !== session.account.toLowerCase()) {
      setNames(keepName(inviter, inviterName));
    }
  };
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
      {impersonated !== null && (
        <p class="problem" id="same-name">
          {say('people.sameName')} <code class="long">{impersonated}</code>
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
            used={noteInviter}
          />
          {isAccount(inviter) && (
            <p class="hint" id="join-noted" role="status">
              {known !== undefined && say('people.join.noted', { name: known })}
            </p>
          )}
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
            <button type="button" id="join-again" onClick={again}>
              {say('console.lookAgain')}
            </button>{' '}
            <a class="button" href={fragmentOf('issue')}>
              {say('many.single')}
            </a>{' '}
            <span class="note" role="status">
              {note}
            </span>
          </p>
          <ul id="join-registers">
            {registers.map((ledger) => (
              <li>
                <Certified text={titleOf(ledger)} />
              </li>
            ))}
          </ul>
        </li>
      </ol>
    </div>
  );
}
