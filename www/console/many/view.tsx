// The view that issues a certificate for each row of a table, as the page /issue/many/ does.
import { IssueMany, keptStore } from '../../issue/many/all.tsx';
import { restore } from '../../issue/many/reading.ts';
import { type Unfinished, isUnfinished, unfinishedOf } from '../../issue/many/state.ts';
import { draftsOf } from '../drafts.tsx';
import type { ViewProperties } from '../views.ts';

const Drafted = draftsOf({
  view: 'many',
  store: keptStore,
  keptOf(state) {
    const content = unfinishedOf(state);
    return content === null ? null : { content, file: state.file?.bytes ?? null };
  },
  isContent: (value, file): value is Unfinished => file !== null && isUnfinished(value),
  restore: async (content, file, dispatch) => file !== null && restore(content, file, dispatch),
});

export function View({ session, registers }: ViewProperties) {
  return (
    <Drafted session={session}>
      <IssueMany given={session} isRefused={!session.mayDeploy && registers.length === 0} />
    </Drafted>
  );
}
