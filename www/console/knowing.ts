// Side effects of the console: what it knows about the account before a view is shown.
import { Ability } from '/client/index.js';
import { type OwnLedger, ownLedgers } from '/lib/issuing.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { explained } from '/lib/signer.ts';
import { refusal } from '/components/answer.ts';
import { findDomain } from '/components/domain.ts';
import type { Action } from './state.ts';

export type Dispatch = (action: Action) => void;

/** The maximum number of registers that are looked at for abilities. Anybody can give any account abilities on any number of registers. */
const MAX_SHARED = 100;

/** Finds the registers of the account, and whether a domain confirms it. */
export async function findStanding(session: SignedIn | null, dispatch: Dispatch): Promise<void> {
  if (session === null) {
    return;
  }
  try {
    const registers = await registersOf(session);
    dispatch({ type: 'registersFound', session, registers });
    const { data } = await session.client.getDomain();
    dispatch({ type: 'standingFound', session, isConfirmed: data.state === 'confirmed' });
    await findDomain(session, dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(explained(error)) });
  }
}

/** Returns the registers on which the account may issue: its own, and then those on which others have given it the ability. */
async function registersOf({ client }: SignedIn): Promise<OwnLedger[]> {
  const [own, { data }] = await Promise.all([ownLedgers(client), client.getAccountAbilities({ limit: MAX_SHARED })]);
  const known = new Set(own.map(({ id }) => id.toLowerCase()));
  const usable = data.filter(({ ledgerId, abilities }) => abilities.includes(Ability.CREATE_ASSET) && !known.has(ledgerId.toLowerCase()));
  const shared: OwnLedger[] = [];
  for (const { ledgerId } of usable) {
    shared.push({ ...(await client.getLedger(ledgerId)).data, isForeign: true });
  }
  return [...own, ...shared];
}
