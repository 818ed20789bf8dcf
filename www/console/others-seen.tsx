// What strangers see of a certificate of this account on the register of another one. The domain of the register's owner confirms it, not one of this account.
import { MAX_NAME } from '/lib/contacts.ts';
import { MAX_REGISTERS } from '/lib/few.ts';
import type { OwnLedger } from '/lib/issuing.ts';
import { headlineText } from '/lib/sheet.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { validityOf } from '/lib/validity.ts';
import { type Verdict, verdictOf } from '/view/verdict.ts';
import { refusal } from '/components/answer.ts';
import { Certified } from '/components/text.tsx';
import { useEffect, useState } from 'preact/hooks';
import { fragmentOf } from './address.ts';
import type { Dispatch } from './knowing.ts';

interface Properties {
  readonly session: SignedIn;
  readonly registers: readonly OwnLedger[];
  readonly dispatch: Dispatch;
}

interface Seen {
  readonly verdict: Verdict;
  readonly register: string;
  readonly address: string;
}

export function OthersSeen({ session, registers, dispatch }: Properties) {
  const [seen, setSeen] = useState<Seen | null>(null);
  useEffect(() => {
    newestSeen(session, registers).then(setSeen, (error) => dispatch({ type: 'answered', answer: refusal(explained(error)) }));
  }, []);
  if (seen === null) {
    return null;
  }
  const { verdict, register, address } = seen;
  const kind = verdict.look === 'green' ? 'valid' : verdict.look === 'red' ? 'changed' : 'untrusted';
  return (
    <section id="strangers" aria-labelledby="strangers-title">
      <h2 id="strangers-title">{say('console.strangers.title')}</h2>
      <blockquote class="answer" data-kind={kind}>
        <p>
          <b>{headlineText(verdict)}</b>
        </p>
        <p>
          <a href={address}>{say('console.strangers.newest')}</a> · <Certified text={register} />
        </p>
      </blockquote>
    </section>
  );
}

/** Returns the verdict on the newest certificate in force that this account owns. Null if it has none. */
async function newestSeen({ client, account }: SignedIn, registers: readonly OwnLedger[]): Promise<Seen | null> {
  const ledgerRefs = registers.slice(0, MAX_REGISTERS).map(({ ref }) => ref);
  const { data } = await client.getCertificates({ ledgerRefs, ownerId: account, status: ['in-force', 'replaced'], limit: 1 });
  const [newest] = data;
  const register = registers.find(({ ref }) => ref === newest?.ledgerRef);
  if (newest === undefined || register === undefined) {
    return null;
  }
  const record = await validityOf({ ledger: newest.ledgerId, asset: newest.id });
  return { verdict: verdictOf(record), register: register.name.slice(0, MAX_NAME), address: fragmentOf('certificates', newest.ledgerId, newest.id) };
}
