// Converts the values of a document to CBOR without the names that the schema has, and back. docs/spec/file.md specifies it, form 2 of links.
// Does not use the DOM.
import type { CBORType } from '@levischuck/tiny-cbor';
import { Refusal, isObject, own, setOwn } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';

/** The key of a list in place of an object that the schema splits. There, a list of CBOR has the object's slots. */
const LIST = 0;

/** The ids of the certificate's ledger and asset, written as in the answers of the service. */
export interface Ids {
  ledger: string;
  asset: string;
}

/** A slot of an object: its name, its schema node, and the id that the link's address has for it. */
export interface Member {
  name: string;
  node: unknown;
  id: string | undefined;
}

const hasType = (node: unknown, type: string) => [own(node, 'type')].flat().includes(type);

/**
 * Returns the slots of an object in their order, or null if the schema node does not split objects (AIH-2, section 2). `ids` is null below the
 * document itself.
 */
export function membersOf(node: unknown, ids: Ids | null): Member[] | null {
  const properties = own(node, 'properties');
  if (!hasType(node, 'object') || !isObject(properties)) {
    return null;
  }
  const known: Record<string, string> = ids === null ? {} : { ledgerId: ids.ledger, assetId: ids.asset };
  return Object.keys(properties)
    .sort()
    .map((name) => ({ name, node: own(properties, name), id: Object.hasOwn(known, name) ? known[name] : undefined }));
}

/** Returns the schema node of a list's items, or undefined if the node does not split lists. */
export const itemsOf = (node: unknown): unknown => (hasType(node, 'array') && isObject(own(node, 'items')) ? own(node, 'items') : undefined);

/** A value that has no packed form. */
export class NotPackable extends Error {}

/** Returns the value of a slot for CBOR. An empty byte string stands for an id that the link's address has. */
export const packedMember = (value: unknown, { node, id }: Member): CBORType => (id !== undefined && value === id ? new Uint8Array() : packed(value, node, null));

/** Returns a value for CBOR. An object that the schema splits becomes the list of its slots. An absent value is undefined. */
export function packed(value: unknown, node: unknown, ids: Ids | null): CBORType {
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'number') {
    return value;
  }
  if (typeof value === 'string') {
    // The decoder drops a byte order mark at the start of a text.
    if (value.startsWith('\ufeff')) {
      throw new NotPackable();
    }
    return value;
  }
  const members = membersOf(node, ids);
  if (Array.isArray(value)) {
    const items = value.map((item) => packed(item, itemsOf(node), null));
    return members === null ? items : new Map([[LIST, items]]);
  }
  if (!isObject(value)) {
    throw new NotPackable();
  }
  if (members === null) {
    return new Map(Object.keys(value).map((key) => [key, packed(value[key], undefined, null)]));
  }
  if (Object.keys(value).some((key) => !members.some(({ name }) => name === key))) {
    throw new NotPackable();
  }
  const slots = members.map((member) => packedMember(own(value, member.name), member));
  return slots.slice(0, slots.findLastIndex((slot) => slot !== undefined) + 1);
}

/** Returns the value of a slot, the opposite of `packedMember`. */
export const unpackedMember = (value: CBORType, { node, id }: Member): unknown => (id !== undefined && value instanceof Uint8Array && value.length === 0 ? id : unpacked(value, node, null));

/** Returns the JSON value that `packed` has converted. Refuses all other values with the key `file.link`. */
export function unpacked(value: CBORType, node: unknown, ids: Ids | null): unknown {
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) {
    return value;
  }
  const members = membersOf(node, ids);
  if (Array.isArray(value) && members !== null) {
    return objectOf(value, members);
  }
  const list = value instanceof Map && members !== null ? value.get(LIST) : value;
  if (Array.isArray(list)) {
    return list.map((item) => present(unpacked(item, itemsOf(node), null)));
  }
  if (!(value instanceof Map) || members !== null) {
    throw Refusal.of('file.link');
  }
  const made: JsonObject = {};
  for (const [key, member] of value) {
    setOwn(made, String(key), present(unpacked(member, undefined, null)));
  }
  return made;
}

function objectOf(slots: readonly CBORType[], members: readonly Member[]) {
  if (slots.length > members.length) {
    throw Refusal.of('file.link');
  }
  const made: JsonObject = {};
  members.slice(0, slots.length).forEach((member, index) => setMember(made, member, unpackedMember(slots[index], member)));
  return made;
}

/** Sets a slot's value, unless it is absent. */
export function setMember(object: JsonObject, { name }: Member, value: unknown): void {
  if (value !== undefined) {
    setOwn(object, name, value);
  }
}

function present(value: unknown): unknown {
  if (value === undefined) {
    throw Refusal.of('file.link');
  }
  return value;
}
