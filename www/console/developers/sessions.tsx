// The sessions of the account: each can be ended, or all but this one.
import { momentText, say } from '/lib/texts.ts';
import { usedText } from './keys.tsx';
import { othersOf } from './state.ts';
import type { PartProperties } from './view.tsx';

export function Sessions({ state: { sessions, isBusy }, session, dispatch, act }: PartProperties) {
  const others = othersOf(sessions ?? []);
  const end = (refs: readonly string[]) =>
    act(async () => {
      for (const ref of refs) {
        await session.client.deleteSession(ref);
        dispatch({ type: 'sessionEnded', ref });
      }
    }, 'developers.sessions.ended');
  return (
    <section aria-labelledby="sessions-title" id="sessions">
      <h3 id="sessions-title">{say('developers.sessions.title')}</h3>
      <ul class="entries">
        {sessions?.map(({ ref, createdAt, usedAt, expiresAt, isCurrent }) => (
          <li>
            {say('developers.sessions.since', { date: momentText(new Date(createdAt)) })}
            <span class="hint">
              {' '}
              {usedText(usedAt)} {say('developers.endsAt', { date: momentText(new Date(expiresAt)) })}
            </span>{' '}
            {isCurrent ? (
              <b>{say('developers.sessions.current')}</b>
            ) : (
              <button type="button" aria-label={say('developers.sessions.endOne', { date: momentText(new Date(createdAt)) })} disabled={isBusy} onClick={() => end([ref])}>
                {say('developers.sessions.end')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {sessions?.length === 0 && <p class="hint">{say('developers.sessions.none')}</p>}
      <p class="actions">
        <button type="button" id="sessions-end" disabled={isBusy || others.length === 0} onClick={() => end(others.map(({ ref }) => ref))}>
          {say('developers.sessions.endOthers', { count: others.length })}
        </button>
      </p>
    </section>
  );
}
