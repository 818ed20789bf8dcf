// Timeouts and cancellation.
import type { AbortSignal } from "./host.js";

/** The longest delay of a timer, in milliseconds. A timer with a longer delay fires immediately. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits `time` milliseconds. Rejects if the signal is aborted. */
export function sleep(time: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const slept = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.min(time, LONGEST_TIMER))));
  return unless(signal, slept).finally(() => clearTimeout(timer));
}

/** Returns the result of a promise. Rejects if the signal is aborted first. */
export function unless<Value>(signal: AbortSignal | undefined, promise: Promise<Value>): Promise<Value> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Calls `run` with a signal. The signal is aborted together with the caller's signal, or after `time` milliseconds with the error that `late` returns. */
export async function within<Value>(time: number, late: () => Error, signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
  const abort = new AbortController();
  const forward = () => abort.abort(signal?.reason);
  if (signal?.aborted) forward();
  signal?.addEventListener("abort", forward, { once: true });
  const timer = setTimeout(() => abort.abort(late()), Math.min(time, LONGEST_TIMER));
  try {
    return await run(abort.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", forward);
  }
}
