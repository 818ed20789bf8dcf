// The lists that this browser has begun.
import { dayText, say } from '/lib/texts.ts';
import { type Dispatch, removeList, saveList } from './reading.ts';
import type { KeptList, State } from './state.ts';

export function Kept({ state: { stage, kept, note }, dispatch }: { readonly state: State; readonly dispatch: Dispatch }) {
  return (
    <section id="kept" aria-labelledby="kept-title" hidden={stage !== 'making' || kept.length === 0}>
      <h2 id="kept-title" tabIndex={-1}>
        {say('many.keptTitle')}
      </h2>
      <ul class="kept-lists" id="kept-lists">
        {kept.map((list) => (
          <KeptItem key={list.batch.id} list={list} dispatch={dispatch} />
        ))}
      </ul>
      <p class="note" id="list-note" role="status">
        {note}
      </p>
    </section>
  );
}

function KeptItem({ list: { batch, issued, count, isSavable }, dispatch }: { readonly list: KeptList; readonly dispatch: Dispatch }) {
  return (
    <li>
      <span class="what">{say('many.keptList', { name: batch.name, date: dayText(new Date(batch.begun)), number: issued, count })}</span>
      {batch.rows.length > 0 && (
        <button type="button" class="primary" onClick={() => dispatch({ type: 'resumed', batch })}>
          {say('many.resume')}
        </button>
      )}
      {isSavable && (
        <button type="button" onClick={() => saveList(batch, dispatch)}>
          {say('many.saveList')}
        </button>
      )}
      <button type="button" onClick={() => removeList(batch, dispatch)}>
        {say('many.remove')}
      </button>
    </li>
  );
}
