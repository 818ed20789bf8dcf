// The webhook: its address and secret, a test, and the deliveries with the receiver's responses.
import { WebhookEventKind } from '/client/index.js';
import { momentText, say } from '/lib/texts.ts';
import { CopyButton } from '/components/copy-button.tsx';
import { Certified, CopiedText } from '/components/text.tsx';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type PartProperties, readWebhook } from './view.tsx';

const KINDS: readonly WebhookEventKind[] = Object.values(WebhookEventKind);

export function WebhookPart(properties: PartProperties) {
  const { state, session, act } = properties;
  const { webhook, deliveries, isBusy } = state;
  const [url, setUrl] = useState('');
  const [kinds, setKinds] = useState(KINDS);
  useEffect(() => {
    setUrl(webhook?.url ?? '');
    setKinds(webhook === null || webhook.url === null ? KINDS : webhook.events);
  }, [webhook]);
  const { client } = session;
  const then = (operation: () => Promise<unknown>, done: string) =>
    act(async () => {
      await operation();
      await readWebhook(properties);
    }, done);
  const save = (event: Event) => {
    event.preventDefault();
    // The empty list means all kinds, including those that are added later.
    const registered = kinds.length === KINDS.length ? [] : [...kinds];
    then(() => client.updateAccountWebhook(url.trim(), registered), 'developers.webhook.saved');
  };
  const isSet = webhook !== null && webhook.url !== null;
  return (
    <section aria-labelledby="webhook-title" id="webhook">
      <h3 id="webhook-title">{say('developers.webhook.title')}</h3>
      <p class="hint">{say('developers.webhook.hint')}</p>
      {isSet && (
        <>
          <p id="webhook-state">
            <b>{say(`developers.webhook.states.${webhook.state === 'active' || webhook.state === 'paused' ? webhook.state : 'pending'}`)}</b>
          </p>
          {webhook.stateReason !== null && <p lang="en">{webhook.stateReason}</p>}
        </>
      )}
      <form onSubmit={save}>
        <p>
          <label for="webhook-url">{say('developers.webhook.url')}</label>
          <input
            id="webhook-url"
            inputMode="url"
            required
            maxLength={2000}
            autocomplete="off"
            spellcheck={false}
            autocapitalize="off"
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </p>
        <fieldset id="webhook-kinds">
          <legend>{say('developers.webhook.choice')}</legend>
          {KINDS.map((kind) => (
            <p>
              <label>
                <input type="checkbox" checked={kinds.includes(kind)} onChange={() => setKinds(KINDS.filter((one) => (one === kind) !== kinds.includes(one)))} /> {eventText(kind)}
              </label>
            </p>
          ))}
        </fieldset>
        <p class="actions">
          <button type="submit" id="webhook-save" disabled={isBusy || webhook === null || url.trim() === '' || kinds.length === 0}>
            {say('developers.webhook.save')}
          </button>{' '}
          {isSet && (
            <>
              <button type="button" id="webhook-test" disabled={isBusy} onClick={() => then(() => client.testAccountWebhook(), 'developers.webhook.tested')}>
                {say('developers.webhook.test')}
              </button>{' '}
              <button type="button" id="webhook-rotate" disabled={isBusy} onClick={() => then(() => client.rotateAccountWebhookSecret(), 'developers.webhook.rotated')}>
                {say('developers.webhook.rotate')}
              </button>{' '}
              <button
                type="button"
                id="webhook-remove"
                disabled={isBusy}
                onClick={() => confirm(say('developers.webhook.sure')) && then(() => client.deleteAccountWebhook(), 'developers.webhook.removed')}
              >
                {say('developers.webhook.remove')}
              </button>
            </>
          )}
        </p>
      </form>
      {isSet && webhook.secret !== null && <Secret secret={webhook.secret} />}
      {deliveries.length > 0 && (
        <details id="deliveries">
          <summary>{say('developers.webhook.deliveries', { count: deliveries.length })}</summary>
          <ul class="entries">
            {deliveries.map(({ ref, event, state, attempts, responseStatus, error, createdAt }) => (
              <li>
                <b>{say(`developers.webhook.outcomes.${state}`)}</b> {eventText(event.kind)}
                <span class="hint">
                  {' '}
                  {momentText(new Date(createdAt))} {say('developers.webhook.attempts', { count: attempts })}{' '}
                  {responseStatus !== null && say('developers.webhook.response', { status: responseStatus })}
                </span>
                {error !== null && (
                  <p lang="en" class="hint">
                    <Certified text={error} />
                  </p>
                )}{' '}
                <button
                  type="button"
                  aria-label={say('developers.webhook.resendOne', { date: momentText(new Date(createdAt)) })}
                  disabled={isBusy}
                  onClick={() => then(() => client.redeliverAccountWebhookEvent(ref), 'developers.webhook.resent')}
                >
                  {say('developers.webhook.resend')}
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const eventText = (kind: number | null) => (kind === null ? say('developers.webhook.kinds.test') : say(`developers.webhook.kinds.${kind}`));

function Secret({ secret }: { readonly secret: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  return (
    <details>
      <summary>{say('developers.webhook.secret')}</summary>
      <CopiedText text={secret} label={say('developers.webhook.secret')} place={shown} />
      <p class="actions">
        <CopyButton text={secret} shown={shown} done={setCopied} />{' '}
        <span class="note" role="status">
          {copied}
        </span>
      </p>
    </details>
  );
}
