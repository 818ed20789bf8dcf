// The Worker as the runtime loads it: hands every event to the Rust program and stays correct when that program aborts.
//
// A panic in WebAssembly is a trap: no destructor runs, locks stay taken, and every future of the instance is lost, those of
// other requests included. So a trap ends the instance: what was in flight is told at once, and the next event meets a new one.
// Answers that are safe to compute again (GET, HEAD) are, unless the trap was that request's own doing: it would do it again, and
// take others down once more. Everything else is the caller's decision, who gets the contract's 500000.
import { WorkerEntrypoint } from "cloudflare:workers";
import * as rust from "rust-bindings";

/** The events in flight, each with the end of the promise that races with the Rust program's. */
const inFlight = new Set();
let poisoned = false;
/** The request that the Rust program works on, and the one in whose work it trapped. */
let polled;
let trapped;

// Called by the Rust program before and after it works on a request. Whose work has not ended when the next one's begins has trapped,
// though the runtime may say so only later.
globalThis.assayPolling = (request) => {
  if (request !== undefined) trapped ??= polled;
  polled = request;
};

// Called by the Rust program with a batch as JSON: the rows of each statement as JSON, or a rejection with the reason as text.
globalThis.assayBatch = async (database, text) => {
  try {
    const statements = JSON.parse(text).map(([sql, values]) => database.prepare(sql).bind(...values));
    const results = await database.batch(statements);
    return JSON.stringify(results.map(({ results }) => results));
  } catch (error) {
    throw [error?.message ?? error, error?.cause?.message].filter(Boolean).join(": ");
  }
};

// Called by the Rust program: the first bytes of a request's body, `limit` at most. `drain` reads the rest.
globalThis.assayRead = async ({ body }, limit) => {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  try {
    const parts = [];
    for (let left = limit; left > 0; ) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value.subarray(0, left));
      left -= parts.at(-1).byteLength;
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  } finally {
    reader.releaseLock();
  }
};

/** Bytes of a large answer that are written at a time. */
const PART = 64 << 10;

// Called by the Rust program with a large answer's body: its stream, and how much of it the client has taken. The stream goes on without
// the program, so that an answer outlives a trap of another request.
globalThis.assaySend = (body) => {
  const { readable, writable } = new FixedLengthStream(body.byteLength);
  const writer = writable.getWriter();
  const sending = { readable, sent: 0 };
  // A stream is its own request's, so another request cannot abort it: it ends the wait for the client.
  const stopped = new Promise((_, reject) => {
    sending.end = () => reject(new Error("the client did not read the answer"));
  });
  const write = async () => {
    try {
      while (sending.sent < body.byteLength) {
        const part = body.subarray(sending.sent, sending.sent + PART);
        await Promise.race([writer.write(part), stopped]);
        sending.sent += part.byteLength;
      }
      await Promise.race([writer.close(), stopped]);
    } catch (error) {
      // The client went away, or the answer was ended to make room for others.
      writer.abort(error).catch(() => {});
    } finally {
      // Frees the memory now, whenever the collector runs.
      body.buffer.transfer(0);
    }
  };
  stopped.catch(() => {});
  sending.ended = write();
  return sending;
};

class Aborted extends Error {
  name = "Aborted";
  /** `own`: whether it was this event's doing. */
  constructor(cause, own) {
    super("the program aborted while this event was in flight", { cause });
    this.own = own;
  }
}

/** Whether an error is a trap of WebAssembly; it shares the stack of JavaScript, whose overflow is a RangeError. */
function isTrap(error) {
  return error instanceof WebAssembly.RuntimeError || (error instanceof RangeError && /call stack/.test(error.message));
}

/** Ends the instance; `culprit` is the argument of the event whose doing it was, where that is known. */
function abort(cause, culprit = trapped ?? polled) {
  if (poisoned) return;
  poisoned = true;
  console.error(JSON.stringify({ event: "abort", inFlight: inFlight.size, cause: String(cause) }));
  // Not before the trap has left the old instance's frames, and before anything below runs. Late callbacks of the old
  // instance must not enter the new one either, and the bindings refuse them only once their instance number is outdated.
  queueMicrotask(renew);
  for (const { argument, reject } of inFlight) reject(new Aborted(cause, argument === culprit));
  inFlight.clear();
}

function renew() {
  if (!poisoned) return;
  rust.__wbg_reset_state();
  poisoned = false;
  polled = trapped = undefined;
}

// The panic hook of the worker crate sets this property, at the moment of the panic: no event says it earlier.
Object.defineProperty(rust.__worker_init_state(), "criticalError", {
  get: () => poisoned,
  set: (value) => value && abort("panic"),
});

// Traps without a panic (memory, stack) in a continuation surface nowhere else.
addEventListener("error", (event) => isTrap(event.error) && abort(event.error));
addEventListener("unhandledrejection", (event) => isTrap(event.reason) && abort(event.reason));

/** Runs one event handler of the Rust program; rejects as soon as its instance is lost. */
async function run(handler, argument, env, ctx) {
  renew();
  let reject;
  const aborted = new Promise((_, no) => {
    reject = no;
  });
  // Work that outlives the answer loses its instance too: without this, it would hold the event open until the runtime's limit.
  const context = {
    waitUntil: (work) => ctx.waitUntil(Promise.race([work, aborted])),
    passThroughOnException: () => ctx.passThroughOnException(),
    props: ctx.props,
  };
  const event = { argument, reject };
  inFlight.add(event);
  try {
    const work = handler(argument, env, context);
    // The runtime would drop the work of a client that went away wherever it stands: with its leases and what it holds of budgets.
    ctx.waitUntil(Promise.race([work, aborted]).then(() => {}, () => {}));
    return await Promise.race([work, aborted]);
  } catch (error) {
    if (isTrap(error)) {
      abort(error, argument);
      throw new Aborted(error, true);
    }
    throw error;
  } finally {
    inFlight.delete(event);
  }
}

/** Bytes that are read of a body beyond those that the service wants, and the milliseconds for it. */
const DRAINED = 16 << 20;
const DRAINED_WITHIN = 10_000;

/**
 * Reads the rest of a body that is too large, or that no route wants. A client that still sends would find its connection closed, and never
 * read the answer.
 */
async function drain(body) {
  const reader = body.getReader();
  const timer = setTimeout(() => reader.cancel().catch(() => {}), DRAINED_WITHIN);
  try {
    for (let left = DRAINED; left > 0; ) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.byteLength;
    }
    await reader.cancel();
  } finally {
    clearTimeout(timer);
  }
}

export default class extends WorkerEntrypoint {
  async fetch(request) {
    const repeatable = request.method === "GET" || request.method === "HEAD";
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await run(rust.fetch, request, this.env, this.ctx);
        if (request.body) await drain(request.body).catch(() => {});
        return answer;
      } catch (error) {
        if (error instanceof Aborted && !error.own && repeatable && attempt === 1) continue;
        console.error(JSON.stringify({ event: "unhandled", method: request.method, error: String(error) }));
        return unhandled();
      }
    }
  }

  // A batch or a tick that fails is delivered again by the platform.
  queue(batch) {
    return run(rust.queue, batch, this.env, this.ctx);
  }

  scheduled(event) {
    return run(rust.scheduled, event, this.env, this.ctx);
  }
}

/** The contract's answer to an error that nothing handled; the error's own text stays in the log. */
function unhandled() {
  const id = crypto.randomUUID();
  const body = { id, status: 500, errors: [{ code: 500000, message: "the service failed in a way it did not foresee", path: "" }] };
  return Response.json(body, {
    status: 500,
    headers: { "access-control-allow-origin": "*", "cache-control": "no-store", "x-request-id": id },
  });
}
