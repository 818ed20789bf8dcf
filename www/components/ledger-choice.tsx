// The choice of a ledger on the pages that issue, and its costs.
import { type OwnLedger, folderOf, isHosted, placeOf } from '/lib/issuing.ts';
import { shorten, visible } from '/view/json.ts';
import { say } from '/lib/texts.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { Price } from './tokens.tsx';
import { lostValues } from './ledger-lost.ts';
import { type LedgerAction, type LedgerChoice, NEW, UNCHOSEN, costOf, lostLedger } from './ledger-state.ts';

/** The maximum length of a shown name, in characters. */
const MAX_NAME = 120;

interface Properties {
  readonly session: SignedIn | null;
  readonly choice: LedgerChoice;
  readonly isBusy: boolean;
  readonly dispatch: (action: LedgerAction) => void;
}

/** Offers the account's ledgers and a new one. Ledgers that others deployed for the account come last. */
export function LedgerField({ session, choice, isBusy, dispatch }: Properties) {
  const { found, isHosting, chosen, held, name, folder } = choice;
  const lost = lostLedger(choice);
  const optionsOf = (isWanted: boolean) => (found ?? []).filter(({ isForeign = false }) => isForeign === isWanted).map(optionOf);
  return (
    <div class="field" id="ledger" hidden={found === null}>
      {lost !== null && (
        <p class="problem" id="ledger-lost">
          {say('issue.ledgerLost', lostValues(lost))}
        </p>
      )}
      <div id="old-ledger" hidden={found === null || (found.length === 0 && held === null)}>
        <label for="ledger-choice">{say('issue.ledger')}</label>{' '}
        <select id="ledger-choice" aria-describedby="ledger-hint" disabled={isBusy} value={chosen} onChange={({ currentTarget }) => dispatch({ type: 'ledgerChosen', id: currentTarget.value })}>
          {chosen === UNCHOSEN && (
            <option value={UNCHOSEN} disabled>
              {say('issue.ledgerChoose')}
            </option>
          )}
          {optionsOf(false)}
          <option value={NEW}>{say('issue.ledgerNew')}</option>
          {optionsOf(true)}
        </select>
      </div>
      <div id="new-ledger" hidden={chosen !== NEW}>
        {session?.mayDeploy === false && <p class="problem">{say('chosen.mayNot')}</p>}
        <label for="ledger-name">{say('issue.ledgerName')}</label>
        <input
          id="ledger-name"
          maxLength={200}
          autocomplete="off"
          aria-describedby="ledger-hint"
          disabled={isBusy}
          value={name}
          onInput={({ currentTarget }) => dispatch({ type: 'ledgerNamed', name: currentTarget.value })}
        />
        <div id="folder-field" hidden={isHosting}>
          <label for="folder">{say('issue.folder')}</label>
          <input
            id="folder"
            inputMode="url"
            autocomplete="off"
            spellcheck={false}
            autocapitalize="off"
            aria-describedby="folder-hint"
            placeholder="https://uni.example/certificates/"
            disabled={isBusy}
            value={folder}
            onInput={({ currentTarget }) => dispatch({ type: 'folderEntered', folder: currentTarget.value })}
          />
          <p class="hint" id="folder-hint">
            {say('issue.folderHint')}
          </p>
        </div>
      </div>
      <p class="hint" id="ledger-hint">
        {say('issue.ledgerHint')}
      </p>
    </div>
  );
}

/**
 * Returns a ledger's name, and in brackets the host of its files unless it is this service. A stranger may have chosen the name of a ledger that
 * another account deployed, so the name is shortened and a remark follows.
 */
export function titleOf(ledger: OwnLedger): string {
  const host = isHosted(ledger) || !URL.canParse(ledger.uriPrefix) ? '' : ` (${new URL(ledger.uriPrefix).host})`;
  const name = `${visible(shorten(ledger.name, MAX_NAME))}${host}`;
  return ledger.isForeign ? say('issue.ledgerForeign', { name }) : name;
}

const optionOf = (ledger: OwnLedger) => <option value={ledger.id}>{titleOf(ledger)}</option>;

/** Shows the costs of a number of certificates, as soon as the ledgers are known. */
export const CostsLine = ({ session, choice, certificates }: { readonly session: SignedIn | null; readonly choice: LedgerChoice; readonly certificates: number }) => (
  <Price id="costs" session={session} of={(costs) => (choice.found === null ? 0n : costOf(costs, choice, certificates))} />
);

/** Returns the name of the new ledger and the place of its files, as arguments of `deploy`. Refuses a folder that is not an address. */
export function newLedger({ name, folder, isHosting }: LedgerChoice, account: string): { name: string; uriPrefix: string; uriPostfix: string } {
  const place = isHosting ? placeOf(account) : { uriPrefix: folderOf(folder), uriPostfix: '.json' };
  return { name: name.trim(), ...place };
}
