import type { AssetRecord, Data, Freeable, Json, VerificationErrorCode, Verdict, WasmSource } from '../../dist/index.js';

export { CertError } from '../../dist/index.js';
export type { AssetRecord, CertErrorCode, Data, Freeable, Integrity, Json, StatusKind, Verdict } from '../../dist/index.js';

/** Evidence of AIH-2. Do not use the bytes of evidence as an identifier: different evidence can prove the same values. */
export interface Evidence {
  profile: 'AIH-2';
  /** `0x` and 64 hexadecimal characters. */
  schemaId: string;
  /** base64url without padding. */
  proof: string;
  /** The revealed values, each with its path. Without them the evidence is detached, and a verifier also needs the document. */
  values?: readonly (readonly [path: readonly (string | number)[], value: Json])[];
  $schema?: string;
}

/**
 * The findings of `verify`. `entries`, `absent`, `objects` and `lists` describe the certified values that the evidence proves. `shown`
 * describes the given document. The order of items has no meaning, except in `shown`.
 */
export interface Report {
  /** True if the evidence breaks no rule, belongs to the given imprint and asset, and proves every value of the document. */
  valid: boolean;
  /** The imprint computed from the evidence, `aih2:` and 64 hexadecimal characters; null if the evidence was refused before the computation. */
  imprint: string | null;
  /** The reasons why the evidence or a part of the document was refused; empty if `valid`. */
  errors: Problem[];
  /** The proven values, one by one. Read values from here, because a `null` or `{}` in `document` may represent hidden values. */
  entries: Entry[];
  /** The paths of properties that are proven to be absent. */
  absent: (string | number)[][];
  /** The objects that the evidence opens, in part or completely. */
  objects: ObjectFinding[];
  /** The lists that the evidence opens, in part or completely. */
  lists: ListFinding[];
  /** Each value of the given document, exactly once and in document order; empty without a document. */
  shown: ValueFinding[];
  /**
   * The document that is safe to show; null unless `valid`. This is the given document. Without one, it is a document built from the
   * evidence's values, in which hidden properties are missing and hidden items are null. `document` is also null if more than 65,536 items
   * of the built document would be hidden.
   */
  document: { [key: string]: Json } | null;
  /**
   * The numbers of further findings, if there are any. Each list keeps 10,000 findings, `shown` 10,000 of each status. Paths take at most
   * 4 MiB in `errors`, 4 MiB in `shown` and 4 MiB in the other lists together.
   */
  omitted?: { errors: number; entries: number; absent: number; objects: number; lists: number; shown: number };
}

/**
 * A value of the document, which is one of these:
 * - a value that the schema does not split further
 * - an empty object or list
 * - the value of a key that the schema does not have
 * - an item at a position where the evidence has no item
 */
export interface ValueFinding {
  path: (string | number)[];
  status: Status;
}

/**
 * The status of a value according to the evidence:
 * - `proven`: this value was certified.
 * - `changed`: another value was certified here, or the absence of a value.
 * - `not-covered`: the evidence does not cover the value, so anyone may have added it.
 * - `not-in-schema`: the schema does not have the key.
 * - `not-proven`: the evidence as a whole was refused; `errors` has the reasons.
 */
export type Status = 'proven' | 'changed' | 'not-covered' | 'not-in-schema' | 'not-proven';

/** The asset on a ledger that has the imprint. */
export interface Asset {
  /** The address of the ledger, `0x` and 40 hexadecimal characters. */
  ledgerId: string;
  /** Decimal digits, or hexadecimal ones after `0x`. */
  assetId: string;
}

export interface VerifyOptions {
  /**
   * Refuses evidence whose imprint was copied from another asset. If the schema's root has a `ledgerId` or an `assetId`, the evidence has
   * to show it or prove its absence (`asset-hidden`). If the shown `ledgerId` is an address, the shown ids have to match this asset
   * (`asset-mismatch`). The evidence has to prove an empty list, or a value other than `$schema` and `$evidence` (`nothing-proven`).
   */
  asset?: Asset | undefined;
}

/** A reason, with the path that it concerns. The path is empty for the evidence as a whole. */
export interface Problem {
  code: VerificationErrorCode;
  path: (string | number)[];
}

/** A proven value, which the schema does not split further. */
export interface Entry {
  path: (string | number)[];
  value: Json;
}

/** An object that the evidence opens, in part or completely. */
export interface ObjectFinding {
  path: (string | number)[];
  /** True if no property of the object is hidden. The values of the properties may still be open only in part. */
  complete: boolean;
}

/** A list that the evidence opens, in part or completely. */
export interface ListFinding {
  path: (string | number)[];
  /** The maximum number of the list's items. */
  atMost: number;
  /** The number of the list's items; null if the number is not proven. */
  length: number | null;
  /** True if no item of the list is hidden. The items may still be open only in part. */
  complete: boolean;
}

export type { VerificationErrorCode as ErrorCode } from '../../dist/index.js';

export interface CertOptions {
  /** The JSON Schema of the documents: its root has `type: 'object'` and `properties`. */
  schema: Data;
  profile?: 'AIH-2' | undefined;
}

export interface Cert extends Freeable {
  /**
   * Resolves to the imprint computed from the evidence. Resolves to null if the document or the evidence is not JSON. Also resolves to null
   * if the evidence is refused, belongs to another schema or does not cover the whole document. Omit the document if the evidence has
   * values. Rejects for evidence of AIH-1, and with errors thrown by a getter of the document or the evidence.
   */
  calculate(evidence: Evidence): Promise<string | null>;
  calculate(document: Data, evidence: Evidence): Promise<string | null>;
  /**
   * Reports which values the evidence proves under an imprint from a trusted source, and why other values are not proven. Rejects as
   * `calculate` does, and for a wrong option or an imprint that is not a string.
   *
   * Pass the document if there is one. Evidence with values can be verified alone, but then the report does not cover a separate document.
   */
  verify(evidence: Evidence, imprint: string, options?: VerifyOptions): Promise<Report>;
  verify(document: Data, evidence: Evidence, imprint: string, options?: VerifyOptions): Promise<Report>;
  /**
   * Returns the verdict on the documents of an asset: whether they were certified for it, and its status at the time `now`, in milliseconds since
   * 1970. `document` is the published metadata, or null for evidence with values. `record` is the asset's record from a trusted service. Rejects as
   * `verify` does, and for a document or evidence that is not JSON.
   */
  judge(document: Data | null, evidence: Evidence, record: AssetRecord, now: number): Promise<Verdict<Report>>;
}

/**
 * Loads the WebAssembly. In browsers, await this function before anything else. In Node and other servers, the WebAssembly is loaded at its
 * first use. Without a `source`, the function loads the package's own WebAssembly.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;
