// Side effects of the console: what it knows about the account before a view is shown.
import { type OwnLedger, knownLedgers } from '/lib/issuing.ts';
import { part } from '/lib/part.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { explained } from '/lib/signer.ts';
import { refusal } from '/components/answer.ts';
import { findDomain } from '/components/domain.ts';
import type { Action } from './state.ts';

export type Dispatch = (action: Action) => void;

/** Finds the registers of the account again, because others can have given it a role since. */
export async function findRegisters(session: SignedIn, dispatch: Dispatch): Promise<readonly OwnLedger[]> {
  const known = await knownLedgers(session.client);
  // An account whose only roles were taken back can still withdraw what it issued. The view of certificates looks for such registers of other accounts.
  const registers = known.length > 0 ? known : await part(import('./left.ts')).then(({ leftRegisters }) => leftRegisters(session, known));
  dispatch({ type: 'registersFound', session, registers });
  return registers;
}

/** Finds the registers of the account, and whether a domain confirms it. */
export async function findStanding(session: SignedIn | null, dispatch: Dispatch): Promise<void> {
  if (session === null) {
    return;
  }
  try {
    await findRegisters(session, dispatch);
    const { data } = await session.client.getDomain();
    dispatch({ type: 'standingFound', session, isConfirmed: data.state === 'confirmed' });
    await findDomain(session, dispatch);
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(explained(error)) });
  }
}
