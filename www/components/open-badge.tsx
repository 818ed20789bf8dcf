// Saves a certificate as an Open Badge, for wallets and portfolios. This part of a page is loaded when the person asks for a badge.
import { type Choice, type MadeBadge, type Ready, type Unlisted, makeBadges, makerFor, publishBadge, readyFor } from '/lib/badges.ts';
import { zipOf } from '/lib/bulk.ts';
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
import { WalletOffer } from './wallet-offer.tsx';
import { useEffect, useRef, useState } from 'preact/hooks';

/** The holder's file of a certificate. */
interface HolderFile {
  readonly name: string;
  readonly text: string;
}

interface Properties {
  readonly session: SignedIn;
  /** The files of one or more certificates of one ledger. */
  readonly files: readonly [HolderFile, ...HolderFile[]];
  /** The name of the archive of several badges, without its ending. */
  readonly archive?: string;
}

/** What the part shows: nothing yet, what a badge can show, the file to publish first, or the badges. */
type Shown =
  | { readonly kind: 'reading' }
  | { readonly kind: 'ready' | 'making'; readonly all: readonly [Ready, ...Ready[]] }
  | { readonly kind: 'unlisted'; readonly all: readonly [Ready, ...Ready[]]; readonly unlisted: Unlisted }
  | { readonly kind: 'made'; readonly made: readonly MadeBadge[] };

export function OpenBadge({ session, files, archive = 'certificates' }: Properties) {
  const [say, setSay] = useState<Say | null>(null);
  const [shown, setShown] = useState<Shown>({ kind: 'reading' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [note, setNote] = useState('');
  const [progress, setProgress] = useState('');

  const attempt = async (act: (say: Say) => Promise<void>) => {
    setNote('');
    // The texts about badges are not among the page's own.
    const texts = await sayIn('openbadge');
    setSay(() => texts);
    try {
      await act(texts);
    } catch (error) {
      const isOwn = error instanceof Refusal && error.key?.startsWith('openBadge.');
      setNote(isOwn ? texts(error.key ?? '', error.values) : sentence(explained(error)));
    }
    setProgress('');
  };
  useEffect(() => {
    attempt(async (say) => {
      const [first, ...rest] = files;
      const all: [Ready, ...Ready[]] = [await readyFor(first.text)];
      for (const { text } of rest) {
        setProgress(say('openBadge.reading', { number: all.length + 1, count: files.length }));
        all.push(await readyFor(text));
      }
      // A badge needs a name, so a hidden one is chosen.
      setChosen(new Set(choicesOf(all).flatMap(({ key }) => (key === 'name' ? [key] : []))));
      setShown({ kind: 'ready', all });
    });
  }, [files]);

  const make = (all: readonly [Ready, ...Ready[]]) => {
    setShown({ kind: 'making', all });
    attempt(async (say) => {
      const [{ record, domain }] = all;
      const maker = await makerFor({ domain }, session.client, designOf(record.ledger?.schemaId ?? '').colour);
      if ('file' in maker) {
        setShown({ kind: 'unlisted', all, unlisted: maker });
        return;
      }
      const made: MadeBadge[] = [];
      await makeBadges(all, chosen, maker, (badge) => {
        made.push(badge);
        setProgress(say('openBadge.making', { number: made.length, count: all.length }));
      });
      setShown({ kind: 'made', made });
    }).finally(() => setShown((now) => (now.kind === 'making' ? { kind: 'ready', all } : now)));
  };
  const publish = (made: readonly MadeBadge[]) =>
    attempt(async (say) => {
      for (const [index, badge] of made.entries()) {
        setProgress(say('openBadge.publishing', { number: index + 1, count: made.length }));
        await publishBadge(session.client, badge);
      }
      setNote(say('openBadge.published'));
    });
  if (say === null) {
    return null;
  }
  const stems = files.map(({ name }) => name.replace(/(\.private|\.shared)?\.assay\.json$/, ''));
  return (
    <div id="open-badge">
      <p>{say('openBadge.hint')}</p>
      {(shown.kind === 'ready' || shown.kind === 'making' || shown.kind === 'unlisted') && (
        <>
          <Choices say={say} choices={choicesOf(shown.all)} chosen={chosen} changed={setChosen} />
          {shown.kind === 'unlisted' && <Publish say={say} unlisted={shown.unlisted} />}
          <p class="actions">
            <button type="button" class="primary" id="make-badge" disabled={shown.kind === 'making'} onClick={() => make(shown.all)}>
              {shown.kind === 'unlisted' ? say('openBadge.again') : say('openBadge.make', { count: shown.all.length })}
            </button>
          </p>
        </>
      )}
      {shown.kind === 'made' && <Made say={say} session={session} made={shown.made} stems={stems} archive={archive} publish={publish} />}
      <p class="note" id="badge-refusal" role="status">
        {progress || note}
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

interface MadeProperties {
  readonly say: Say;
  readonly session: SignedIn;
  readonly made: readonly MadeBadge[];
  readonly stems: readonly string[];
  readonly archive: string;
  readonly publish: (made: readonly MadeBadge[]) => void;
}

function Made({ say, session, made, stems, archive, publish }: MadeProperties) {
  const [first] = made;
  const [stem = ''] = stems;
  const saveAll = async () => {
    const files = made.flatMap(({ json, picture }, index): [string, string | Uint8Array<ArrayBuffer>][] => [
      [`private/${stems[index]}.badge.json`, json],
      [`private/${stems[index]}.badge.png`, picture],
    ]);
    download(`${archive}.badges.zip`, await zipOf(files), 'application/zip');
  };
  return (
    <div id="badge-made">
      {first !== undefined && <Picture say={say} picture={first.picture} />}
      <p class="actions">
        {made.length > 1 ? (
          <button type="button" class="primary" id="save-badges" onClick={saveAll}>
            {say('openBadge.saveAll', { count: made.length })}
          </button>
        ) : (
          first !== undefined && (
            <>
              <button type="button" class="primary" id="save-badge" onClick={() => download(`${stem}.badge.png`, first.picture, 'image/png')}>
                {say('openBadge.savePicture')}
              </button>{' '}
              <button type="button" id="save-badge-json" onClick={() => download(`${stem}.badge.json`, first.json, 'application/vc+ld+json')}>
                {say('openBadge.saveJson')}
              </button>
            </>
          )
        )}
      </p>
      <p class="hint">{say('openBadge.madeHint')}</p>
      {first !== undefined && made.length === 1 && <WalletOffer say={say} session={session} ledger={first.ledger} configuration="open-badge" credential={first.json} />}
      {made.every(({ hostedAt }) => hostedAt !== null) && (
        <p class="actions">
          <button type="button" id="publish-badge" onClick={() => publish(made)}>
            {say('openBadge.publish', { count: made.length })}
          </button>
        </p>
      )}
    </div>
  );
}

function Picture({ say, picture }: { readonly say: Say; readonly picture: Uint8Array<ArrayBuffer> }) {
  const [address, setAddress] = useState('');
  useEffect(() => {
    const reader = new FileReader();
    reader.onload = () => setAddress(String(reader.result));
    reader.readAsDataURL(new Blob([picture], { type: 'image/png' }));
  }, [picture]);
  return address === '' ? null : <img src={address} alt={say('openBadge.picture')} width={160} height={160} />;
}

/** Returns the fields that at least one certificate can show, each once. */
const choicesOf = (all: readonly Ready[]): readonly Choice[] => [...new Map(all.flatMap(({ choices }) => choices.map((choice) => [choice.key, choice] as const))).values()];
