// Waiting for a record to become what it can become.
import { WaitError } from "./errors.js";
import { sleep } from "./http.js";
import type { Status } from "./enumerations.js";
import type { Envelope, RecordError } from "./types.js";
import { RequestStatus } from "./enumerations.js";

export interface WaitOptions {
  /** How long to wait at most, in milliseconds; a minute unless told. */
  timeout?: number;
  /** The pause between looks, in milliseconds; a second unless told. */
  interval?: number;
  /** From SUCCESS (3) on the ledger has applied it; FINALIZED (7), the default, cannot be undone. */
  until?: 3 | 7;
  signal?: AbortSignal;
}

interface Watched {
  ref: string;
  status: Status;
  error: RecordError | null;
}

/** The envelope of a record as soon as it is done. */
export async function waitFor<Data extends Watched, Info>(
  look: (signal: AbortSignal | undefined) => Promise<Envelope<Data, Info>>,
  { timeout = 60_000, interval = 1000, until = RequestStatus.FINALIZED as 7, signal }: WaitOptions = {},
): Promise<Envelope<Data, Info>> {
  const end = Date.now() + timeout;
  for (;;) {
    const seen = await look(signal);
    const { ref, status, error } = seen.data;
    if (status === RequestStatus.FINALIZED || status === until) return seen;
    if (status === RequestStatus.FAILURE) {
      throw new WaitError("failed", `\`${ref}\` failed: ${error ? `${error.code}: ${error.message}` : "no reason is given"}`, seen);
    }
    if (status === RequestStatus.CANCELED) throw new WaitError("canceled", `\`${ref}\` was canceled`, seen);
    const left = end - Date.now();
    if (left <= 0) throw new WaitError("timeout", `\`${ref}\` is still in status ${status} after ${timeout} ms`, seen);
    await sleep(Math.min(interval, left), signal);
  }
}
