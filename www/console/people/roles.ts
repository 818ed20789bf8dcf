// The roles of people on a register. This is the only place that says which abilities a role has. Does not use the DOM.
import type { Ledger } from '/client/index.js';
import { Ability, LedgerCapability } from '../../../pkg/client/src/enumerations.ts';

export const ROLES = ['issue', 'replace', 'withdraw', 'manage', 'look'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The abilities of each role: the fewest that the service asks of the sender of an action. The service's own accounts have the other abilities, such as
 * CREATE_ASSET, with which a person could pass the service by.
 *
 * - `issue` creates certificates. They belong to the account that issued them, which may always withdraw them: this needs no ability.
 * - `replace` replaces every certificate of the register.
 * - `withdraw` withdraws every certificate of the register, if the register has the capability to revoke.
 * - `manage` gives and takes abilities.
 * - `look` lists the register for the account. The service lists registers on which an account has any ability. TOGGLE_TRANSFERS lets nobody do anything on a
 *   register without the capability of the same name. Other roles look too, so they do not have it.
 */
const ABILITIES = {
  issue: Ability.ALLOW_CREATE_ASSET,
  replace: Ability.ALLOW_UPDATE_ASSET,
  withdraw: Ability.REVOKE_ASSET,
  manage: Ability.ALLOW_MANAGE_ABILITIES,
  look: Ability.TOGGLE_TRANSFERS,
} as const satisfies Record<Role, Ability>;

const ALL = Object.values(Ability);

/** Returns true if `look` lets an account do nothing on a register. */
export const isLookSafe = ({ capabilities }: Pick<Ledger, 'capabilities'>): boolean => !capabilities.includes(LedgerCapability.TOGGLE_TRANSFERS);

/** Returns true if `withdraw` lets an account withdraw certificates of others on a register. */
export const isRevocable = ({ capabilities }: Pick<Ledger, 'capabilities'>): boolean => capabilities.includes(LedgerCapability.REVOKE_ASSET);

/** Returns the roles that can be given. On a chain, no order withdraws certificates of others (decision 0097), so this role can only be taken back from a person who has it. */
export const offeredRoles = (isOnChain: boolean, held: ReadonlySet<Role>): readonly Role[] => ROLES.filter((role) => role !== 'withdraw' || !isOnChain || held.has(role));

/** Returns the abilities of roles on a register, in ascending order. Leaves out the roles that the register does not have. */
export function abilitiesOf(roles: ReadonlySet<Role>, register: Pick<Ledger, 'capabilities'>): Ability[] {
  const has = (role: Role) => (role === 'look' ? isLookSafe(register) : role !== 'withdraw' || isRevocable(register));
  return sumOf([...roles].filter(has));
}

function sumOf(roles: readonly Role[]): Ability[] {
  const active = roles.filter((role) => role !== 'look');
  const counted = active.length > 0 ? active : roles;
  return counted.map((role) => ABILITIES[role]).toSorted((one, other) => one - other);
}

/** What an account may do: roles, everything (as the owner of a new register), or a selection of abilities that no roles have. */
export type Power = { readonly kind: 'roles'; readonly roles: readonly Role[] } | { readonly kind: 'everything' } | { readonly kind: 'own'; readonly abilities: readonly Ability[] };

/** Returns the roles whose abilities are among these. An account that may do more needs no role to look. */
export function rolesIn(abilities: readonly Ability[]): Role[] {
  const roles = ROLES.filter((role) => abilities.includes(ABILITIES[role]));
  return roles.length > 1 ? roles.filter((role) => role !== 'look') : roles;
}

/** Returns what abilities amount to. */
export function powerOf(abilities: readonly Ability[]): Power {
  const roles = ROLES.filter((role) => abilities.includes(ABILITIES[role]));
  if (ALL.every((ability) => abilities.includes(ability))) {
    return { kind: 'everything' };
  }
  return isSame(sumOf(roles), abilities) ? { kind: 'roles', roles } : { kind: 'own', abilities };
}

/** Returns true if both lists have the same abilities. */
export const isSame = (one: readonly Ability[], other: readonly Ability[]): boolean => one.length === other.length && one.every((ability) => other.includes(ability));

/** Returns true if the abilities let an account give and take abilities through the service. */
export const mayManage = (abilities: readonly Ability[]): boolean => abilities.includes(Ability.ALLOW_MANAGE_ABILITIES);
