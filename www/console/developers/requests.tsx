// The log of the account's requests.
import type { Request } from '/client/index.js';
import { momentText, say } from '/lib/texts.ts';
import { CopyButton } from '/components/copy-button.tsx';
import { CopiedText } from '/components/text.tsx';
import { Refusal } from '/view/json.ts';
import { useRef, useState } from 'preact/hooks';
import { curlOf, refIn } from './state.ts';
import { type PartProperties, readRequests } from './view.tsx';

export function Requests(properties: PartProperties) {
  const { state, session, act } = properties;
  const { requests, next, isBusy } = state;
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<Request | null>(null);
  const [isFailedOnly, setFailedOnly] = useState(false);
  const search = (event: Event) => {
    event.preventDefault();
    setFound(null);
    act(async () => {
      const ref = refIn(query);
      if (ref === null) {
        throw Refusal.of('developers.requests.noId');
      }
      setFound((await session.client.getRequest(ref)).data);
    });
  };
  const shown = (requests ?? []).filter(({ status }) => !isFailedOnly || status >= 400);
  return (
    <section aria-labelledby="requests-title" id="requests">
      <h3 id="requests-title">{say('developers.requests.title')}</h3>
      <p class="hint">{say('developers.requests.hint')}</p>
      <form onSubmit={search}>
        <p>
          <label for="request-id">{say('developers.requests.id')}</label>
          <input id="request-id" maxLength={60} autocomplete="off" spellcheck={false} autocapitalize="off" value={query} onInput={({ currentTarget }) => setQuery(currentTarget.value)} />
        </p>
        <p class="actions">
          <button type="submit" id="request-find" disabled={isBusy || query.trim() === ''}>
            {say('developers.requests.find')}
          </button>{' '}
          <label>
            <input type="checkbox" id="requests-failed" checked={isFailedOnly} onChange={() => setFailedOnly(!isFailedOnly)} /> {say('developers.requests.failed')}
          </label>
        </p>
      </form>
      {found !== null && (
        <ul class="entries" id="request-found">
          <One request={found} />
        </ul>
      )}
      <ul class="entries" id="request-list">
        {shown.map((request) => (
          <One key={request.ref} request={request} />
        ))}
      </ul>
      <p class="actions">
        <button type="button" id="requests-more" disabled={isBusy || next === null} onClick={() => act(() => readRequests(properties, next ?? undefined))}>
          {say('issued.more')}
        </button>
      </p>
    </section>
  );
}

function One({ request }: { readonly request: Request }) {
  const { ref, method, path, status, durationMs, createdAt, errors } = request;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <b>{status}</b>{' '}
      <code class="long">
        {method} {path}
      </code>{' '}
      <span class="hint">
        {momentText(new Date(createdAt))} · {say('developers.requests.duration', { count: Math.round(durationMs) })} · <code>{ref}</code>
      </span>
      {errors.map(({ code, message, path }) => (
        <p class="hint" lang="en">
          <a href={`/docs/#${code}`}>{code}</a> {message} {path !== '' && <code>{path}</code>}
        </p>
      ))}{' '}
      <button type="button" aria-expanded={isOpen} aria-label={say('developers.requests.curlOf', { ref })} onClick={() => setOpen(!isOpen)}>
        {say('developers.requests.curl')}
      </button>
      {isOpen && <Curl text={curlOf(request)} />}
    </li>
  );
}

function Curl({ text }: { readonly text: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  return (
    <>
      <CopiedText text={text} label={say('developers.requests.curl')} place={shown} />
      <p class="hint">{say('developers.requests.curlHint')}</p>
      <p class="actions">
        <CopyButton text={text} shown={shown} done={setCopied} />{' '}
        <span class="note" role="status">
          {copied}
        </span>
      </p>
    </>
  );
}
