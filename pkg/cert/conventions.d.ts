import type { Evidence, Proof } from './dist/index.js';

/** One published text of an asset convention. */
export interface Convention {
  /** 86 for the base asset, 87 for the asset evidence, 88 for the digital collectible. */
  readonly number: 86 | 87 | 88;
  /** The id of the schema as published, `0x` and 64 hexadecimal characters: the result of `identify()`. */
  readonly id: string;
  /** The id with sorted keys, which older ledgers use: the result of `identify({ sorted: true })`. Often the same as `id`. */
  readonly sortedId: string;
  /** The JSON Schema, frozen because a changed schema would have another id. */
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

/** All published versions of the three conventions. The newest version of each comes last. */
export const conventions: readonly Convention[];

/** Finds a version of a convention by the id of its schema, `id` or `sortedId`. So a ledger with such an id needs no schema file. */
export function convention(id: string): Convention | undefined;

/**
 * Returns proofs as the object that an evidence file contains, according to convention 87. `$schema` is the address of the schema of
 * evidence. It defaults to the address where convention 87 is published.
 */
export function evidence(proofs: readonly Proof[], options?: { $schema?: string | undefined }): { $schema: string; data: Proof[] } & Evidence;
