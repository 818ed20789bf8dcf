// The bounds that must hold under attack, and functions that create bounds.

export const MEGABYTE = 1 << 20;
/** The memory limit of an isolate (Workers, "Limits"). */
export const ISOLATE_BYTES = 128 * MEGABYTE;
/**
 * The maximum growth of the runtime's process under an attack with many connections. Beside the isolate, the process holds the connections,
 * the database and uncollected garbage.
 */
const CONNECTED_BYTES = 2 * ISOLATE_BYTES;
/**
 * The heap limit of every isolate in megabytes, for attacks with thousands of requests. The local runtime sets no limit. Its garbage then grows
 * with the number of requests, and would hide a leak.
 *
 * Without a limit, 2,160 requests for `/health`, which store nothing, make the runtime grow by 160 MiB. 12,000 such requests make it grow by
 * 560 MiB. 2,160 registrations make it grow by 350 MiB, although the service's heap then has only 14 MiB. If an isolate retains more than the
 * limit, the runtime ends and the attack fails.
 */
export const HEAP_MEGABYTES = 24;
/** The maximum delay of other clients' requests, in milliseconds. No request may block other clients for longer. */
const STALL_MS = 2_000;
export const atMost = (what, value, limit, unit) => ({ what, value, limit, unit, holds: value === undefined || value <= limit });
export const exactly = (what, value, wanted, unit) => ({ what, value, limit: wanted, unit, holds: value === wanted });

/** Marks a bound that depends on the machine's speed. Measurements check it, tests do not. */
export const timed = (bound) => ({ ...bound, timed: true });

/** The bounds of every attack. */
export const common = ({ memory, stall, failed }, most = CONNECTED_BYTES) => [
  atMost("growth of the runtime's process", memory && Math.round(memory / MEGABYTE), most / MEGABYTE, "MiB"),
  timed(atMost("longest wait of another client", Math.round(stall), STALL_MS, "ms")),
  exactly("requests of another client without a successful answer", failed, 0, "requests"),
];
