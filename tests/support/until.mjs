// Patience with work that follows an answer.
import { setTimeout as sleep } from "node:timers/promises";

/** How long such work may take, in milliseconds. */
const PATIENCE = 60_000;

/** The first value with which `enough` agrees, or the last one when patience ends. */
export async function until(look, enough) {
  for (const end = Date.now() + PATIENCE; ; await sleep(200)) {
    const seen = await look();
    if (enough(seen) || Date.now() > end) return seen;
  }
}
