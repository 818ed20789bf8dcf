// Reads, writes and combines the proofs of AIH-2 as trees of tokens (docs/spec/aih-2.md, section 6). Needs no schema. Does not use the DOM.
import { Refusal } from '../../pkg/view/src/json.ts';

/**
 * A block of slots in a proof. `P` occurs only in links: it stands for the tokens that the public proof has for the same block
 * (docs/spec/file.md, form 2).
 */
export type Block =
  | { readonly token: 'H' | 'K'; readonly bytes: Uint8Array }
  | { readonly token: 'N'; readonly left: Block; readonly right: Block }
  | { readonly token: 'O'; readonly block: Block }
  | { readonly token: 'A'; readonly depth: number; readonly block: Block }
  | { readonly token: 'P' };

export const PUBLIC: Block = { token: 'P' };

/** The bytes of a hash and of a key. */
const WIDTH = 32;
/** The deepest tree: a document has 64 levels of objects and lists (AIH-2, section 2), and a list has at most 32 levels of halves. */
const MAX_DEPTH = 64 * 34;

const [H, K, N, O, A, P] = [0x48, 0x4b, 0x4e, 0x4f, 0x41, 0x50];

/** Returns the tree at the start of `bytes`, and the bytes after it. Refuses other bytes with the key `file.link`. */
export function readProof(bytes: Uint8Array): { proof: Block; rest: Uint8Array } {
  let at = 0;
  const take = (count: number) => {
    const taken = bytes.subarray(at, at + count);
    at += count;
    if (taken.length < count) {
      throw Refusal.of('file.link');
    }
    return taken;
  };
  const read = (depth: number): Block => {
    if (depth > MAX_DEPTH) {
      throw Refusal.of('file.link');
    }
    switch (take(1)[0]) {
      case H:
        return { token: 'H', bytes: take(WIDTH) };
      case K:
        return { token: 'K', bytes: take(WIDTH) };
      case N:
        return { token: 'N', left: read(depth + 1), right: read(depth + 1) };
      case O:
        return { token: 'O', block: read(depth + 1) };
      case A:
        return { token: 'A', depth: take(1)[0] ?? 0, block: read(depth + 1) };
      case P:
        return PUBLIC;
      default:
        throw Refusal.of('file.link');
    }
  };
  const proof = read(0);
  return { proof, rest: bytes.subarray(at) };
}

/** Returns the bytes of a tree. */
export function writeProof(block: Block): number[] {
  switch (block.token) {
    case 'H':
      return [H, ...block.bytes];
    case 'K':
      return [K, ...block.bytes];
    case 'N':
      return [N, ...writeProof(block.left), ...writeProof(block.right)];
    case 'O':
      return [O, ...writeProof(block.block)];
    case 'A':
      return [A, block.depth, ...writeProof(block.block)];
    case 'P':
      return [P];
  }
}

/** Returns true if a tree needs the public proof. */
export function needsPublic(block: Block): boolean {
  switch (block.token) {
    case 'N':
      return needsPublic(block.left) || needsPublic(block.right);
    case 'O':
    case 'A':
      return needsPublic(block.block);
    default:
      return block.token === 'P';
  }
}

/** Returns the part of `full` that the public proof of the same document lacks. `P` stands for the rest. */
export async function lacking(full: Block, open: Block): Promise<Block> {
  if (full.token === 'H' || open.token === 'K') {
    return PUBLIC;
  }
  if (full.token === 'K') {
    return keysFor(full.bytes, open);
  }
  if (full.token === 'N' && open.token === 'N') {
    return halves(await lacking(full.left, open.left), await lacking(full.right, open.right));
  }
  if ((full.token === 'O' && open.token === 'O') || (full.token === 'A' && open.token === 'A')) {
    return around(full, await lacking(full.block, open.block));
  }
  return full;
}

/** Returns the keys, derived from the key of a block, of the blocks that the public proof hides in it. */
async function keysFor(key: Uint8Array, open: Block): Promise<Block> {
  switch (open.token) {
    case 'H':
      return { token: 'K', bytes: key };
    case 'N':
      return halves(await keysFor(await derived(6, key), open.left), await keysFor(await derived(7, key), open.right));
    case 'O':
    case 'A':
      // An object or list has the key of the block of all its slots.
      return around(open, await keysFor(key, open.block));
    default:
      return PUBLIC;
  }
}

/** Returns the depth of a number of slots (AIH-2, section 2). */
export const depthOf = (count: number): number => (count < 2 ? 0 : 32 - Math.clz32(count - 1));

/** The key of the left half (6) or right half (7) of a block (AIH-2, section 3). */
export async function derived(tag: 6 | 7, key: Uint8Array) {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.of(tag, ...key)));
}

const halves = (left: Block, right: Block): Block => (left.token === 'P' && right.token === 'P' ? PUBLIC : { token: 'N', left, right });

const around = (outer: Block & { token: 'O' | 'A' }, block: Block): Block => (block.token === 'P' ? PUBLIC : { ...outer, block });
