// Replaces the Rust program's bindings with a program whose events trap on demand, with a real WebAssembly trap.
let instance = 1;
const state = { criticalError: false };

// (module (func (export "trap") unreachable))
const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 11];
export { bytes };
let trap;
export function provide(module) {
  trap = new WebAssembly.Instance(module).exports.trap;
}

export const __worker_init_state = () => state;
export const __wbg_reset_state = () => void instance++;

/** Returns a promise in the state in which a trap leaves it: never settled, while a timer is still pending. */
const lost = () => {
  setTimeout(() => {}, 20_000);
  return new Promise(() => {});
};
const seen = new Map();

/** Returns a function that polls a request like the Rust program: it notes the request, works, and clears the note unless the work traps. */
const polling = (request, work) => () => {
  globalThis.assayPolling(request);
  work();
  globalThis.assayPolling(undefined);
};

/** Counts a call with this key. Returns the number of calls so far, including this one. */
function times(key) {
  seen.set(key, (seen.get(key) ?? 0) + 1);
  return seen.get(key);
}

export function fetch(request, env, ctx) {
  const { pathname } = new URL(request.url);
  switch (pathname) {
    case "/instance":
      return Promise.resolve(new Response(String(instance)));
    case "/trap":
      times(request.url);
      return trap();
    case "/trap-later":
      times(request.url);
      // Traps in a later poll: the trap ends a callback, and the request's own promise is never settled.
      setTimeout(() => queueMicrotask(polling(request, trap)), 20);
      return lost();
    case "/panic-later":
      // Does what the panic hook does: sets `criticalError` first, then traps.
      times(request.url);
      setTimeout(
        polling(request, () => {
          state.criticalError = true;
          trap();
        }),
        20,
      );
      return lost();
    case "/trap-after-answer":
      // Traps in background work after the answer, so no client waits for the work.
      ctx.waitUntil(lost());
      setTimeout(() => queueMicrotask(trap), 20);
      return Promise.resolve(new Response("answered"));
    case "/times":
      return Promise.resolve(new Response(String(seen.get(request.headers.get("x-key")) ?? 0)));
    case "/waiting":
      return times(`${request.method} ${request.url}`) === 1 ? lost() : Promise.resolve(new Response(`instance ${instance}`));
    case "/waiting-so-far":
      return Promise.resolve(new Response(String([...seen.keys()].filter((key) => key.includes("/waiting?")).length)));
    case "/slow":
      times("begun");
      return new Promise((resolve) => setTimeout(resolve, 200)).then(() => {
        times("ended");
        return new Response("slow");
      });
    case "/error":
      return Promise.reject(new Error("a secret detail"));
    case "/range-error":
      return Promise.reject(new RangeError("status out of range"));
    case "/outlives":
      ctx.waitUntil(lost());
      return Promise.resolve(new Response("answered"));
    case "/enqueue":
      return env.JOBS.send("once").then(() => new Response("sent"));
    case "/deliveries":
      return Promise.resolve(new Response(String(seen.get("delivery") ?? 0)));
    case "/ticks":
      return Promise.resolve(new Response(String(seen.get("tick") ?? 0)));
    case "/write":
      return env.DB.prepare("INSERT INTO d1_migrations (name) VALUES ('written by the test')")
        .run()
        .then(() => new Response("written"));
    case "/read":
      return env.DB.prepare("SELECT name FROM d1_migrations ORDER BY id")
        .all()
        .then(({ results }) => Response.json(results.map((row) => row.name)));
    case "/out":
      return globalThis.fetch(request.headers.get("x-target")).then(
        (answer) => answer.text().then((text) => new Response(text)),
        () => new Response("refused", { status: 502 }),
      );
    case "/version":
      return Promise.resolve(new Response(VERSION));
    default:
      return Promise.resolve(new Response("no such path", { status: 404 }));
  }
}

export function queue() {
  return times("delivery") === 1 ? trap() : Promise.resolve();
}

export function scheduled() {
  return times("tick") === 1 ? trap() : Promise.resolve();
}
