// Ending what takes too long, or is no longer wanted.

/** The longest time that a timer takes; a longer one would go off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits, unless the signal ends it. */
export function sleep(time: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const slept = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.min(time, LONGEST_TIMER))));
  return unless(signal, slept).finally(() => clearTimeout(timer));
}

/** The result of a promise, unless the signal ends it first. */
export function unless<Value>(signal: AbortSignal | undefined, promise: Promise<Value>): Promise<Value> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Runs something with a signal that ends with the caller's, and after `time` milliseconds with what `late` gives. */
export async function within<Value>(
  time: number,
  late: () => Error,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
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
