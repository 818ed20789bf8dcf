import type { AssetRecord, Data, Freeable, Json, Path, Verdict, WasmSource } from '../../dist/index.js';
import type { Evidence, Report, VerifyOptions } from '../../verify/dist/index.js';

export { CertError } from '../../dist/index.js';
export type { AssetRecord, CertErrorCode, Data, Freeable, Integrity, Json, Path, StatusKind, Verdict } from '../../dist/index.js';
export type {
  Asset,
  Entry,
  Evidence,
  ErrorCode,
  ListFinding,
  ObjectFinding,
  Problem,
  Report,
  Status,
  ValueFinding,
  VerifyOptions,
} from '../../verify/dist/index.js';

export interface CertOptions {
  /** The JSON Schema of the documents: its root has `type: 'object'` and `properties`. */
  schema: Data;
  profile?: 'AIH-2' | undefined;
  /** The document key: 32 bytes for one document only, see {@link generateKey}. Keep the key: further evidence for the document needs it. */
  key?: ArrayBuffer | ArrayBufferView | undefined;
  /** Instead of `key`: at least 32 random bytes, from which the key of each document is derived. */
  secret?: ArrayBuffer | ArrayBufferView | undefined;
  /** With `secret`: the id of the asset, so that two assets with the same content have different keys. */
  assetId?: string | undefined;
}

export interface DiscloseOptions {
  /** Leaves the values out of the evidence. A verifier then also needs the document that {@link Cert.expose} returns. Default: false. */
  detached?: boolean | undefined;
}

export interface Cert extends Freeable {
  /**
   * Makes evidence that reveals less than the given evidence. This needs no key, so anyone who has evidence can do it. Omit the document
   * if the evidence has values.
   */
  reduce(evidence: Evidence, paths: readonly Path[], options?: DiscloseOptions): Promise<Evidence>;
  reduce(document: Data, evidence: Evidence, paths: readonly Path[], options?: DiscloseOptions): Promise<Evidence>;
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

/** Returns a document key: 32 bytes from a cryptographic random number generator. */
export function generateKey(): Uint8Array;

/**
 * Loads the WebAssembly. In browsers, await this function before anything else. In Node and other servers, the WebAssembly is loaded at its
 * first use. Without a `source`, the function loads the package's own WebAssembly.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;
