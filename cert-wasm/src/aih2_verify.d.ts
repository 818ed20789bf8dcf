import type { Data, Freeable, Json, VerificationErrorCode, WasmSource } from '../../dist/index.js';

export { CertError } from '../../dist/index.js';
export type { CertErrorCode, Data, Freeable, Json } from '../../dist/index.js';

/** Evidence of AIH-2. Its bytes identify nothing: the same can be proven in more than one way. */
export interface Evidence {
  profile: 'AIH-2';
  /** `0x` and 64 hexadecimal characters. */
  schemaId: string;
  /** base64url without padding. */
  proof: string;
  /** The values that are opened, each with its path; without them the evidence is detached, and goes with a document. */
  values?: readonly (readonly [path: readonly (string | number)[], value: Json])[];
  $schema?: string;
}

/**
 * The findings of `verify`. `entries`, `absent`, `objects` and `lists` are about the evidence: they say what was certified. `shown` is about
 * the document that was given. The order within lists means nothing, except in `shown`.
 */
export interface Report {
  /** Whether the evidence is sound, of the given imprint and of the given asset, and proves everything that the document shows. */
  valid: boolean;
  /** The imprint that the evidence gives, `aih2:` and 64 hexadecimal characters, if it is sound. */
  imprint: string | null;
  /** The reasons why the evidence or a place of the document was not accepted; empty if it is valid. */
  errors: Problem[];
  /** The values that are proven, one by one. In `document`, `null` in a list, and `{}`, may stand for what is hidden; here nothing does. */
  entries: Entry[];
  /** The paths of properties that are proven to be absent. */
  absent: (string | number)[][];
  /** The objects that are open, in part or with all that is in them. */
  objects: ObjectFinding[];
  /** The lists that are. */
  lists: ListFinding[];
  /** Each value of the document that was given, exactly once and in its order; empty if there was none. */
  shown: ValueFinding[];
  /**
   * The document, to be shown; null unless `valid`. It is the one that was given, or else the one that the evidence's values make: in that,
   * hidden properties are missing, hidden items are null, and where more than 65,536 items would be, there is none.
   */
  document: { [key: string]: Json } | null;
  /**
   * The numbers of findings beyond these, if there are any. Of each list 10,000 are kept, of `shown` as many of each status; paths take at
   * most 4 MiB in `errors`, as much in `shown` and as much in all others.
   */
  omitted?: { errors: number; entries: number; absent: number; objects: number; lists: number; shown: number };
}

/** A value of the document: a leaf, an object or list that is shown empty, or an item where the evidence shows none. */
export interface ValueFinding {
  path: (string | number)[];
  status: Status;
}

/**
 * What the evidence says about a value: it was certified (`proven`); another value was certified here, or none (`changed`); nothing, so
 * anyone may have added it (`not-covered`); the schema does not have the key (`not-in-schema`); nothing at all, because it was refused
 * as a whole (`not-proven`, `errors` say why).
 */
export type Status = 'proven' | 'changed' | 'not-covered' | 'not-in-schema' | 'not-proven';

/** The asset on a ledger that an imprint was found at. */
export interface Asset {
  /** The address of the ledger, `0x` and 40 hexadecimal characters. */
  ledgerId: string;
  /** Decimal digits, or hexadecimal ones after `0x`. */
  assetId: string;
}

export interface VerifyOptions {
  /**
   * Refuses evidence of another asset, of which the imprint was copied to this one: a top-level `ledgerId` or `assetId` of the schema has to
   * be shown or proven absent (`asset-hidden`), and to be this one (`asset-mismatch`). They are compared where `ledgerId` is an address.
   */
  asset?: Asset | undefined;
}

/** A reason, with the path of its place; empty for the evidence as a whole. */
export interface Problem {
  code: VerificationErrorCode;
  path: (string | number)[];
}

/** A proven value, which the schema does not split further. */
export interface Entry {
  path: (string | number)[];
  value: Json;
}

/** An open object. */
export interface ObjectFinding {
  path: (string | number)[];
  /** Whether nothing of it is hidden; what is in it may be open in part. */
  complete: boolean;
}

/** An open list. */
export interface ListFinding {
  path: (string | number)[];
  /** The most items that it can have. */
  atMost: number;
  /** The number of its items, if that is proven. */
  length: number | null;
  /** Whether nothing of it is hidden; its items may be open in part. */
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
   * The imprint that the evidence gives, or null unless it is sound and of the schema, and nothing in the document is uncovered. The
   * document is left out where the evidence has values. Rejects with what a getter of the document or the evidence throws, and for
   * evidence of AIH-1.
   */
  calculate(evidence: Evidence): Promise<string | null>;
  calculate(document: Data, evidence: Evidence): Promise<string | null>;
  /**
   * Reports what the evidence proves under an imprint from a trusted place, and why not. Rejects as `calculate` does.
   *
   * Pass the document if there is one: evidence with values can be verified alone, and then nothing is said about any document beside it.
   */
  verify(evidence: Evidence, imprint: string, options?: VerifyOptions): Promise<Report>;
  verify(document: Data, evidence: Evidence, imprint: string, options?: VerifyOptions): Promise<Report>;
}

/**
 * Loads the WebAssembly: in browsers to be awaited before anything else; in Node and workerd it is
 * there already. Without a `source` it is fetched from beside this package's own modules.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;
