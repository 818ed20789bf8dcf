// The Worker's entry point: passes each event to the Rust program, and keeps the Worker working when that program aborts.
//
// A panic in WebAssembly is a trap: no destructor runs, locks stay taken, and all futures of the instance are lost, even for
// other requests. A trap therefore ends the instance. Events in flight fail immediately, and the next event gets a new instance.
// GET and HEAD requests run once more, because that is safe. The exception is the request that caused the trap: it would trap
// again and end other requests too. Requests that do not run again get the contract's 500000, so the caller decides about a retry.
//
// If a client closes its connection, the runtime abandons the request at its current await. Its share of a memory budget and its lease would then
// never be released, so the Worker finishes such requests.
import { WorkerEntrypoint } from "cloudflare:workers";
import * as rust from "rust-bindings";

/** The events in flight. Each has a function that rejects the event's promise when the instance is lost. */
const inFlight = new Set();
let poisoned = false;
/** The request that the Rust program is polling, and the request whose poll trapped. */
let polled;
let trapped;

// Called by the Rust program with a request before it polls the request, and with `undefined` after it. If a poll has not ended when the
// next poll begins, it has trapped, even if the runtime has not reported the trap yet.
globalThis.assayPolling = (request) => {
  if (request !== undefined) trapped ??= polled;
  polled = request;
};

// Called by the Rust program. Returns the request's headers as JSON, `[[name, value], …]`: one call instead of three for each header.
globalThis.assayHeaders = (request) => JSON.stringify([...request.headers]);

// Called by the Rust program with a batch as JSON. Resolves to the rows of each statement as JSON, or rejects with the reason as text.
let bytes;
globalThis.assayBatch = async (database, text) => {
  try {
    const statements = JSON.parse(text).map(([sql, values]) => database.prepare(sql).bind(...values));
    const results = await database.batch(statements);
    bytes = results.at(-1)?.meta?.size_after ?? bytes;
    return JSON.stringify(results.map(({ results }) => results));
  } catch (error) {
    throw [error?.message ?? error, error?.cause?.message].filter(Boolean).join(": ");
  }
};

// Called by the Rust program. Returns the size of the database in bytes after the last batch of this isolate.
globalThis.assayBytes = () => bytes;

// Called by the Rust program. `start` is a bookmark, `first-primary` or `first-unconstrained`.
globalThis.assaySession = (database, start) => database.withSession(start);
globalThis.assayBookmark = (session) => session.getBookmark() ?? undefined;

// Called by the Rust program. Resolves to the first bytes of a request's body, at most `limit`. `drain` reads the rest.
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

/** Number of bytes of a copied object that are uploaded at a time. R2 needs at least 5 MiB for all parts but the last. */
const COPIED = 8 << 20;

// Called by the Rust program. Stores the content at an address as an object of a bucket, part by part. Resolves to its bytes, or rejects with the
// reason as text. Without `complete`, the bucket has no object.
globalThis.assayCopy = async (bucket, key, address, most) => {
  let upload;
  try {
    const answer = await fetch(address, { redirect: "manual" });
    if (answer.status !== 200 || !answer.body) throw new Error(`the address answered ${answer.status}`);
    upload = await bucket.createMultipartUpload(key);
    const parts = [];
    const part = new Uint8Array(COPIED);
    let [filled, total] = [0, 0];
    const send = async () => {
      parts.push(await upload.uploadPart(parts.length + 1, part.slice(0, filled)));
      filled = 0;
    };
    for await (const chunk of answer.body) {
      total += chunk.byteLength;
      if (total > most) throw new Error(`the content has more than ${most} bytes`);
      for (let taken = 0; taken < chunk.byteLength; ) {
        const piece = chunk.subarray(taken, taken + COPIED - filled);
        part.set(piece, filled);
        filled += piece.byteLength;
        taken += piece.byteLength;
        if (filled === COPIED) await send();
      }
    }
    if (total === 0) throw new Error("the content is empty");
    if (filled > 0) await send();
    await upload.complete(parts);
    return total;
  } catch (error) {
    await upload?.abort().catch(() => {});
    throw String(error?.message ?? error);
  }
};

/** The requests that were answered without the Rust program since it last asked. */
let aborted = 0;
globalThis.assayAborted = () => {
  const answers = aborted;
  aborted = 0;
  return answers;
};

/** Number of bytes of a large answer that are written at a time. */
const PART = 64 << 10;

// Called by the Rust program with the body of a large answer. Returns the body as a stream, and the number of bytes that the client has
// read so far. The stream does not depend on the Rust program, so the answer outlives a trap of another request.
globalThis.assaySend = (body) => {
  const { readable, writable } = new FixedLengthStream(body.byteLength);
  const writer = writable.getWriter();
  const sending = { readable, sent: 0 };
  // The stream belongs to its request, so another request cannot abort the stream. It can only end the wait for the client, by `end`.
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
      // Frees the memory now instead of at the next garbage collection.
      body.buffer.transfer(0);
    }
  };
  stopped.catch(() => {});
  sending.ended = write();
  return sending;
};

class Aborted extends Error {
  name = "Aborted";
  /** `own` is true if this event caused the abort. */
  constructor(cause, own) {
    super("the program aborted while this event was in flight", { cause });
    this.own = own;
  }
}

/** Returns true for a trap of WebAssembly. A stack overflow in WebAssembly is a RangeError, because WebAssembly and JavaScript share one stack. */
function isTrap(error) {
  return error instanceof WebAssembly.RuntimeError || (error instanceof RangeError && /call stack/.test(error.message));
}

/** Ends the instance. `culprit` is the argument of the event that caused the abort, if known. */
function abort(cause, culprit = trapped ?? polled) {
  if (poisoned) return;
  poisoned = true;
  console.error(JSON.stringify({ event: "abort", inFlight: inFlight.size, cause: String(cause) }));
  // The new instance must start after the trap has left the old instance's frames, but before the rejections below take effect. Late
  // callbacks of the old instance must not enter the new one. The bindings refuse them only after the new instance has started.
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

// The worker crate's panic hook sets this property at the moment of the panic. No event reports a panic earlier.
Object.defineProperty(rust.__worker_init_state(), "criticalError", {
  get: () => poisoned,
  set: (value) => value && abort("panic"),
});

// A continuation can trap without a panic, for example on a stack overflow. Such a trap is visible only here.
addEventListener("error", (event) => isTrap(event.error) && abort(event.error));
addEventListener("unhandledrejection", (event) => isTrap(event.reason) && abort(event.reason));

/** Runs an event handler of the Rust program. Rejects as soon as the program's instance is lost. */
async function run(handler, argument, env, ctx) {
  renew();
  let reject;
  const aborted = new Promise((_, no) => {
    reject = no;
  });
  // If the instance is lost, its work after the answer never ends. Without this race, that work would keep the event open until the
  // runtime's limit.
  const context = {
    waitUntil: (work) => ctx.waitUntil(Promise.race([work, aborted])),
    passThroughOnException: () => ctx.passThroughOnException(),
    props: ctx.props,
  };
  const event = { argument, reject };
  inFlight.add(event);
  try {
    const work = handler(argument, env, context);
    // Without this, the runtime would abandon a request whose client goes away. The leases and budget shares of the request would then
    // not be released.
    ctx.waitUntil(
      Promise.race([work, aborted]).then(
        () => {},
        () => {},
      ),
    );
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

/** Maximum bytes of a body that are read and discarded, and maximum milliseconds for reading them. */
const DRAINED = 16 << 20;
const DRAINED_WITHIN = 10_000;

/**
 * Reads the rest of a body that is too large, or that the route does not read. Otherwise the connection would close while the client is
 * still sending, and the client would never read the answer.
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

  // The platform delivers a failed batch again. After a failed scheduled event, the next scheduled event does its work.
  queue(batch) {
    return run(rust.queue, batch, this.env, this.ctx);
  }

  scheduled(event) {
    return run(rust.scheduled, event, this.env, this.ctx);
  }
}

/** Returns the contract's answer for an unhandled error. The error's own text appears only in the log. */
function unhandled() {
  aborted += 1;
  const id = crypto.randomUUID();
  const body = { id, status: 500, errors: [{ code: 500000, message: "the service failed in a way it did not foresee", path: "" }] };
  return Response.json(body, {
    status: 500,
    headers: { "access-control-allow-origin": "*", "cache-control": "no-store", "x-request-id": id },
  });
}
