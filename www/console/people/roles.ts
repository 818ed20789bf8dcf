// The roles of people on a register. This is the only place that says which abilities a role has. Does not use the DOM.
import type { Ledger } from '/client/index.js';
import { Ability, LedgerCapability } from '../../../pkg/client/src/enumerations.ts';

export const ROLES = ['issue', 'replace', 'manage', 'look'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The abilities of each role: the fewest that the service asks of the sender of an action. The service's own accounts have the other abilities, such as
 * CREATE_ASSET, with which a person could pass the service by.
 *
 * - `issue` creates certificates. They belong to the account that issued them, which may always withdraw them: this needs no ability. So no role lets an account
 *   withdraw the certificates of another one.
 * - `replace` replaces every certificate of the register.
 * - `manage` gives and takes abilities.
 * - `look` lists the register for the account. The service lists registers on which an account has any ability. TOGGLE_TRANSFERS lets nobody do anything on a
 *   register without the capability of the same name. Other roles look too, so they do not have it.
 */
const ABILITIES = {
  issue: Ability.ALLOW_CREATE_ASSET,
  replace: Ability.ALLOW_UPDATE_ASSET,
  manage: Ability.ALLOW_MANAGE_ABILITIES,
  look: Ability.TOGGLE_TRANSFERS,
} as const satisfies Record<Role, Ability>;

const ALL = Object.values(Ability);

/** Returns true if `look` lets an account do nothing on a register. */
export const isLookSafe = ({ capabilities }: Pick<Ledger, 'capabilities'>): boolean => !capabilities.includes(LedgerCapability.TOGGLE_TRANSFERS);

/** Returns the abilities of roles, in ascending order. */
export function abilitiesOf(roles: ReadonlySet<Role>): Ability[] {
  const active = [...roles].filter((role) => role !== 'look');
  const counted: Role[] = active.length > 0 ? active : [...roles];
  return counted.map((role) => ABILITIES[role]).toSorted((one, other) => one - other);
}

/** What an account may do: roles, everything (as the owner of a new register), or a selection of abilities that no roles have. */
export type Power = { readonly kind: 'roles'; readonly roles: readonly Role[] } | { readonly kind: 'everything' } | { readonly kind: 'own'; readonly abilities: readonly Ability[] };

/** Returns what abilities amount to. */
export function powerOf(abilities: readonly Ability[]): Power {
  const roles = new Set(ROLES.filter((role) => abilities.includes(ABILITIES[role])));
  if (ALL.every((ability) => abilities.includes(ability))) {
    return { kind: 'everything' };
  }
  return isSame(abilitiesOf(roles), abilities) ? { kind: 'roles', roles: [...roles] } : { kind: 'own', abilities };
}

/** Returns true if both lists have the same abilities. */
export const isSame = (one: readonly Ability[], other: readonly Ability[]): boolean => one.length === other.length && one.every((ability) => other.includes(ability));

/** Returns true if the abilities let an account give and take abilities through the service. */
export const mayManage = (abilities: readonly Ability[]): boolean => abilities.includes(Ability.ALLOW_MANAGE_ABILITIES);
