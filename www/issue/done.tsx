// The issued certificate: its files, its link, and how it is shown.
import { view } from '/certificate/view.ts';
import { type Ids, validityOf } from '/lib/validity.ts';
import { download } from '/lib/page.ts';
import { qrPicture } from '/lib/qr.ts';
import { say } from '/lib/texts.ts';
import { CopyButton } from '/components/copy-button.tsx';
import { useDrawn } from '/components/drawn.ts';
import { Paper } from '/components/paper.tsx';
import { publicPart } from '/components/public-part.ts';
import { CopiedText } from '/components/text.tsx';
import { usePart } from '/components/part.ts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { awaitReview, refusal } from './issuing.ts';
import { type Dispatch, emptyDocument } from './making.ts';
import type { Issued, Review, State } from './state.ts';

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

export function Done({ state, dispatch }: Properties) {
  return (
    <section id="done" aria-labelledby="done-title" hidden={state.issued === null}>
      <h2 id="done-title" tabIndex={-1}>
        {say(titleOf(state.issued))}
      </h2>
      {state.issued !== null && <HandOver issued={state.issued} state={state} dispatch={dispatch} />}
    </section>
  );
}

function titleOf(issued: Issued | null): string {
  if (issued === null || issued.review === null) {
    return 'issue.doneTitle';
  }
  return issued.review.outcome === 'declined' ? 'issue.declinedTitle' : 'issue.reviewTitle';
}

function HandOver({ issued, state, dispatch }: Properties & { readonly issued: Issued }) {
  const { file, files, link, review } = issued;
  const save = () => {
    download(file.name, file.text, file.type);
    dispatch({ type: 'saved', text: say('issue.fileSaved') });
  };
  if (review?.outcome === 'declined') {
    return (
      <>
        <p class="problem">{say('issue.declined')}</p>
        <p class="actions">
          <button type="button" id="again" onClick={() => begin(state, dispatch)}>
            {say('issue.again')}
          </button>
        </p>
      </>
    );
  }
  return (
    <>
      {review !== null && <AskForReview review={review} session={state.session} dispatch={dispatch} />}
      <div class="hand-over">
        <div>
          <h3>{say('issue.fileTitle')}</h3>
          <p>{say('issue.fileHint')}</p>
          <p class="actions">
            <button type="button" class="primary" id="save-file" onClick={save}>
              {say('issue.saveFile')}
            </button>{' '}
            <span class="note" id="file-saved" role="status">
              {state.savedNote}
            </span>
          </p>
        </div>
        <div id="publish" hidden={files.length === 0}>
          <h3>{say('issue.publishTitle')}</h3>
          <p>{say('issue.publishHint')}</p>
          <ul class="files" id="files">
            {files.map(({ name, address, text }) => (
              <li>
                <button type="button" onClick={() => download(name, text)}>
                  {say('issue.download', { name })}
                </button>
                <span class="hint">{address}</span>
              </li>
            ))}
          </ul>
          <p class="actions">
            <button type="button" id="check-files" onClick={() => dispatch({ type: 'checked' })}>
              {say('issue.checkFiles')}
            </button>
          </p>
        </div>
        <div>
          <h3>{say('issue.linkTitle')}</h3>
          <p>{say('issue.linkHint')}</p>
          <LinkRow link={link} />
          <p class="actions">
            <button type="button" id="again" onClick={() => begin(state, dispatch)}>
              {say('issue.again')}
            </button>{' '}
            <a href="/console/">{say('nav.console')}</a>
          </p>
          <p class="hint">{say('issue.booked')}</p>
        </div>
        <BadgePart state={state} dispatch={dispatch} />
      </div>
      {state.checks > 0 ? <Checked key={state.checks} issued={issued} /> : <Unchecked state={state} />}
    </>
  );
}

/** The link for the colleague who has to sign too. It has the whole certificate behind the `#`, which browsers do not send to the service. */
function AskForReview({ review, session, dispatch }: Pick<Properties, 'dispatch'> & { readonly review: Review; readonly session: State['session'] }) {
  const { link, file, order } = review;
  useEffect(() => {
    const leaving = new AbortController();
    if (session !== null) {
      awaitReview(session, review, leaving.signal, dispatch);
    }
    return () => leaving.abort();
  }, [order, session]);
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  return (
    <div id="review">
      <p>{say('issue.reviewAsk')}</p>
      <CopiedText id="review-link" kind="link" text={link} label={say('issue.reviewLink')} place={shown} />
      <p class="actions">
        <CopyButton id="review-copy" text={link} shown={shown} done={setCopied} />{' '}
        <span class="note" role="status">
          {copied}
        </span>
      </p>
      {file !== null && (
        <>
          <p>{say('issue.reviewFileAsk')}</p>
          <p class="actions">
            <button type="button" class="primary" id="review-save" onClick={() => download(file.name, file.text, 'application/json')}>
              {say('issue.reviewSave')}
            </button>
          </p>
        </>
      )}
    </div>
  );
}

/** Offers an Open Badge. The part is loaded when the person asks for a badge. */
function BadgePart({ state: { session, issued, checks }, dispatch }: Properties) {
  const [isWanted, setWanted] = useState(false);
  // The part reads the files again if the list is another one.
  const files = useMemo<[Issued['file']] | null>(() => (issued === null ? null : [issued.file]), [issued]);
  const badge = usePart(
    isWanted,
    () => import('/components/open-badge.tsx'),
    (error) => dispatch({ type: 'answered', answer: refusal(error) }),
  );
  if (session === null || files === null) {
    return null;
  }
  return (
    // The service cannot read files that are not published yet.
    <details id="badge-part" hidden={checks === 0} onToggle={({ currentTarget }) => setWanted(isWanted || currentTarget.open)}>
      <summary>{say('issue.openBadge')}</summary>
      {badge !== null && <badge.OpenBadge session={session} files={files} />}
    </details>
  );
}

function LinkRow({ link }: { readonly link: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const code = useDrawn<HTMLDivElement>((place) => place.replaceChildren(qrPicture(link, say('certificate.qr'))), [link]);
  const [copied, setCopied] = useState('');
  return (
    <>
      <div class="link-row">
        <CopiedText id="link" kind="link" text={link} label={say('issue.link')} place={shown} />
        <div class="qr" id="qr" ref={code} />
      </div>
      <p class="actions">
        <CopyButton id="copy" text={link} shown={shown} done={setCopied} />{' '}
        <a id="open" href={link} target="_blank" rel="noopener">
          {say('issue.open')}
        </a>{' '}
        <span class="note" id="copied" role="status">
          {copied}
        </span>
      </p>
    </>
  );
}

/** Shows the form again, unless the holder's file is not saved yet, because that file exists nowhere else. */
function begin({ template, isSaved }: State, dispatch: Dispatch): void {
  if (!isSaved) {
    dispatch({ type: 'unsaved', text: say('issue.fileFirst') });
  } else if (template !== null) {
    dispatch({ type: 'begunAgain', template: { ...template, document: emptyDocument(template.schema) } });
  }
}

/** Shows the certificate as its page does, with its verdict. */
function Checked({ issued: { ledger, assetId, link } }: { readonly issued: Issued }) {
  // The browser may have cached an answer from before the files were published.
  const record = (asset: Ids) => validityOf(asset, 'reload');
  const place = useDrawn<HTMLDivElement>((place) => view(place, { ledger: ledger.id, asset: assetId, address: link, record }), []);
  return <div id="view" ref={place} />;
}

/** Shows the certificate before its files are published. */
function Unchecked({ state: { template, content } }: { readonly state: State }) {
  const part = useMemo(() => (template === null || content === null ? null : publicPart(template.schema, content)), [template, content]);
  return <div id="view">{part !== null && <Paper certificate={part.certificate} hidden={part.hidden} level={1} />}</div>;
}
