// Offers a credential to a wallet: a code to scan, and a link for this device. This part of a page is loaded with badges.
import { sentence } from '/lib/sentence.ts';
import { explained } from '/lib/signer.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { qrPicture } from '/lib/qr.ts';
import { dayText } from '/lib/texts.ts';
import { type Configuration, type Offer, offer } from '/lib/wallet.ts';
import { Refusal } from '/view/json.ts';
import type { Say } from '/view/say.ts';
import { CopyButton } from './copy-button.tsx';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Properties {
  readonly say: Say;
  readonly session: SignedIn;
  readonly ledger: string;
  readonly configuration: Configuration;
  readonly credential: string;
}

export function WalletOffer({ say, session, ledger, configuration, credential }: Properties) {
  const [made, setMade] = useState<Offer | null>(null);
  const [note, setNote] = useState('');
  const act = async (work: () => Promise<Offer | null>, done: string) => {
    try {
      setMade(await work());
      setNote(done);
    } catch (error) {
      const isOwn = error instanceof Refusal && error.key?.startsWith('openBadge.');
      setNote(isOwn ? say(error.key ?? '', error.values) : sentence(explained(error)));
    }
  };
  const make = () => act(() => offer(session.client, { ledger, configuration, credential }, location.origin), '');
  const end = ({ codeHash }: Offer) =>
    act(async () => {
      // An offer that a wallet has used, or that has expired, is over as well.
      setMade(null);
      await session.client.endWalletOffer(ledger, codeHash);
      return null;
    }, say('openBadge.walletEnded'));
  return (
    <div id="wallet-offer">
      {made === null ? (
        <p class="actions">
          <button type="button" id="offer-wallet" onClick={make}>
            {say('openBadge.wallet')}
          </button>
        </p>
      ) : (
        <Made say={say} made={made} end={() => end(made)} />
      )}
      <p class="note" role="status">
        {note}
      </p>
    </div>
  );
}

function Made({ say, made, end }: { readonly say: Say; readonly made: Offer; readonly end: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const [copied, setCopied] = useState('');
  useEffect(() => place.current?.replaceChildren(qrPicture(made.link, say('openBadge.walletCode'))), [made]);
  return (
    <>
      <p>{say('openBadge.walletHint', { date: dayText(made.expiresAt) })}</p>
      <div class="qr" ref={place} />
      <p class="actions">
        <a class="button" href={made.link}>
          {say('openBadge.walletOpen')}
        </a>
        <CopyButton text={made.link} shown={place} done={setCopied} />
        <button type="button" onClick={end}>
          {say('openBadge.walletEnd')}
        </button>
        <span class="note" role="status">
          {copied}
        </span>
      </p>
    </>
  );
}
