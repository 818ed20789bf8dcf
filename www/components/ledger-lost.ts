// Refuses to issue, or to replace a certificate, on a register on which the account's role was taken back.
import { Ability } from '/client/index.js';
import type { Client } from '/client/index.js';
import { readNames } from '/lib/contacts.ts';
import { type OwnLedger, stillMay } from '/lib/issuing.ts';
import { Refusal, shorten, visible } from '/view/json.ts';
import { type LedgerAction, type LedgerChoice, chosenLedger, incompleteField, lostLedger } from './ledger-state.ts';

/** The maximum length of a shown name, in characters. */
const MAX_NAME = 120;

type Named = Pick<OwnLedger, 'name' | 'ownerId'>;

/** Returns the name of a register, and the person to ask: its owner. */
export const lostValues = ({ name, ownerId }: Named): { name: string; owner: string } => ({ name: visible(shorten(name, MAX_NAME)), owner: readNames().get(ownerId.toLowerCase()) ?? ownerId });

/** Refuses a register on which the account does not have an ability any more. */
export async function refuseLost(client: Client, ledger: Named & Pick<OwnLedger, 'ref'>, ability: Ability = Ability.ALLOW_CREATE_ASSET): Promise<void> {
  if (!(await stillMay(client, ledger, ability))) {
    throw Refusal.of('issue.ledgerLost', lostValues(ledger));
  }
}

/** Returns the chosen register, on which the account may still issue. Undefined for a new one. Refuses a missing choice: a new register is set up only if it is chosen. */
export async function registerToUse(
  choice: LedgerChoice,
  client: Client,
  dispatch: (action: LedgerAction | { readonly type: 'focused'; readonly focus: { readonly id: string } }) => void,
): Promise<OwnLedger | undefined> {
  const chosen = chosenLedger(choice);
  if (chosen !== undefined) {
    try {
      await refuseLost(client, chosen);
    } catch (error) {
      if (error instanceof Refusal && error.key === 'issue.ledgerLost') {
        dispatch({ type: 'ledgerLost', ledger: chosen });
        dispatch({ type: 'focused', focus: { id: 'ledger-choice' } });
      }
      throw error;
    }
    return chosen;
  }
  const incomplete = incompleteField(choice);
  if (incomplete === null) {
    return undefined;
  }
  dispatch({ type: 'focused', focus: { id: incomplete } });
  const lost = lostLedger(choice);
  if (lost !== null) {
    throw Refusal.of('issue.ledgerLost', lostValues(lost));
  }
  throw Refusal.of(incomplete === 'ledger-name' ? 'issue.ledgerNameMissing' : 'issue.ledgerMissing');
}
