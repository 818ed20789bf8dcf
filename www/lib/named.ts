// Proves the holder's name with the key of the whole certificate, which the register book has, and the public evidence (docs/spec/aih-2.md, sections 3 and 4). The other private values
// are not known. The proof is right only if the values beside the name are public or absent, so the caller checks it. Does not use the DOM. This module also runs in Node.
import { base64url, fromBase64url } from './base64url.ts';
import type { Copy } from './file.ts';
import { membersOf } from './packed.ts';
import { holdersIn, keyIn } from './people.ts';
import { type Block, depthOf, derived, readProof, writeProof } from './proof.ts';
import { isObject, own } from '../../pkg/view/src/json.ts';
import type { JsonObject } from '../../pkg/view/src/json.ts';

/** The public part of a certificate. */
interface Open {
  readonly schema: JsonObject;
  readonly document: JsonObject;
  readonly evidence: JsonObject;
}

const hashOf = async (...bytes: number[]) => new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes)));

/** Returns the hash of a block without values. */
async function hashOfAbsent(key: Uint8Array, level: number, start: number, count: number): Promise<Uint8Array> {
  if (level === 0 || start >= count) {
    return hashOf(2, ...key);
  }
  const left = await hashOfAbsent(await derived(6, key), level - 1, start, count);
  const right = await hashOfAbsent(await derived(7, key), level - 1, start + 2 ** (level - 1), count);
  return hashOf(1, ...left, ...right);
}

/** Returns a block with the wanted slot opened, as if the block hid nothing else. `key` is the key of the block. Returns null if the slot is open already, or open in part. */
async function opened(block: Block, key: Uint8Array, level: number, start: number, wanted: number, count: number): Promise<Block | null> {
  if (level === 0) {
    return block.token === 'H' ? { token: 'K', bytes: key } : null;
  }
  if (block.token !== 'H' && block.token !== 'N') {
    return null;
  }
  const middle = start + 2 ** (level - 1);
  const [first, second] = [await derived(6, key), await derived(7, key)];
  const halfOf = async (half: Uint8Array, from: number): Promise<Block> => ({ token: 'H', bytes: await hashOfAbsent(half, level - 1, from, count) });
  const left = block.token === 'N' ? block.left : wanted < middle ? block : await halfOf(first, start);
  const right = block.token === 'N' ? block.right : wanted >= middle ? block : await halfOf(second, middle);
  const inner = await (wanted < middle ? opened(left, first, level - 1, start, wanted, count) : opened(right, second, level - 1, middle, wanted, count));
  return inner === null ? null : wanted < middle ? { token: 'N', left: inner, right } : { token: 'N', left, right: inner };
}

/** Returns copies of the public part with the holder's name, one for each field that can be the holder's. At most one of them is right. `fileKey` is the book's fact. */
export async function copiesWithHolder({ schema, document, evidence }: Open, fileKey: string, name: string): Promise<(Copy & { readonly document: JsonObject })[]> {
  const { proof } = evidence;
  if (keyIn({ proof: fileKey }) === '' || typeof proof !== 'string') {
    return [];
  }
  // The first byte is the token.
  const key = fromBase64url(fileKey).slice(1);
  const { proof: root } = readProof(fromBase64url(proof));
  const members = membersOf(schema, null) ?? [];
  if (root.token !== 'O') {
    return [];
  }
  const copies: (Copy & { readonly document: JsonObject })[] = [];
  for (const field of holdersIn(members.flatMap(({ name, node }) => (isObject(node) && node.type === 'string' && own(document, name) === undefined ? [name] : [])))) {
    const block = await opened(
      root.block,
      key,
      depthOf(members.length),
      0,
      members.findIndex(({ name }) => name === field),
      members.length,
    );
    if (block !== null) {
      copies.push({ schema, document: { ...document, [field]: name }, evidence: { profile: evidence.profile, schemaId: evidence.schemaId, proof: base64url(writeProof({ token: 'O', block })) } });
    }
  }
  return copies;
}
