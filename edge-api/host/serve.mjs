// Serves the built Worker on this machine, in workerd: `cargo xtask dev` and the tests run the same server.
//
//   node edge-api/host/serve.mjs [options]
//
//   --port N              port on 127.0.0.1; 0, the default, picks a free one
//   --state DIR           keeps the state there (databases, cache, …), readable by this user alone; by default the state is deleted at the end
//   --var NAME=VALUE      overrides a setting of wrangler.jsonc; may be repeated
//   --sweep-every SECONDS runs the scheduled handler at the start and then at this interval; 0, the default, never runs it
//   --private-network     lets the Worker's own requests reach loopback and private addresses
//   --loopback-only       lets the Worker's own requests reach only this machine
//   --dist DIR            the build to serve, instead of edge-api/dist
//   --config FILE         wrangler's configuration, instead of edge-api/wrangler.jsonc
//   --quiet               logs only warnings and errors, not each request
//   --watch               serves each new build, new migration and change of wrangler.jsonc immediately
//
// As soon as requests are answered, prints one line of JSON: {"ready":true,"url":"http://127.0.0.1:…","weakening":[…]}. `weakening`
// lists the same settings as `GET /health`. With --watch it prints {"reloaded":true,"url":…} after each successful reload. Logs go to
// standard error. The server ends on SIGTERM, on SIGINT and when standard input ends, so it never outlives the test or terminal that started it.
import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { parseArgs } from "node:util";
import { Log, LogLevel, Miniflare } from "miniflare";
import { applyMigrations } from "./migrations.mjs";
import { home, readConfiguration, simulatorOptions } from "./runtime.mjs";

const HOST = "127.0.0.1";

/** Log levels that are shown even with --quiet. */
const WRONG = new Set(["warn", "error"]);

/** Writes the simulator's messages to standard error, because programs read standard output. */
class ErrorLog extends Log {
  log(message) {
    process.stderr.write(`${message}\n`);
  }
}

function options() {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "0" },
      state: { type: "string" },
      var: { type: "string", multiple: true, default: [] },
      "sweep-every": { type: "string", default: "0" },
      "private-network": { type: "boolean", default: false },
      "loopback-only": { type: "boolean", default: false },
      dist: { type: "string", default: path.join(home, "dist") },
      config: { type: "string", default: path.join(home, "wrangler.jsonc") },
      watch: { type: "boolean", default: false },
      quiet: { type: "boolean", default: false },
    },
  });
  const vars = values.var.map((text) => {
    const end = text.indexOf("=");
    if (end < 1) throw new Error(`--var takes NAME=VALUE, not \`${text}\``);
    return [text.slice(0, end), text.slice(end + 1)];
  });
  return {
    port: number("port", values.port, 65535),
    sweepEvery: number("sweep-every", values["sweep-every"], 86400),
    state: values.state && path.resolve(values.state),
    vars: Object.fromEntries(vars),
    privateNetwork: values["private-network"],
    loopbackOnly: values["loopback-only"],
    dist: path.resolve(values.dist),
    config: path.resolve(values.config),
    watch: values.watch,
    quiet: values.quiet,
  };
}

function number(name, text, most) {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= most)) throw new Error(`--${name} takes a number from 0 to ${most}, not \`${text}\``);
  return value;
}

/** Returns the reason if a line of the Worker's log reports invalid settings, and otherwise undefined. */
function whyRefused(line) {
  try {
    const { event, why } = JSON.parse(line);
    return event === "configuration" ? why : undefined;
  } catch {
    return undefined;
  }
}

/** Fails with an explanation if the port is in use. The simulator's own error would not explain it. */
async function ensureFree(port) {
  if (port === 0) return;
  const probe = net.createServer();
  await new Promise((resolve, reject) => {
    probe.once("error", (error) => {
      const taken = error.code === "EADDRINUSE";
      reject(taken ? new Error(`port ${port} is in use by another program: choose one with --port, or --port 0 for a free one`) : error);
    });
    probe.listen(port, HOST, () => probe.close(resolve));
  });
}

/** The simulator's folders in a state folder. Other files are left alone, because the folder may have other uses. */
const STATE = ["cache", "d1", "kv", "queues", "r2", "ratelimit"];

/** Makes the state unreadable for other users: the files that this process creates, and the existing folders of the simulator. */
async function keepPrivate(state) {
  process.umask(0o077);
  if (!state) return;
  await mkdir(state, { recursive: true });
  for (const name of STATE) {
    await chmod(path.join(state, name), 0o700).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}

async function main() {
  const chosen = options();
  await keepPrivate(chosen.state);
  let configuration = await readConfiguration(chosen.config);
  await ensureFree(chosen.port);

  /** The Worker's message about an invalid setting. */
  let refused;
  const shared = {
    host: HOST,
    port: chosen.port,
    log: new ErrorLog(LogLevel.WARN),
    handleStructuredLogs: ({ level, message }) => {
      if (!chosen.quiet || WRONG.has(level)) process.stderr.write(`[worker ${level}] ${message}\n`);
      refused = whyRefused(message) ?? refused;
    },
  };
  const worker = async () => ({ ...shared, ...(await simulatorOptions(configuration, chosen)) });
  // The chosen port answers only after the migrations. Until then, the server has a port that no other program knows.
  const server = new Miniflare({ ...(await worker()), port: 0 });

  let ending = false;
  const end = async (code) => {
    if (ending) return;
    ending = true;
    // If workerd does not end in time, this process exits anyway, so the terminal is not blocked.
    setTimeout(() => process.exit(code), 3000).unref();
    await server.dispose();
    process.exit(code);
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => end(0));
  process.stdin
    .on("end", () => end(0))
    .on("error", () => end(0))
    .resume();

  /** Applies the missing migrations. The running Worker may be older, because migrations only add to the database. */
  const migrate = async () => {
    await server.ready;
    for (const { binding, migrations_dir, migrations_table } of configuration.d1_databases) {
      const names = await applyMigrations(await server.getD1Database(binding), path.resolve(path.dirname(chosen.config), migrations_dir), migrations_table);
      for (const name of names) process.stderr.write(`applied migration ${name}\n`);
    }
  };
  /** Requests the Worker's health. Returns the Worker's address and the settings that weaken it. */
  const examine = async () => {
    const { origin } = await server.ready;
    refused = undefined;
    const answer = await fetch(new URL("/health", origin));
    const health = await answer.json().catch(() => ({}));
    if (answer.status >= 500) {
      // The Worker's log message may arrive after its answer.
      for (let tries = 0; refused === undefined && tries < 20; tries++) await new Promise((resolve) => setTimeout(resolve, 50));
      throw new Error(refused === undefined ? `the Worker answers ${answer.status} at /health: ${health.errors?.[0]?.message ?? "its log says why"}` : `a setting is wrong: ${refused}`);
    }
    return { url: origin, weakening: health.data?.weakening };
  };
  const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  try {
    await migrate();
    if (chosen.port !== 0) await server.setOptions(await worker());
    say({ ready: true, ...(await examine()) });
    if (chosen.sweepEvery > 0) sweep(server, chosen.sweepEvery, () => ending);
    if (chosen.watch) {
      const watched = [chosen.dist, path.join(home, "migrations"), chosen.config];
      for await (const _ of changes(watched)) {
        try {
          configuration = await readConfiguration(chosen.config);
          await migrate();
          await server.setOptions(await worker());
          say({ reloaded: true, url: (await examine()).url });
        } catch (error) {
          process.stderr.write(`the new build could not be served: ${error.message}\n`);
        }
      }
    }
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    await end(1);
  }
}

/** Runs the scheduled handler immediately, and then repeatedly, with a pause of `seconds` after each run. */
async function sweep(server, seconds, ended) {
  while (!ended()) {
    try {
      const worker = await server.getWorker();
      await worker.scheduled({ scheduledTime: new Date(), cron: "* * * * *" });
    } catch (error) {
      if (!ended()) process.stderr.write(`the scheduled handler failed: ${error.message}\n`);
    }
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

/** Yields each time files have changed, appeared or disappeared. Waits until two successive checks find the same state. */
async function* changes(paths) {
  let served = await fingerprint(paths);
  let seen = served;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = await fingerprint(paths);
    if (now !== served && now === seen) {
      served = now;
      yield;
    }
    seen = now;
  }
}

/** Returns the names, sizes and times of the given files, and of all files in the given folders. */
async function fingerprint(paths) {
  const lines = await Promise.all(
    paths.map(async (top) => {
      const inside = await readdir(top, { recursive: true }).catch(() => []);
      const files = ["", ...inside.sort()].map((name) => path.join(top, name));
      return Promise.all(
        files.map(async (file) => {
          const found = await stat(file).catch(() => undefined);
          return found?.isFile() ? `${file} ${found.size} ${found.mtimeMs}` : "";
        }),
      );
    }),
  );
  return lines.flat().join("\n");
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
