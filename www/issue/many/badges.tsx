// Makes Open Badges for all certificates of a batch.
import { holderFiles } from '/lib/bulk.ts';
import { say } from '/lib/texts.ts';
import { refusal } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { useState } from 'preact/hooks';
import { type Dispatch, stemOf } from './reading.ts';
import type { State } from './state.ts';

interface Properties {
  readonly session: SignedIn;
  readonly done: NonNullable<State['done']>;
  readonly dispatch: Dispatch;
}

export function Badges({ session, done: { batch, results }, dispatch }: Properties) {
  const [files, setFiles] = useState<[HolderFile, ...HolderFile[]] | null>(null);
  const failed = (error: unknown) => dispatch({ type: 'answered', answer: refusal(error) });
  const badge = usePart(files !== null, () => import('/components/open-badge.tsx'), failed);
  const open = async () => {
    const [first, ...rest] = await holderFiles(results);
    setFiles(first === undefined ? null : [first, ...rest]);
  };
  return (
    <details class="field" id="badge-part" onToggle={({ currentTarget }) => currentTarget.open && files === null && open().catch(failed)}>
      <summary>{say('issue.openBadges')}</summary>
      {badge !== null && files !== null && <badge.OpenBadge session={session} files={files} archive={stemOf(batch)} />}
    </details>
  );
}

type HolderFile = Awaited<ReturnType<typeof holderFiles>>[number];
