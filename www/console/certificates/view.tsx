// The certificates of the account's registers.
import { say } from '/lib/texts.ts';
import { titleOf } from '/components/ledger-choice.tsx';
import { refusal } from '/components/answer.ts';
import { explained } from '/lib/signer.ts';
import { useEffect, useState } from 'preact/hooks';
import type { ViewProperties } from '../views.ts';

export function View({ session, registers, answered }: ViewProperties) {
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    const read = async () => {
      for (const { id, ref } of registers) {
        const { meta } = await session.client.getLedgerAssets(ref, { limit: 1 });
        setCounts((before) => new Map(before).set(id, meta.total));
      }
    };
    read().catch((error) => answered(refusal(explained(error))));
  }, []);
  return (
    <ul id="registers">
      {registers.map((register) => (
        <li>
          {titleOf(register)} {counts.has(register.id) && say('certificates.count', { count: counts.get(register.id) ?? 0 })}
        </li>
      ))}
    </ul>
  );
}
