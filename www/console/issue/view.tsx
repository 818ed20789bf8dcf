// The view that issues one certificate, as the page /issue/ does.
import { restore } from '../../issue/making.ts';
import { IssueOne, keptStore } from '../../issue/one.tsx';
import { isUnfinished, unfinishedOf } from '../../issue/state.ts';
import { draftsOf } from '../drafts.tsx';
import type { ViewProperties } from '../views.ts';

const Drafted = draftsOf({
  view: 'issue',
  store: keptStore,
  keptOf(state) {
    const content = unfinishedOf(state);
    return content === null ? null : { content };
  },
  isContent: isUnfinished,
  restore: (content, _, dispatch) => restore(content, dispatch),
});

export function View({ session, registers }: ViewProperties) {
  return (
    <Drafted session={session}>
      <IssueOne given={session} isRefused={!session.mayDeploy && registers.length === 0} />
    </Drafted>
  );
}
