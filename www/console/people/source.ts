// Reads the people of registers, and what an account issued. Does not use the DOM.
import { ActionKind, priceOf } from '/client/index.js';
import type { Ability, Client, ClientAction, Payment } from '/client/index.js';
import { MAX_REGISTERS, eachOf, groupsOf } from '/lib/few.ts';
import type { OwnLedger } from '/lib/issuing.ts';
import { perform } from '/lib/orders.ts';
import { serviceOf } from '/lib/service.ts';
import { type Change, type Person, type Register, ordersOf } from './state.ts';
import { mayManage } from './roles.ts';

/** The maximum number of accounts of a register that are read. */
const MAX_PEOPLE = 500;
/** The maximum number of certificates of an account that are listed for a group of registers. */
const MAX_ISSUED = 1000;

/** A certificate that an account issued. */
export interface Issued {
  readonly ledgerId: string;
  readonly id: string;
}

export interface Found {
  readonly registers: readonly Register[];
  readonly people: readonly Person[];
  readonly isPartial: boolean;
  /** Whether the ledger of the service is a chain. */
  readonly isOnChain: boolean;
}

/** Returns the people of registers. Leaves out the accounts with which the service performs orders. */
export async function peopleOf(client: Client, ledgers: readonly OwnLedger[]): Promise<Found> {
  const [{ data }, { isOnChain }] = await Promise.all([client.getAccount(), serviceOf()]);
  const service = new Set(Object.values(data.gateway.proxies).map((proxy: string) => proxy.toLowerCase()));
  const own = data.id.toLowerCase();
  const people = new Map<string, { account: string; abilities: Map<string, readonly Ability[]> }>();
  let isPartial = false;
  const read = async (ledger: OwnLedger) => {
    const { list, isWhole } = await holdersOf(client, ledger);
    isPartial ||= !isWhole;
    for (const { accountId, abilities } of list.filter(({ accountId }) => !service.has(accountId.toLowerCase()))) {
      const person = people.get(accountId.toLowerCase()) ?? { account: accountId, abilities: new Map() };
      person.abilities.set(ledger.id.toLowerCase(), abilities);
      people.set(accountId.toLowerCase(), person);
    }
    return { ...ledger, isManaged: mayManage(people.get(own)?.abilities.get(ledger.id.toLowerCase()) ?? []) };
  };
  const registers = await eachOf(ledgers, read);
  return { registers, people: [...people.values()], isPartial, isOnChain };
}

async function holdersOf(client: Client, { ref }: OwnLedger) {
  const list: { accountId: string; abilities: readonly Ability[] }[] = [];
  for await (const holder of client.ledgerAbilities(ref, { limit: 100 })) {
    if (list.length === MAX_PEOPLE) {
      return { list, isWhole: false };
    }
    list.push(holder);
  }
  return { list, isWhole: true };
}

/** Tokens that go to an account together with its roles. */
export interface Gift {
  readonly account: string;
  /** The platform token. */
  readonly tokenAddress: string;
  /** A decimal number of tokens. */
  readonly tokens: string;
}

/** Sends changes, with as few orders as possible. The gift is in the first one. `sent` is called after each order, so a later failure does not hide what was done. */
export async function send(client: Client, changes: readonly Change[], gift: Gift | null, sent: (changes: readonly Change[]) => void): Promise<void> {
  const given: ClientAction[] = gift === null ? [] : [{ kind: ActionKind.TRANSFER_VALUE, valueLedgerId: gift.tokenAddress, value: gift.tokens, receiverId: gift.account }];
  const orders = changes.length === 0 ? [[]] : ordersOf(changes);
  for (const [index, order] of orders.entries()) {
    const actions = order.map(({ register, account, after }): ClientAction => ({ kind: ActionKind.SET_ABILITIES, assetLedgerId: register.id, receiverId: account, abilities: [...after] }));
    await perform(client, index === 0 ? [...actions, ...given] : actions);
    sent(order);
  }
}

/** Returns the cost of changes and of a gift, without the given tokens, in base units of the platform token. */
export function costOf(payment: Payment, changes: readonly Change[], tokens: string): bigint {
  const actions = changes.map(() => ({ kind: ActionKind.SET_ABILITIES }));
  return priceOf(tokens === '' ? actions : [...actions, { kind: ActionKind.TRANSFER_VALUE }], payment);
}

/** Returns the certificates in force that an account issued on registers. `isWhole` is false if there are more than are listed. */
export async function issuedBy(client: Client, registers: readonly Register[], account: string): Promise<{ readonly found: readonly Issued[]; readonly isWhole: boolean }> {
  const found: Issued[] = [];
  let isWhole = true;
  for (const group of groupsOf(registers, MAX_REGISTERS)) {
    const ledgerRefs = group.map(({ ref }) => ref);
    let left = MAX_ISSUED;
    for await (const { ledgerId, id } of client.certificates({ ledgerRefs, creatorId: account, status: ['in-force', 'replaced'], limit: 100 })) {
      if (left === 0) {
        isWhole = false;
        break;
      }
      found.push({ ledgerId, id });
      left -= 1;
    }
  }
  return { found, isWhole };
}
