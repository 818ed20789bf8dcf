// API keys: made once, shown once, and revoked.
import type { KeyScope } from '/client/index.js';
import { momentText, say } from '/lib/texts.ts';
import { CopyButton } from '/components/copy-button.tsx';
import { CopiedText, Certified } from '/components/text.tsx';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PartProperties } from './view.tsx';

const SCOPES: readonly KeyScope[] = ['read', 'orders', 'webhooks'];
/** The offered lives of a key, in days. Zero is without an end. */
const DAYS = [90, 365, 0] as const;
const DAY = 24 * 3_600_000;
/** The maximum length of a key's name. */
const MAX_NAME = 100;

export function Keys(properties: PartProperties) {
  const { state, session, dispatch, act } = properties;
  const { keys, fresh, isBusy } = state;
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[]>(['read']);
  const [days, setDays] = useState<number>(DAYS[0]);
  const make = (event: Event) => {
    event.preventDefault();
    act(async () => {
      const expiresAt = days === 0 ? {} : { expiresAt: new Date(Date.now() + days * DAY).toISOString() };
      const { data } = await session.client.createApiKey({ name: name.trim(), scopes: [...scopes], ...expiresAt });
      dispatch({ type: 'keyMade', key: data });
      setName('');
    });
  };
  const summary = useRef<HTMLElement>(null);
  const hide = () => {
    dispatch({ type: 'keyHidden' });
    summary.current?.focus();
  };
  const revoke = (ref: string, name: string) => {
    if (confirm(say('developers.keys.sure', { name }))) {
      act(async () => {
        await session.client.deleteApiKey(ref);
        dispatch({ type: 'keyRevoked', ref });
      }, 'developers.keys.revoked');
    }
  };
  return (
    <section aria-labelledby="keys-title" id="keys">
      <h3 id="keys-title">{say('developers.keys.title')}</h3>
      <p class="hint">{say('developers.keys.hint')}</p>
      {fresh !== null && <Fresh secret={fresh.key} hidden={hide} />}
      <ul class="entries">
        {keys?.map(({ ref, name, scopes, createdAt, usedAt, expiresAt }) => (
          <li>
            <b>
              <Certified text={name} />
            </b>{' '}
            {scopes.map((scope) => say(`developers.scopes.${scope}`)).join(', ')}
            <span class="hint">
              {' '}
              {say('developers.madeAt', { date: momentText(new Date(createdAt)) })} {usedText(usedAt)} {expiresAt !== null && say('developers.endsAt', { date: momentText(new Date(expiresAt)) })}
            </span>{' '}
            <button type="button" aria-label={say('developers.keys.revokeOne', { name })} disabled={isBusy} onClick={() => revoke(ref, name)}>
              {say('developers.keys.revoke')}
            </button>
          </li>
        ))}
      </ul>
      {keys?.length === 0 && <p class="hint">{say('developers.keys.none')}</p>}
      <details class="field">
        <summary id="key-new" ref={summary}>
          {say('developers.keys.new')}
        </summary>
        <form onSubmit={make}>
          <p>
            <label for="key-name">{say('developers.keys.name')}</label>
            <input id="key-name" maxLength={MAX_NAME} required autocomplete="off" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </p>
          <fieldset>
            <legend>{say('developers.keys.scopes')}</legend>
            {SCOPES.map((scope) => (
              <p>
                <label>
                  <input type="checkbox" checked={scopes.includes(scope)} onChange={() => setScopes(SCOPES.filter((one) => (one === scope) !== scopes.includes(one)))} />{' '}
                  {say(`developers.scopes.${scope}`)}
                </label>{' '}
                <span class="hint">{say(`developers.scopeHints.${scope}`)}</span>
              </p>
            ))}
          </fieldset>
          <p>
            <label for="key-days">{say('developers.keys.life')}</label>
            <select id="key-days" value={days} onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}>
              {DAYS.map((count) => (
                <option value={count}>{count === 0 ? say('developers.keys.endless') : say('developers.keys.days', { count })}</option>
              ))}
            </select>
          </p>
          <p class="actions">
            <button type="submit" class="primary" id="key-make" disabled={isBusy || name.trim() === '' || scopes.length === 0}>
              {say('developers.keys.make')}
            </button>
          </p>
        </form>
      </details>
    </section>
  );
}

export const usedText = (usedAt: string | null) => (usedAt === null ? say('developers.unused') : say('developers.usedAt', { date: momentText(new Date(usedAt)) }));

function Fresh({ secret, hidden }: { readonly secret: string | null; readonly hidden: () => void }) {
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  // The button that made the key is disabled, and the key is shown only once.
  useLayoutEffect(() => shown.current?.focus(), [secret]);
  return (
    <div class="field" id="key-fresh">
      <p>{say(secret === null ? 'developers.keys.lost' : 'developers.keys.once')}</p>
      {secret !== null && <CopiedText id="key-secret" text={secret} label={say('developers.keys.title')} place={shown} />}
      <p class="actions">
        {secret !== null && <CopyButton text={secret} shown={shown} done={setCopied} />}{' '}
        <button type="button" id="key-hide" onClick={hidden}>
          {say('developers.keys.hide')}
        </button>{' '}
        <span class="note" role="status">
          {copied}
        </span>
      </p>
    </div>
  );
}
