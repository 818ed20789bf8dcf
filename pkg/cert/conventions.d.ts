import type { Evidence, Proof } from './dist/index.js';

/** One published text of an asset convention. */
export interface Convention {
  /** 86 base asset, 87 asset evidence, 88 digital collectible. */
  readonly number: 86 | 87 | 88;
  /** The schema's id as it was published, `0x` and 64 hexadecimal characters: what `identify()` gives. */
  readonly id: string;
  /** The id with sorted keys, which older ledgers name: what `identify({ sorted: true })` gives. Often the same. */
  readonly sortedId: string;
  /** The JSON Schema; frozen, because another text would have another id. */
  readonly schema: {
    readonly $schema: string;
    readonly title: string;
    readonly description: string;
    readonly type: 'object';
    readonly properties: { readonly [key: string]: object };
  };
}

/** Convention 86: the properties that every asset has. */
export const baseAsset: Convention;

/** Convention 87: evidence. */
export const assetEvidence: Convention;

/** Convention 88: digital collectibles. */
export const digitalCollectible: Convention;

/** Every published text of the three, the newest of each last. */
export const conventions: readonly Convention[];

/** The convention with this schema id, literal or sorted, of any version: a ledger that names one needs no schema file. */
export function convention(id: string): Convention | undefined;

/**
 * Proofs as the object that an evidence file holds, by convention 87. `$schema` is the address of the schema of evidence; without
 * it, the one where convention 87 is published.
 */
export function evidence(proofs: readonly Proof[], options?: { $schema?: string | undefined }): { $schema: string; data: Proof[] } & Evidence;
