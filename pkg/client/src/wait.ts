// Waits until a record is done.
import { sleep, within } from "./abort.js";
import type { AbortSignal } from "./host.js";
import { WaitError } from "./errors.js";
import { passes } from "./http.js";
import { named, notAnOption } from "./named.js";
import type { Approval, Deployment, Envelope, Order } from "./types.js";
import { RequestStatus } from "./enumerations.js";

export interface WaitOptions {
  /** The maximum time to wait, in milliseconds. Defaults to 60,000. */
  timeout?: number | undefined;
  /** The pause between requests, in milliseconds. Defaults to 1,000. */
  interval?: number | undefined;
  /** The status to wait for. At SUCCESS (3) the ledger has applied the record. At FINALIZED (7), the default, it cannot be undone. */
  until?: 3 | 7 | undefined;
  signal?: AbortSignal | undefined;
}

/** Returns the checked options. A pause of zero would flood the service, and a timeout that is not a number would end the wait immediately. */
function waiting(options: WaitOptions | undefined) {
  const { timeout = 60_000, interval = 1000, until = RequestStatus.FINALIZED, signal } = named(options, ["timeout", "interval", "until", "signal"]) as WaitOptions;
  if (!(typeof interval === "number" && interval > 0)) throw notAnOption("`interval` must be a number of milliseconds above 0");
  if (!(typeof timeout === "number" && timeout >= 0)) throw notAnOption("`timeout` must be a number of milliseconds, 0 or more");
  if (until !== RequestStatus.FINALIZED && until !== RequestStatus.SUCCESS) throw notAnOption("`until` must be 3 (SUCCESS) or 7 (FINALIZED)");
  return { timeout, interval, until, signal };
}

/** Resolves to the envelope of a record when the record has the status `until` or FINALIZED. Rejects with a `WaitError` if the record fails, is canceled or takes too long. */
export async function waitFor<Data extends Order | Deployment | Approval, Info extends object>(
  reference: string,
  look: (signal: AbortSignal) => Promise<Envelope<Data, Info>>,
  options: WaitOptions | undefined,
): Promise<Envelope<Data, Info>> {
  const { timeout, interval, until, signal } = waiting(options);
  let seen: Envelope<Data, Info> | null = null;
  const late = () => {
    const state = seen ? `still in status ${seen.data.status}` : "not known";
    return new WaitError("timeout", `\`${reference}\` is ${state} after ${timeout} ms`, seen);
  };
  return within(timeout, late, signal, async (signal) => {
    for (;;) {
      try {
        seen = await look(signal);
      } catch (error) {
        // Transient errors do not end the waiting. `timeout` bounds it.
        if (signal.aborted || !passes(error)) throw error;
        await sleep(interval, signal);
        continue;
      }
      const { status, error } = seen.data;
      if (status === RequestStatus.FINALIZED || status === until) return seen;
      if (status === RequestStatus.FAILURE) {
        throw new WaitError("failed", `\`${reference}\` failed: ${error ? `${error.code}: ${error.message}` : "no reason is given"}`, seen);
      }
      if (status === RequestStatus.CANCELED) throw new WaitError("canceled", `\`${reference}\` was canceled`, seen);
      await sleep(interval, signal);
    }
  });
}
