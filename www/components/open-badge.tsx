// Saves a certificate as an Open Badge, for wallets and portfolios. This part of a page is loaded when the person asks for a badge.
import { type Choice, type MadeBadge, type Ready, type Unlisted, makeBadge, readyFor } from '/lib/badges.ts';
import { designOf } from '/lib/design.ts';
import { download } from '/lib/page.ts';
import { sentence } from '/lib/sentence.ts';
import { explained } from '/lib/signer.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { sayIn } from '/lib/texts.ts';
import { Refusal } from '/view/json.ts';
import type { Say } from '/view/say.ts';
import { CopyButton } from './copy-button.tsx';
import { CopiedText } from './text.tsx';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Properties {
  readonly session: SignedIn;
  /** The holder's file of a certificate. */
  readonly file: { readonly name: string; readonly text: string };
}

/** What the part shows: nothing yet, what a badge can show, the file to publish first, or the badge. */
type Shown =
  | { readonly kind: 'reading' }
  | { readonly kind: 'ready' | 'making'; readonly ready: Ready }
  | { readonly kind: 'unlisted'; readonly ready: Ready; readonly unlisted: Unlisted }
  | { readonly kind: 'made'; readonly made: MadeBadge };

export function OpenBadge({ session, file }: Properties) {
  const [say, setSay] = useState<Say | null>(null);
  const [shown, setShown] = useState<Shown>({ kind: 'reading' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [refusal, setRefusal] = useState('');

  const attempt = async (act: (say: Say) => Promise<void>) => {
    setRefusal('');
    // The texts about badges are not among the page's own.
    const texts = await sayIn('openbadge');
    setSay(() => texts);
    try {
      await act(texts);
    } catch (error) {
      const isOwn = error instanceof Refusal && error.key?.startsWith('openBadge.');
      setRefusal(isOwn ? texts(error.key ?? '', error.values) : sentence(explained(error)));
    }
  };
  useEffect(() => {
    attempt(async () => {
      const ready = await readyFor(file.text);
      // A badge needs a name, so a hidden one is chosen.
      setChosen(new Set(ready.choices.filter(({ key }) => key === 'name').map(({ key }) => key)));
      setShown({ kind: 'ready', ready });
    });
  }, [file.text]);

  const make = (ready: Ready) => {
    setShown({ kind: 'making', ready });
    attempt(async () => {
      const made = await makeBadge(ready, chosen, session.client, designOf(ready.record.ledger?.schemaId ?? '').colour);
      setShown('json' in made ? { kind: 'made', made } : { kind: 'unlisted', ready, unlisted: made });
    }).finally(() => setShown((now) => (now.kind === 'making' ? { kind: 'ready', ready } : now)));
  };
  if (say === null) {
    return null;
  }
  const stem = file.name.replace(/(\.private|\.shared)?\.assay\.json$/, '');
  return (
    <div id="open-badge">
      <p>{say('openBadge.hint')}</p>
      {(shown.kind === 'ready' || shown.kind === 'making' || shown.kind === 'unlisted') && (
        <>
          <Choices say={say} choices={shown.ready.choices} chosen={chosen} changed={setChosen} />
          {shown.kind === 'unlisted' && <Publish say={say} unlisted={shown.unlisted} />}
          <p class="actions">
            <button type="button" class="primary" id="make-badge" disabled={shown.kind === 'making'} onClick={() => make(shown.ready)}>
              {say(shown.kind === 'unlisted' ? 'openBadge.again' : 'openBadge.make')}
            </button>
          </p>
        </>
      )}
      {shown.kind === 'made' && <Made say={say} made={shown.made} stem={stem} />}
      <p class="note" id="badge-refusal" role="status">
        {shown.kind === 'making' ? say('openBadge.making') : refusal}
      </p>
    </div>
  );
}

interface ChoicesProperties {
  readonly say: Say;
  readonly choices: readonly Choice[];
  readonly chosen: ReadonlySet<string>;
  readonly changed: (chosen: ReadonlySet<string>) => void;
}

function Choices({ say, choices, chosen, changed }: ChoicesProperties) {
  if (choices.length === 0) {
    return null;
  }
  const tick = (key: string, isTicked: boolean) => changed(new Set(isTicked ? [...chosen, key] : [...chosen].filter((other) => other !== key)));
  return (
    <fieldset id="badge-choices">
      <legend>{say('openBadge.choices')}</legend>
      {choices.map(({ key, title, isEmail }) => (
        <p>
          <label class="tick">
            <input type="checkbox" checked={chosen.has(key)} onChange={({ currentTarget }) => tick(key, currentTarget.checked)} /> <bdi translate={false}>{title}</bdi>
          </label>
          {isEmail && <span class="hint"> {say('openBadge.email')}</span>}
        </p>
      ))}
    </fieldset>
  );
}

function Publish({ say, unlisted: { domain, file } }: { readonly say: Say; readonly unlisted: Unlisted }) {
  const place = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState('');
  const address = `${domain}/.well-known/did.json`;
  return (
    <div class="way" id="badge-file">
      <p>{say('openBadge.unlisted', { domain })}</p>
      <CopiedText text={file} label={address} place={place} />
      <p class="actions">
        <CopyButton text={file} shown={place} done={setCopied} />
        <button type="button" onClick={() => download('did.json', file)}>
          {say('openBadge.saveFile')}
        </button>
        <span class="note" role="status">
          {copied}
        </span>
      </p>
    </div>
  );
}

function Made({ say, made: { json, picture }, stem }: { readonly say: Say; readonly made: MadeBadge; readonly stem: string }) {
  const [address, setAddress] = useState('');
  useEffect(() => {
    const reader = new FileReader();
    reader.onload = () => setAddress(String(reader.result));
    reader.readAsDataURL(new Blob([picture], { type: 'image/png' }));
  }, [picture]);
  return (
    <div id="badge-made">
      {address !== '' && <img src={address} alt={say('openBadge.picture')} width={160} height={160} />}
      <p class="actions">
        <button type="button" class="primary" id="save-badge" onClick={() => download(`${stem}.badge.png`, picture, 'image/png')}>
          {say('openBadge.savePicture')}
        </button>{' '}
        <button type="button" id="save-badge-json" onClick={() => download(`${stem}.badge.json`, json, 'application/vc+ld+json')}>
          {say('openBadge.saveJson')}
        </button>
      </p>
      <p class="hint">{say('openBadge.madeHint')}</p>
    </div>
  );
}
