// Waits for work that the service continues after an answer.
import { setTimeout as sleep } from "node:timers/promises";

/** The longest wait for such work, in milliseconds. It only ends a test that would never end, and is long because a busy machine is slow. */
export const PATIENCE = 240_000;

/** Calls `look` repeatedly, with a pause in milliseconds. Returns the first value that `enough` accepts, or the last value after the timeout. */
export async function until(look, enough = Boolean, pause = 200) {
  for (const end = Date.now() + PATIENCE; ; await sleep(pause)) {
    const seen = await look();
    if (enough(seen) || Date.now() > end) return seen;
  }
}
