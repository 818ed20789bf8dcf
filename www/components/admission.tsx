// The request for admission, on services that let only chosen accounts issue: who asks, and what became of an earlier request.
import type { Admission } from '/client/index.js';
import type { SignedIn } from '/lib/sign-in.ts';
import { readOrganisation } from '/lib/organisation.ts';
import { sentence } from '/lib/sentence.ts';
import { explained } from '/lib/signer.ts';
import { momentText, say } from '/lib/texts.ts';
import { useEffect, useState } from 'preact/hooks';

/** The maximum lengths that the service takes, in characters. */
const MAX_ORGANISATION = 100;
const MAX_CONTACT = 254;
const MAX_TEXT = 1000;

export function AdmissionForm({ session: { client } }: { readonly session: SignedIn }) {
  const [known] = useState(readOrganisation);
  const [admission, setAdmission] = useState<Admission | null>(null);
  const [organisation, setOrganisation] = useState(known.organisation.slice(0, MAX_ORGANISATION));
  const [contact, setContact] = useState(known.contact.slice(0, MAX_CONTACT));
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    // Without the earlier request, a new one can still be sent.
    client.getAdmission().then(
      ({ data }) => setAdmission(data),
      () => {},
    );
  }, [client]);
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    try {
      const { data } = await client.requestAdmission({ organisation: organisation.trim(), contact: contact.trim(), ...(text.trim() === '' ? {} : { text: text.trim() }) });
      setAdmission(data);
    } catch (error) {
      setProblem(sentence(explained(error)));
    } finally {
      setBusy(false);
    }
  };
  const isKnown = admission !== null && admission.status !== 'none';
  const date = momentText(new Date(admission?.decidedAt ?? admission?.createdAt ?? 0));
  return (
    <form id="admission" onSubmit={send}>
      <p id="admission-state" role="status">
        {isKnown && say(`chosen.states.${admission.status}`, { date })}
      </p>
      {admission?.status !== 'approved' && (
        <>
          <p class="hint">{say('chosen.form.hint')}</p>
          <p>
            <label for="admission-organisation">{say('chosen.form.organisation')}</label>
            <input
              id="admission-organisation"
              required
              maxLength={MAX_ORGANISATION}
              autocomplete="organization"
              value={organisation}
              onInput={({ currentTarget }) => setOrganisation(currentTarget.value)}
            />
          </p>
          <p>
            <label for="admission-contact">{say('chosen.form.contact')}</label>
            <input id="admission-contact" required maxLength={MAX_CONTACT} autocomplete="email" value={contact} onInput={({ currentTarget }) => setContact(currentTarget.value)} />
          </p>
          <p>
            <label for="admission-text">{say('chosen.form.text')}</label>
            <textarea id="admission-text" rows={3} maxLength={MAX_TEXT} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
          </p>
          <p class="actions">
            <button type="submit" class="primary" id="admission-send" disabled={isBusy || organisation.trim() === '' || contact.trim() === ''}>
              {say(isKnown ? 'chosen.form.again' : 'chosen.form.send')}
            </button>
          </p>
        </>
      )}
      <p class="problem" role="alert">
        {problem}
      </p>
    </form>
  );
}
