// Changes issued certificates: withdraws them, or replaces the imprint of one. Does not use the DOM.
import { Ability, ActionKind, LedgerCapability } from '/client/index.js';
import type { Client, Ledger } from '/client/index.js';
import { Refusal, visible } from '../../pkg/view/src/json.ts';
import { destroying } from './approvals.ts';
import type { OwnLedger } from './issuing.ts';
import { perform } from './orders.ts';

/** The maximum number of certificates in an order: an order has at most 100 actions, and the last one is the payment. */
export const MAX_WITHDRAWN = 99;
/** The maximum length of a reason, in characters. */
const MAX_REASON = 280;

/** Returns a reason in the form that the service accepts. Refuses an invalid reason before anything is signed, because a withdrawal cannot be undone. */
export function reasonOf(given: string): string {
  const reason = given.trim();
  if (reason === '' || [...reason].length > MAX_REASON || /[<>]/.test(reason) || visible(reason) !== reason) {
    throw Refusal.of(reason === '' ? 'issued.reasonMissing' : 'issued.reasonWrong');
  }
  return reason;
}

/** Destroys assets of a ledger that the client's account owns, and revokes assets of others. Resolves when the order is final. */
export function destroy(client: Client, ledgerId: string, assetIds: string[], revoked: string[] = []): Promise<void> {
  return destroying(client, ledgerId, () =>
    perform(client, [
      ...assetIds.map((id) => ({ kind: ActionKind.DESTROY_ASSET, assetLedgerId: ledgerId, id })),
      ...revoked.map((id) => ({ kind: ActionKind.REVOKE_ASSET, assetLedgerId: ledgerId, id })),
    ]),
  );
}

/** Returns true if the account may withdraw certificates of others on a register. The owner of a register has every ability. */
export const mayRevoke = ({ capabilities, abilities }: Pick<OwnLedger, 'capabilities' | 'abilities'>): boolean =>
  capabilities.includes(LedgerCapability.REVOKE_ASSET) && (abilities === undefined || abilities.includes(Ability.REVOKE_ASSET));

/** Returns true if imprints of a ledger may be replaced. */
export const isReplaceable = ({ capabilities }: Pick<Ledger, 'capabilities'>) => capabilities.includes(LedgerCapability.UPDATE_ASSET);

/** Returns true if the account may replace imprints of a register. The owner of a register has every ability. */
export const mayReplace = ({ abilities }: Pick<OwnLedger, 'abilities'>): boolean => abilities === undefined || abilities.includes(Ability.ALLOW_UPDATE_ASSET);

/** Replaces the imprint of an asset. Resolves when the order is final. */
export function update(client: Client, { ledgerId, assetId, imprint }: { ledgerId: string; assetId: string; imprint: string }): Promise<void> {
  return perform(client, [{ kind: ActionKind.UPDATE_ASSET_IMPRINT, assetLedgerId: ledgerId, id: assetId, imprint }]);
}
