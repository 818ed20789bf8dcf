// Side effects of the console: what it knows about the account before a view is shown.
import { knownLedgers } from '/lib/issuing.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { explained } from '/lib/signer.ts';
import { refusal } from '/components/answer.ts';
import { findDomain } from '/components/domain.ts';
import type { Action } from './state.ts';

export type Dispatch = (action: Action) => void;

/** Finds the registers of the account, and whether a domain confirms it. */
export async function findStanding(session: SignedIn | null, dispatch: Dispatch): Promise<void> {
  if (session === null) {
    return;
  }
  try {
    const registers = await knownLedgers(session.client);
    dispatch({ type: 'registersFound', session, registers });
    const { data } = await session.client.getDomain();
    dispatch({ type: 'standingFound', session, isConfirmed: data.state === 'confirmed' });
    await findDomain(session, dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(explained(error)) });
  }
}
