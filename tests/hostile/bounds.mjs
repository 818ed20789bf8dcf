// Bounds of the hostile set.

export const MEGABYTE = 1 << 20;
/** The memory limit of an isolate (Workers, "Limits"). */
export const ISOLATE_BYTES = 128 * MEGABYTE;
/**
 * The maximum growth of the runtime's process under an attack with many connections. Beside the isolate, the process holds the connections,
 * the database and uncollected garbage.
 */
const CONNECTED_BYTES = 2 * ISOLATE_BYTES;
/**
 * Heap limit in megabytes of every isolate, for attacks of thousands of requests. The local runtime sets no limit, so its garbage grows
 * with the number of requests and would hide a leak. Figures without a limit: 2,160 requests for `/health`, which store nothing, make the
 * runtime grow by 160 MiB, and 12,000 such requests by 560 MiB. 2,160 registrations make it grow by 350 MiB, of which the service's heap
 * uses 14 MiB. An isolate that retains more than the limit ends the runtime, and the attack fails.
 */
export const HEAP_MEGABYTES = 24;
/** The maximum delay of other clients' requests, in milliseconds: no request may block others for longer. */
const STALL_MS = 2_000;
export const atMost = (what, value, limit, unit) => ({ what, value, limit, unit, holds: value === undefined || value <= limit });
export const exactly = (what, value, wanted, unit) => ({ what, value, limit: wanted, unit, holds: value === wanted });

/** Marks a bound that depends on the machine's speed. Measurements check it, tests do not. */
export const timed = (bound) => ({ ...bound, timed: true });

/** The bounds of every attack. */
export const common = ({ memory, stall, failed }, most = CONNECTED_BYTES) => [
  atMost("growth of the runtime's process", memory && Math.round(memory / MEGABYTE), most / MEGABYTE, "MiB"),
  timed(atMost("longest wait of another client", Math.round(stall), STALL_MS, "ms")),
  exactly("requests of another client without an answer", failed, 0, "requests"),
];
