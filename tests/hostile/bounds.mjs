// Bounds of the hostile set.

export const MEGABYTE = 1 << 20;
/** An isolate's memory at most (Workers, "Limits"). */
export const ISOLATE_BYTES = 128 * MEGABYTE;
/**
 * Growth of the runtime's process at most under an attack by many connections: beside the isolate, the process holds the connections,
 * the database and uncollected garbage.
 */
const CONNECTED_BYTES = 2 * ISOLATE_BYTES;
/** Milliseconds that somebody else may wait: no request may work for longer without letting others by. */
const STALL_MS = 2_000;
export const atMost = (what, value, limit, unit) => ({ what, value, limit, unit, holds: value === undefined || value <= limit });
export const exactly = (what, value, wanted, unit) => ({ what, value, limit: wanted, unit, holds: value === wanted });

/** A bound that says as much of the machine as of the service: a measurement has it, a test has not. */
export const timed = (bound) => ({ ...bound, timed: true });

/** The bounds of every attack. */
export const common = ({ memory, stall, failed }, most = CONNECTED_BYTES) => [
  atMost("the runtime grows by", memory && Math.round(memory / MEGABYTE), most / MEGABYTE, "MiB"),
  timed(atMost("somebody else waits", Math.round(stall), STALL_MS, "ms")),
  exactly("somebody else is not answered", failed, 0, "times"),
];
