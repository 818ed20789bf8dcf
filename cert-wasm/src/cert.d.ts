/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * A document or a schema: a plain object, or one that `JSON.stringify` would turn into such, by `toJSON` or by its own keys.
 * Undefined properties are absent. Text has to be parsed and a promise awaited first.
 */
export type Data = { readonly [key: string]: unknown } | (object & NoBuiltIn);

/** Lists, functions, promises, maps and bytes have one of these symbols. */
interface NoBuiltIn {
  readonly [Symbol.iterator]?: undefined;
  readonly [Symbol.hasInstance]?: undefined;
  readonly [Symbol.toStringTag]?: undefined;
}

/** The way to a value: keys of objects and indexes of arrays; empty for the whole document. */
export type Path = readonly (string | number)[];

/** The role of a hash: of a value (0), a leaf (1) or a node (2). */
export type Position = 0 | 1 | 2;

/**
 * Makes a hash of `value`: at position 0 a value of the data, `undefined` where it is absent, else a
 * text. `path` is that of the object or array, with the number of the member in it at the end.
 */
export type Hasher = (
  value: null | boolean | number | string | undefined,
  path: (string | number)[],
  position: Position,
) => string | PromiseLike<string>;

/** Makes the nonce of a position in a group; always the same one for the same path. */
export type Noncer = (path: (string | number)[]) => string | PromiseLike<string>;

/** A hash of a proof; the leaf of position `n` has the index `2n + 1`, the node before it `2n`. */
export interface ProofNode {
  index: number;
  hash: string;
}

/** A value of a proof, with the nonce it was hashed with. */
export interface ProofValue {
  index: number;
  /** The value, the imprint of an object or array, or nothing where it is absent. */
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

/** The extent to which a value is certified. */
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

/** The finding about one value of the data; unless it is proven, with the reason. */
export type Entry =
  | { path: (string | number)[]; status: 'proven'; reason?: undefined }
  | { path: (string | number)[]; status: Exclude<Status, 'proven'>; reason: ReasonCode };

/** The findings of `verify`. */
export interface Report {
  /** Whether everything that the data states and the schema describes is proven. */
  valid: boolean;
  /** The imprint that the evidence gives, if it is sound. */
  imprint: string | null;
  /** The reasons why the evidence as a whole was not accepted; empty if it was. */
  reasons: { code: ReasonCode; path: (string | number)[]; message: string }[];
  /** The values of the data, in its order: the first 10,000 of each status, of which the paths have no more than 4 MiB. */
  entries: Entry[];
  /**
   * The number of items that the proof of each list reaches, and whether there are provably no more items: under keyed nonces nobody finds that out without
   * the secret. As many as entries of one status.
   */
  lists: { path: (string | number)[]; length: number; complete: boolean }[];
  /** The numbers of entries and lists beyond these, if there are any. `valid` and `proven` are about all of them. */
  omitted?: { proven: number; notProven: number; notCovered: number; lists: number };
  /** The data again, with what was proven and nothing else. */
  proven: Json;
}

/** The codes that a report of AIH-2 can have, its `ErrorCode`; each is that of an error, too. */
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
  | 'asset-mismatch';

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
  /** Stable: safe to compare with. */
  readonly code: CertErrorCode;
  /** The path in the data or the schema; empty for the whole of it. */
  readonly path: (string | number)[];
  /** The value that a callback threw or rejected with. */
  readonly cause?: unknown;
  private constructor();
}

/**
 * A noncer for private data: HMAC-SHA-256 over the path. Without the secret, undisclosed values cannot be guessed from the hashes
 * that stand for them.
 *
 * Evidence reveals the nonces of the values it discloses, so a secret belongs to one asset. With `assetId` the secret of each
 * asset is derived from one that is kept for many.
 */
export interface KeyedNoncer {
  /** At least 16 random bytes; a string stands for its UTF-8 bytes. */
  secret: ArrayBuffer | ArrayBufferView | string;
  assetId?: string | undefined;
}

declare global {
  interface SymbolConstructor {
    /** The method that `using` calls; declared here too, for `lib`s before it. */
    readonly dispose: unique symbol;
  }
}

/** An object that holds memory of the WebAssembly. */
export interface Freeable {
  /**
   * Gives the memory back at once. Without it, the memory is given back some time after the object is garbage; `using` calls it at the
   * end of a block. Promises that were given before are kept. Every method called afterwards fails with `cert-freed`, but for this one,
   * which does nothing.
   */
  free(): void;
  [Symbol.dispose](): void;
}

export interface Cert extends Freeable {}

export interface CertOptions {
  /** The JSON Schema of the data; its root has to be of type `object`. */
  schema: Data;
  /** The profile of this entry; AIH-2 is `@assay/cert/aih2`. */
  profile?: 'AIH-1' | undefined;
  /** Default: SHA-256 as hexadecimal text. */
  hasher?: Hasher | undefined;
  /** Default: SHA-256 of the path, which anyone can compute. For private data: {@link KeyedNoncer}. */
  noncer?: Noncer | KeyedNoncer | undefined;
  /**
   * Whether `imprint`, `notarize` and `disclose` refuse data with a value that the schema does not describe, such as one with a
   * misspelt key, with `data-uncovered`. Default: such values are left out of the certificate.
   */
  strict?: boolean | undefined;
}

/**
 * Loads the WebAssembly: in browsers to be awaited before anything else; in Node and workerd it is
 * there already. Without a `source` it is fetched from beside this package's own modules.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;

/** A `URL`, a `Response`, bytes, or a compiled module. */
export type WasmSource = string | ArrayBuffer | ArrayBufferView | object;
