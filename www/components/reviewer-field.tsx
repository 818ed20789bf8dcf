// The choice of a colleague who has to sign too, of the people on the chosen register.
import { readNames } from '/lib/contacts.ts';
import type { OwnLedger } from '/lib/issuing.ts';
import { reviewersOf } from '/lib/reviewers.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { say } from '/lib/texts.ts';
import { useEffect, useState } from 'preact/hooks';

interface Properties {
  readonly session: SignedIn | null;
  /** Undefined for a new register, which has no other people. */
  readonly ledger: OwnLedger | undefined;
  /** The address of the colleague, or an empty text. */
  readonly reviewer: string;
  readonly isBusy: boolean;
  readonly hint: string;
  readonly chosen: (account: string) => void;
}

export function ReviewerField({ session, ledger, reviewer, isBusy, hint, chosen }: Properties) {
  const [people, setPeople] = useState<readonly string[]>([]);
  useEffect(() => {
    let isLatest = true;
    setPeople([]);
    if (session !== null && ledger !== undefined) {
      // Without the list, the certificate can still be issued with one signature.
      reviewersOf(session.client, ledger).then(
        (found) => isLatest && setPeople(found),
        () => {},
      );
    }
    return () => {
      isLatest = false;
    };
  }, [session, ledger?.id]);
  // An earlier choice stays visible on another register, so that the second signature is never dropped unnoticed.
  const accounts = reviewer === '' || people.includes(reviewer) ? people : [...people, reviewer];
  if (accounts.length === 0) {
    return null;
  }
  const names = readNames();
  const named = accounts.filter((account) => names.has(account));
  return (
    <>
      <p>
        <label for="reviewer">{say('issue.reviewer')}</label>{' '}
        <select id="reviewer" aria-describedby="reviewer-hint" disabled={isBusy} value={reviewer} onChange={({ currentTarget }) => chosen(currentTarget.value)}>
          <option value="">{say('issue.reviewerNone')}</option>
          {[...named, ...accounts.filter((account) => !names.has(account))].map((account) => (
            <option value={account}>{names.get(account) ?? account}</option>
          ))}
        </select>
      </p>
      <p class="hint" id="reviewer-hint">
        {hint}
      </p>
    </>
  );
}
