// The invitation of a colleague: a link that names the service and the person who invites. It is not secret, and gives nobody an ability.
import { MAX_NAME } from '/lib/contacts.ts';
import { say } from '/lib/texts.ts';
import { useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { Fingerprint, Message, PartHeading } from './parts.tsx';
import type { PartProperties } from './view.tsx';

export function Invite({ session, state }: PartProperties) {
  const [name, setName] = useState(state.names.get(session.account.toLowerCase()) ?? '');
  const link = `${location.origin}/console/${fragmentOf('join', session.account, name.trim())}`;
  return (
    <article id="invitation" aria-labelledby="part-title">
      <PartHeading view="people">{say('people.invite')}</PartHeading>
      <p>{say('people.inviteHint')}</p>
      <p>
        <label for="inviter-name">{say('people.yourName')}</label>
        <input id="inviter-name" maxLength={MAX_NAME} autocomplete="off" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </p>
      <Message id="invitation-text" subject={say('people.inviteSubject', { host: location.host })} text={say('people.inviteText', { host: location.host, link, name: name.trim() })} />
      <p>{say('people.inviteNext')}</p>
      <Fingerprint account={session.account} />
      <p class="hint">{say('people.yourDigits')}</p>
    </article>
  );
}
