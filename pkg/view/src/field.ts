// The findings about a document, as pages show them.
import type { Path } from './json.ts';

/**
 * The status of a value:
 *
 * - `proven`, `not-proven` and `not-covered` are the certification library's.
 * - `untrusted`: the evidence proves the value, but there is no imprint to compare the evidence with.
 * - `unchecked`: the value was not checked yet.
 */
export type FieldStatus = 'proven' | 'not-proven' | 'not-covered' | 'untrusted' | 'unchecked';

/** A value of a document, with its finding. `certified` is present if the evidence has another value. */
export interface Field {
  path: Path;
  value: unknown;
  status: FieldStatus;
  /** The code of the reason. Null for a proven value. */
  reason?: string | null | undefined;
  certified?: unknown;
}

/** A field that the schema describes and the document lacks. `absent` is true if the evidence proves that there is no value. */
export interface HiddenField {
  path: Path;
  absent: boolean;
}

/** The finding about the length of a list. `length` is null if the evidence does not prove the number of items. */
export interface ListFinding {
  path: Path;
  length: number | null;
  complete: boolean;
  atMost?: number;
}
