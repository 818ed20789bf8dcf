import type { Evidence, Proof } from './dist/index.js';

/** One published version of an asset convention. */
export interface Convention {
  /** 86 for the base asset, 87 for the asset evidence, 88 for the digital collectible. */
  readonly number: 86 | 87 | 88;
  /** The id of the published schema: the result of `identify()`, `0x` and 64 hexadecimal digits. */
  readonly id: string;
  /** The id of the schema with sorted keys: the result of `identify({ sorted: true })`. Older ledgers use this id. It is often equal to `id`. */
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

/**
 * Returns the version of a convention whose `id` or `sortedId` this is, or `undefined` if no version has this id. A ledger with such an id
 * therefore needs no schema file.
 */
export function convention(id: string): Convention | undefined;

/**
 * Returns proofs as the object that an evidence file contains, according to convention 87. `$schema` is the address of the schema of
 * evidence. It defaults to the address where convention 87 is published.
 */
export function evidence(proofs: readonly Proof[], options?: { $schema?: string | undefined }): { $schema: string; data: Proof[] } & Evidence;
