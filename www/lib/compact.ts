// The compact form of a certificate in a link, form 2 of docs/spec/file.md: proof and values of AIH-2 evidence in decimal digits, without
// the schema. The service has the schema. Does not use the DOM. This module also runs in Node.
import { base64url, fromBase64url } from './base64url.ts';
import { decodeCBOR, encodeCBOR } from '@levischuck/tiny-cbor';
import type { CBORType } from '@levischuck/tiny-cbor';
import { digitsOf, fromDigits, toDigits } from './digits.ts';
import { MAX_FRAGMENT } from './file.ts';
import type { Copy } from './file.ts';
import { Refusal, isObject, own } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';
import { NotPackable, itemsOf, membersOf, packed, packedMember, setMember, unpacked, unpackedMember } from './packed.ts';
import type { Ids } from './packed.ts';
import { depthOf, lacking, needsPublic, readProof, writeProof } from './proof.ts';
import type { Block } from './proof.ts';

/** The first character of the form. */
const VERSION = '2';
/** The digits of the length of the content in bytes, after the version. */
const LENGTH_DIGITS = 4;
/** The beginning of a form: version, length, and digits of the content. */
const FORM = /^2(\d{4})(\d*)/;
/** The highest index of an item that a link can show. A higher index would cost memory for the hidden items before it. */
const MAX_INDEX = 4095;

/** The content of a compact form. `fragment` is the form itself, without additions of other programs. */
export interface Compact {
  readonly fragment: string;
  readonly proof: Block;
  readonly values: readonly CBORType[];
  /** True if the certificate's public files have a part of the evidence. */
  readonly isSupplement: boolean;
}

/** The public files of a certificate, as `/badge.json` has them. */
export interface PublicFiles {
  schema: JsonObject | null;
  metadata: unknown;
  evidence: unknown;
}

/** A copy with a document. */
export type Shown = Copy & { document: JsonObject };

/**
 * Returns the compact form of a copy. Returns null if the copy cannot have one: its profile is not AIH-2, or the form would be longer than a link may
 * be. With `open`, the public evidence, the form has only the keys and values that this evidence lacks.
 */
export async function toCompact({ schema, document, evidence }: Shown, ids: Ids, open: unknown = null): Promise<string | null> {
  const full = proofIn(evidence);
  const known = proofIn(open);
  if (full === null || (open !== null && known === null)) {
    return null;
  }
  const proof = known === null ? full : await lacking(full, known);
  const values: CBORType[] = [];
  try {
    collect(proof, schema, document, ids, values);
  } catch (error) {
    if (error instanceof NotPackable) {
      return null;
    }
    throw error;
  }
  const content = Uint8Array.from([...writeProof(proof), ...encodeCBOR(values)]);
  const form = VERSION + String(content.length).padStart(LENGTH_DIGITS, '0') + toDigits(content);
  return form.length > MAX_FRAGMENT ? null : form;
}

/** Reads a compact form. Characters after its end are ignored. Refuses any other text with the key `file.link`. */
export function fromCompact(text: string): Compact {
  const [, length = '', digits = ''] = FORM.exec(text.slice(0, MAX_FRAGMENT)) ?? [];
  const { proof, rest } = readProof(fromDigits(digits, Number(length)));
  let values: CBORType;
  try {
    values = decodeCBOR(rest);
  } catch {
    throw Refusal.of('file.link');
  }
  if (!Array.isArray(values)) {
    throw Refusal.of('file.link');
  }
  return { fragment: VERSION + length + digits.slice(0, digitsOf(Number(length))), proof, values, isSupplement: needsPublic(proof) };
}

/**
 * Returns the copy that a compact form and the public files give together. Refuses with the key `file.linkPublic` if it needs public files that are
 * missing or different, and with `file.link` if the content does not fit the schema.
 */
export async function completed({ proof, values, isSupplement }: Compact, { schema, metadata, evidence }: PublicFiles, ids: Ids): Promise<Copy> {
  if (schema === null) {
    throw Refusal.of('file.linkPublic');
  }
  const rest = values.values();
  const next = () => {
    const { done, value } = rest.next();
    if (done === true) {
      throw Refusal.of('file.link');
    }
    return value;
  };
  const { block, value } = merge({ block: proof, node: schema, open: isSupplement ? proofIn(evidence) : null, shown: metadata, ids }, next);
  if (rest.next().done !== true || !isObject(value)) {
    throw Refusal.of('file.link');
  }
  return { schema, document: value, evidence: { profile: 'AIH-2', schemaId: await schemaId(schema), proof: base64url(writeProof(block)) } };
}

/** Returns the proof of AIH-2 evidence, or null. */
function proofIn(evidence: unknown): Block | null {
  const proof = own(evidence, 'proof');
  if (own(evidence, 'profile') !== 'AIH-2' || typeof proof !== 'string') {
    return null;
  }
  try {
    return readProof(fromBase64url(proof)).proof;
  } catch {
    return null;
  }
}

/** Returns the hash that identifies a schema (AIH-2, section 2). */
async function schemaId(schema: JsonObject) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(schema))));
  return `0x${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the canonical text of a JSON value (RFC 8785). Numbers and strings are written as in ECMAScript. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join()}]`;
  }
  if (!isObject(value)) {
    return JSON.stringify(value);
  }
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

/** Adds the values that the proof of a slot opens, in the order of the proof: a value for each slot of an object, and a list for each block of a list. */
function collect(block: Block, node: unknown, value: unknown, ids: Ids | null, values: CBORType[]): void {
  if (block.token === 'K') {
    values.push(packed(value, node, ids));
  } else if (block.token === 'O') {
    const members = membersOf(node, ids) ?? [];
    visitSlots(block.block, depthOf(members.length), 0, (block, start, end) => {
      for (const member of members.slice(start, end)) {
        const inner = own(value, member.name);
        if (block.token === 'K') {
          values.push(packedMember(inner, member));
        } else {
          collect(block, member.node, inner, null, values);
        }
      }
    });
  } else if (block.token === 'A') {
    const items: unknown[] = Array.isArray(value) ? value : [];
    visitSlots(block.block, block.depth, 0, (block, start, end) => {
      if (block.token === 'K') {
        values.push(items.slice(start, end).map((item) => packed(item, itemsOf(node), null)));
      } else {
        collect(block, itemsOf(node), items[start], null, values);
      }
    });
  }
}

/** Calls `visit` for each block that is not split into halves and neither hidden nor public, with its first slot and the slot after its last one. */
function visitSlots(block: Block, level: number, start: number, visit: (block: Block, start: number, end: number) => void): void {
  if (level > 0 && block.token === 'N') {
    visitSlots(block.left, level - 1, start, visit);
    visitSlots(block.right, level - 1, start + 2 ** (level - 1), visit);
  } else if (block.token !== 'H' && block.token !== 'P') {
    visit(block, start, start + 2 ** level);
  }
}

/** A slot: its block, its schema node, and its block and value in the public files. `open` is null without a public block. */
interface Slot {
  block: Block;
  node: unknown;
  open: Block | null;
  shown: unknown;
  ids: Ids | null;
}

interface Merged {
  block: Block;
  /** Undefined if the slot is hidden or absent. */
  value: unknown;
}

/** Returns the block and the value of a slot, with the tokens and values of the public files at each `P`. `next` returns the next value of the link. */
function merge({ block, node, open, shown, ids }: Slot, next: () => CBORType): Merged {
  switch (block.token) {
    case 'H':
      return { block, value: undefined };
    case 'P':
      return { block: known(open), value: shown };
    case 'K':
      return { block, value: unpacked(next(), node, ids) };
    case 'O':
      return mergeObject(block.block, { node, open: open?.token === 'O' ? open.block : null, shown, ids }, next);
    case 'A':
      return mergeList(block, { node, open: open?.token === 'A' ? open.block : null, shown }, next);
    default:
      throw Refusal.of('file.link');
  }
}

function mergeObject(block: Block, { node, open, shown, ids }: Omit<Slot, 'block'>, next: () => CBORType): Merged {
  const value: JsonObject = {};
  const members = membersOf(node, ids) ?? [];
  const merged = mergeSlots({ block, level: depthOf(members.length), start: 0, open }, ({ block, level, start, open }) => {
    // A block after the last slot has no members.
    const inside = members.slice(start, start + 2 ** level);
    if (block.token === 'K') {
      inside.forEach((member) => setMember(value, member, unpackedMember(next(), member)));
      return block;
    }
    if (block.token === 'P') {
      inside.forEach((member) => setMember(value, member, own(shown, member.name)));
      return known(open);
    }
    const [member] = inside;
    if (member === undefined) {
      throw Refusal.of('file.link');
    }
    const inner = merge({ block, node: member.node, open, shown: own(shown, member.name), ids: null }, next);
    setMember(value, member, inner.value);
    return inner.block;
  });
  return { block: { token: 'O', block: merged }, value };
}

function mergeList({ depth, block }: Block & { token: 'A' }, { node, open, shown }: Omit<Slot, 'block' | 'ids'>, next: () => CBORType): Merged {
  const given: unknown[] = Array.isArray(shown) ? shown : [];
  const items: unknown[] = [];
  // A list is shown as empty if the public files show it, or if the link proves that it has no first item.
  let isShown = Array.isArray(shown);
  const set = (index: number, item: unknown) => {
    if (index > MAX_INDEX) {
      throw Refusal.of('file.link');
    }
    if (item !== undefined) {
      items[index] = item;
    }
  };
  const merged = mergeSlots({ block, level: depth, start: 0, open }, ({ block, level, start, open }) => {
    const end = start + 2 ** level;
    if (block.token === 'K') {
      const run = next();
      if (!Array.isArray(run) || run.length > end - start) {
        throw Refusal.of('file.link');
      }
      run.forEach((item, index) => set(start + index, unpacked(item, itemsOf(node), null)));
      isShown ||= start === 0;
      return block;
    }
    if (block.token === 'P') {
      given.slice(start, end).forEach((item, index) => set(start + index, item));
      return known(open);
    }
    const inner = merge({ block, node: itemsOf(node), open, shown: given[start], ids: null }, next);
    set(start, inner.value);
    return inner.block;
  });
  // A hidden item before the last shown one is null.
  const value = items.length > 0 || isShown ? Array.from(items, (item) => item ?? null) : undefined;
  return { block: { token: 'A', depth, block: merged }, value };
}

/** A block of 2^level slots, from `start` on, and the same block of the public proof. */
interface Slots {
  block: Block;
  level: number;
  start: number;
  open: Block | null;
}

/** Returns a block in which `visit` replaces each block that is neither split into halves nor hidden. */
function mergeSlots({ block, level, start, open }: Slots, visit: (slots: Slots) => Block): Block {
  if (level > 0 && block.token === 'N') {
    const [left, right] = open?.token === 'N' ? [open.left, open.right] : [null, null];
    const below = level - 1;
    return {
      token: 'N',
      left: mergeSlots({ block: block.left, level: below, start, open: left }, visit),
      right: mergeSlots({ block: block.right, level: below, start: start + 2 ** below, open: right }, visit),
    };
  }
  const isSplit = block.token === 'N' || block.token === 'O' || block.token === 'A';
  if (isSplit && (level > 0 || block.token === 'N')) {
    throw Refusal.of('file.link');
  }
  return block.token === 'H' ? block : visit({ block, level, start, open });
}

function known(open: Block | null): Block {
  if (open === null) {
    throw Refusal.of('file.linkPublic');
  }
  return open;
}
