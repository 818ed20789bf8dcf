import type { Data, Freeable, Json, Path, WasmSource } from '../../dist/index.js';
import type { Evidence, Report, VerifyOptions } from '../../verify/dist/index.js';

export { CertError } from '../../dist/index.js';
export type { CertErrorCode, Data, Freeable, Json, Path } from '../../dist/index.js';
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
  /** The document key, 32 bytes of one document only: {@link generateKey} draws one. Whoever loses it can make no further evidence. */
  key?: ArrayBuffer | ArrayBufferView | undefined;
  /** In place of `key`: at least 32 random bytes, from which the key of each document is derived. */
  secret?: ArrayBuffer | ArrayBufferView | undefined;
  /** With `secret`: the id of the asset, so that two assets of the same content have different keys. */
  assetId?: string | undefined;
}

export interface DiscloseOptions {
  /** Whether the evidence goes without its values, and with the document of {@link Cert.expose}. Default: with them. */
  detached?: boolean | undefined;
}

export interface Cert extends Freeable {
  /**
   * Evidence for less than other evidence opens, which takes no key: what a holder, or whoever was shown a part, passes on. The document
   * is left out where the evidence has values.
   */
  reduce(evidence: Evidence, paths: readonly Path[], options?: DiscloseOptions): Promise<Evidence>;
  reduce(document: Data, evidence: Evidence, paths: readonly Path[], options?: DiscloseOptions): Promise<Evidence>;
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

/** A document key: 32 bytes from a cryptographic random number generator. */
export function generateKey(): Uint8Array;

/**
 * Loads the WebAssembly: in browsers to be awaited before anything else; in Node and workerd it is
 * there already. Without a `source` it is fetched from beside this package's own modules.
 */
export function init(source?: WasmSource | PromiseLike<WasmSource>): Promise<void>;
