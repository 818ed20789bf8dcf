/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * A document or a schema: a plain object, or an object that `JSON.stringify` writes as a JSON object, by `toJSON` or by its own keys.
 * Undefined properties count as absent. Parse JSON text and await promises before you pass them.
 */
export type Data = { readonly [key: string]: unknown } | (object & NoBuiltIn);

/** Lists, functions, promises, maps and bytes have one of these symbols. */
interface NoBuiltIn {
  readonly [Symbol.iterator]?: undefined;
  readonly [Symbol.hasInstance]?: undefined;
  readonly [Symbol.toStringTag]?: undefined;
}

/** The path of a value: keys of objects and indexes of arrays. Empty for the whole document. */
export type Path = readonly (string | number)[];

/** The role of a hash: the hash of a value (0), a leaf (1) or a node (2). */
export type Position = 0 | 1 | 2;

/**
 * Returns the hash of `value`. `position` is the role of the hash. For role 0, `value` is a value of the data or the imprint of an object
 * or array, or `undefined` if the value is absent. For other roles, `value` is a string. `path` is the path of an object or array, followed
 * by the index of a member in hashing order.
 */
export type Hasher = (
  value: null | boolean | number | string | undefined,
  path: (string | number)[],
  position: Position,
) => string | PromiseLike<string>;

/** Returns the nonce for a member of an object or array. `path` has the form that a {@link Hasher} gets. Equal paths must give equal nonces. */
export type Noncer = (path: (string | number)[]) => string | PromiseLike<string>;

/** A hash of a proof. The leaf at position `n` has the index `2n + 1`, and the node at this position has the index `2n`. */
export interface ProofNode {
  index: number;
  hash: string;
}

/** A value of a proof, with its nonce. */
export interface ProofValue {
  index: number;
  /** The value, or the imprint of an object or array. Missing if the value is absent. */
  value?: null | boolean | number | string;
  nonce: string;
}

/** The hashes and values that the imprint of one object or array is computed from. */
export interface Proof {
  path: (string | number)[];
  nodes: ProofNode[];
  values: ProofValue[];
}

/** A published evidence file. */
export interface Evidence {
  $schema?: string;
  data: readonly Proof[];
}

/** The status of a value according to the evidence. */
export type Status = 'proven' | 'not-proven' | 'not-covered';

/** The reason why a value or the whole evidence was not accepted. */
export type ReasonCode =
  | 'evidence-malformed'
  | 'root-missing'
  | 'path-unknown'
  | 'proof-duplicate'
  | 'proof-unconnected'
  | 'index-out-of-range'
  | 'index-duplicate'
  | 'proof-incomplete'
  | 'hash-malformed'
  | 'hash-mismatch'
  | 'closing-ambiguous'
  | 'link-mismatch'
  | 'imprint-mismatch'
  | 'value-mismatch'
  | 'data-type-mismatch'
  | 'not-covered'
  | 'not-in-schema'
  | 'nothing-stated';

/** The finding about one value of the data, with a reason unless the value is proven. */
export type Entry =
  | { path: (string | number)[]; status: 'proven'; reason?: undefined }
  | { path: (string | number)[]; status: Exclude<Status, 'proven'>; reason: ReasonCode };

/** The findings of `verify`. */
export interface Report {
  /** True if every value of the data that the schema describes is proven. */
  valid: boolean;
  /** The imprint computed from the evidence; null if the evidence was refused before the computation. */
  imprint: string | null;
  /** The reasons why the evidence as a whole was refused; empty if it was accepted. */
  reasons: { code: ReasonCode; path: (string | number)[]; message: string }[];
  /** The values, in the order of the data: the first 10,000 of each status. All paths of a report take at most 4 MiB. */
  entries: Entry[];
  /**
   * For each list with a proof: the number of items that the proof covers. `complete` is true if it is proven that the list has no more
   * items. With keyed nonces, only a verifier who has the secret can prove this. A report has at most 10,000 lists.
   */
  lists: { path: (string | number)[]; length: number; complete: boolean }[];
  /** The numbers of further entries and lists, if there are any. `valid` and `proven` cover all of them. */
  omitted?: { proven: number; notProven: number; notCovered: number; lists: number };
  /** The data, reduced to its proven values. */
  proven: Json;
}

/**
 * The record of an asset from a trusted service: the data of its `/badge.json`, or a part of it. A member that is missing or of another type counts as
 * unknown. Without the ids of ledger and asset, the ids in the document are not compared.
 */
export interface AssetRecord {
  ledger?: { readonly id: string } | null | undefined;
  asset?:
    | {
        readonly id?: string | undefined;
        /** The imprint on the ledger, 64 lower-case hexadecimal characters. Null if the ledger does not have the asset now. */
        readonly imprint?: string | null | undefined;
        readonly createdAt?: string | null | undefined;
        readonly withdrawnAt?: string | null | undefined;
        /** The earlier imprints, the latest first. */
        readonly pastImprints?: readonly { imprint: string; endedAt: string; withdrawn: boolean }[] | undefined;
      }
    | null
    | undefined;
  /** The expiry date that the public documents prove. It counts for documents under the same imprint that hide the date. */
  status?: { readonly expiresAt?: string | null | undefined } | undefined;
}

/**
 * The result of comparing the documents with what was certified for the asset:
 * - `unchanged`: every value is proven.
 * - `notCovered`: no certified value was changed, but the evidence does not prove every value.
 * - `otherAsset`: the values were certified, but for another asset.
 * - `changed`: a value or a hash differs from the certified one, or the evidence belongs to another imprint.
 * - `notChecked`: every value is proven by the evidence, but the record has no imprint to compare with.
 */
export type Integrity = 'unchanged' | 'notCovered' | 'otherAsset' | 'changed' | 'notChecked';

/** The asset's status for these documents: an earlier imprint makes them replaced, a proven date in the past makes them expired. */
export type StatusKind = 'inForce' | 'withdrawn' | 'expired' | 'replaced' | 'neverIssued' | 'unknownLedger';

/** The verdict on the documents of an asset. Times are milliseconds since 1970. */
export interface Verdict<R> {
  integrity: Integrity;
  /** `since` is the time of issue, withdrawal, expiry or replacement; null if it is not known. */
  status: { kind: StatusKind; since: number | null };
  /** The time from which the certificate counts as expired; null if the evidence proves no expiry date. */
  expiresAt: number | null;
  /** The faults of the document as a whole that the report does not have. */
  faults: { code: 'asset-mismatch' | 'nothing-proven'; path: string[] }[];
  /** The report under the imprint to which the documents belong: the current one, or an earlier one. */
  report: R;
}

/** The codes in reports of AIH-2. The entry points of AIH-2 export this type as `ErrorCode`. Errors can have these codes, too. */
export type VerificationErrorCode =
  | 'json-invalid'
  | 'json-too-deep'
  | 'key-duplicate'
  | 'surrogate-unpaired'
  | 'number-not-finite'
  | 'integer-too-large'
  | 'not-in-schema'
  | 'list-too-long'
  | 'too-much-work'
  | 'nothing-open'
  | 'profile-unknown'
  | 'evidence-malformed'
  | 'schema-mismatch'
  | 'document-missing'
  | 'imprint-invalid'
  | 'proof-short'
  | 'proof-long'
  | 'proof-shape'
  | 'list-order'
  | 'list-depth'
  | 'value-mismatch'
  | 'imprint-mismatch'
  | 'not-covered'
  | 'asset-hidden'
  | 'asset-mismatch'
  | 'nothing-proven';

/** The codes of errors. */
export type CertErrorCode =
  | VerificationErrorCode
  | 'schema-invalid'
  | 'schema-root-not-object'
  | 'schema-properties-missing'
  | 'schema-items-missing'
  | 'schema-too-deep'
  | 'schema-path-ambiguous'
  | 'schema-reference-unresolved'
  | 'data-type-mismatch'
  | 'data-uncovered'
  | 'paths-invalid'
  | 'secret-too-short'
  | 'nonce-ambiguous'
  | 'hash-length'
  | 'path-not-separable'
  | 'not-available'
  | 'hasher-failed'
  | 'noncer-failed'
  | 'option-invalid'
  | 'not-initialized'
  | 'cert-freed';

/** The error of an operation. */
export class CertError extends Error {
  readonly name: 'CertError';
  /** Stable across versions, so safe to compare with. */
  readonly code: CertErrorCode;
  /** The path in the data, the schema or the evidence. Empty for the root. */
  readonly path: (string | number)[];
  /** The value that a callback threw or rejected with. */
  readonly cause?: unknown;
  private constructor();
}

/**
 * A noncer for private data: HMAC-SHA-256 over the path. Without the secret, hidden values cannot be guessed from their hashes.
 *
 * A secret gives equal paths equal nonces, and evidence reveals the nonces of disclosed values. Therefore use a secret for one asset only.
 * With `assetId`, the secret of each asset is derived from a shared secret.
 */
export interface KeyedNoncer {
  /** At least 16 random bytes. A string is read as its UTF-8 bytes. */
  secret: ArrayBuffer | ArrayBufferView | string;
  assetId?: string | undefined;
}

declare global {
  interface SymbolConstructor {
    /** The method that `using` calls. Declared here for TypeScript `lib`s that lack it. */
    readonly dispose: unique symbol;
  }
}

/** An object that holds WebAssembly memory. */
export interface Freeable {
  /**
   * Releases the memory immediately. Otherwise, it is released some time after the object becomes garbage. `using` calls this method at the
   * end of a block. Pending promises still settle. Later calls of other methods fail with `cert-freed`; further calls of this method do
   * nothing.
   */
  free(): void;
  [Symbol.dispose](): void;
}

export interface Cert extends Freeable {}

export interface CertOptions {
  /** The JSON Schema of the data; its root has to be of type `object`. */
  schema: Data;
  /** The profile of this entry point. For AIH-2 import `@assay/cert/aih2`. */
  profile?: 'AIH-1' | undefined;
  /** Default: SHA-256 as hexadecimal text. */
  hasher?: Hasher | undefined;
  /** Default: SHA-256 of the path, which anyone can compute. For private data: {@link KeyedNoncer}. */
  noncer?: Noncer | KeyedNoncer | undefined;
  /**
   * If true, `imprint`, `notarize` and `disclose` require that the schema describes every value of the data. For any other value, such as a
   * value under a misspelt key, they fail with `data-uncovered`. By default, certificates leave out such values.
   */
  strict?: boolean | undefined;
}

/**
 * Loads the WebAssembly. In browsers, await this function before anything else. In Node and other servers, the WebAssembly is loaded at its
 * first use. Without a `source`, the function loads the package's own WebAssembly.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;

/** A `URL`, a `Response`, bytes, or a compiled module. */
export type WasmSource = string | ArrayBuffer | ArrayBufferView | object;
