// Personal data of an account: what the service has, as a file, and its erasure.
import type { PersonalItem } from '/client/index.js';
import { download } from '/lib/page.ts';
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { refusal } from '/components/answer.ts';
import { Refusal } from '/view/json.ts';
import { useState } from 'preact/hooks';
import { Deciding } from './deciding.tsx';
import { Entry, MAX_ENTRY, addressIn } from './parts.tsx';
import type { PartProperties } from './view.tsx';

/** The maximum number of calls for one account: each gives or erases at most 1,000 items. */
const MAX_CALLS = 1_000;
/** The number of digits at the end of the address that are typed before an erasure. */
const DIGITS = 4;

export function Personal(properties: PartProperties) {
  const {
    session: { client },
    state: { isBusy },
    dispatch,
    answered,
  } = properties;
  const [address, setAddress] = useState('');
  const [digits, setDigits] = useState('');
  const save = async () => {
    dispatch({ type: 'busy', isBusy: true });
    answered(null);
    try {
      const account = addressIn(address);
      const items: PersonalItem[] = [];
      let from: string | null = null;
      for (let call = 0; call === 0 || from !== null; call += 1) {
        if (call === MAX_CALLS) {
          throw Refusal.of('operate.personal.tooMuch');
        }
        const { data }: Awaited<ReturnType<typeof client.exportPersonalData>> = await client.exportPersonalData(account, from);
        items.push(...data.items);
        from = data.next;
      }
      const data = items.map(({ kind, data }) => ({ kind, data: JSON.parse(data) }));
      download(`personal-data-${account.slice(0, 10)}.json`, JSON.stringify({ account, items: data }, null, 2));
      answered({ kind: 'valid', text: say('operate.personal.saved', { count: items.length }) });
    } catch (error) {
      answered(refusal(explained(error)));
    } finally {
      dispatch({ type: 'busy', isBusy: false });
    }
  };
  const erase = async (reason: string) => {
    const account = addressIn(address);
    if (digits.trim().toLowerCase() !== account.slice(-DIGITS).toLowerCase()) {
      throw Refusal.of('operate.personal.digitsWrong');
    }
    let isComplete = false;
    for (let call = 0; !isComplete; call += 1) {
      if (call === MAX_CALLS) {
        throw Refusal.of('operate.personal.tooMuch');
      }
      ({ isComplete } = (await client.erasePersonalData(account, reason)).data);
    }
    setDigits('');
  };
  return (
    <>
      <p class="hint">{say('operate.personal.hint')}</p>
      <Entry id="personal-account" label={say('operate.tokens.account')} value={address} changed={setAddress} most={MAX_ENTRY} />
      <p class="actions">
        <button type="button" id="personal-save" disabled={isBusy} onClick={save}>
          {say('operate.personal.save')}
        </button>
      </p>
      <p class="hint">{say('operate.personal.eraseHint')}</p>
      <Deciding {...properties} id="erase" text={say('operate.personal.erase')} reason="" send={erase}>
        <Entry id="erase-digits" label={say('operate.personal.digits')} value={digits} changed={setDigits} most={DIGITS} />
      </Deciding>
    </>
  );
}
