// Serves the built Worker on this machine, in workerd: `cargo xtask dev` and the tests run the same server.
//
//   node edge-api/host/serve.mjs [options]
//
//   --port N              port on 127.0.0.1; 0, the default, picks a free one
//   --state DIR           keeps database and cache there, for this user alone; without it they are gone at the end
//   --var NAME=VALUE      a setting of the Worker, before those of wrangler.jsonc; may be repeated
//   --sweep-every SECONDS runs the scheduled handler at the start and then this often; 0, the default, never
//   --private-network     lets the Worker's own requests reach loopback and private addresses
//   --loopback-only       lets them reach this machine and nothing else
//   --dist DIR            the build to serve, instead of edge-api/dist
//   --quiet               logs what goes wrong, and not every request
//   --watch               serves a new build, a new migration and a change of wrangler.jsonc as soon as there is one
//
// Prints one line of JSON on standard output as soon as requests are answered, {"ready":true,"url":"http://127.0.0.1:…","weakening":[…]}: the
// settings are those that `GET /health` lists. With --watch it prints {"reloaded":true,"url":…} at every new build. Logs go to standard
// error. Ends when standard input ends, on SIGTERM and on SIGINT, so that no server outlives the test or terminal that started it.
import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { parseArgs } from "node:util";
import { Log, LogLevel, Miniflare } from "miniflare";
import { applyMigrations } from "./migrations.mjs";
import { home, readConfiguration, simulatorOptions } from "./runtime.mjs";

const HOST = "127.0.0.1";

/** Levels of what a person should see who did not ask for a log. */
const WRONG = new Set(["warn", "error"]);

/** Standard output is for machines: the simulator's own messages go where the Worker's logs go. */
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
    watch: values.watch,
    quiet: values.quiet,
  };
}

function number(name, text, most) {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= most)) throw new Error(`--${name} takes a number from 0 to ${most}, not \`${text}\``);
  return value;
}

/** The reason in a line of the Worker's log that says that its settings cannot be used. */
function whyRefused(line) {
  try {
    const { event, why } = JSON.parse(line);
    return event === "configuration" ? why : undefined;
  } catch {
    return undefined;
  }
}

/** Fails with a sentence where the port is taken; the simulator would only fail. */
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

/** The simulator's folders in a state folder. Nothing else there is touched: the state folder may be anyone's. */
const STATE = ["cache", "d1", "kv", "queues", "ratelimit"];

/** Keeps the state from other users of the machine: what is created from now on, and what an older version left readable. */
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
  let configuration = await readConfiguration();
  await ensureFree(chosen.port);

  /** The Worker's message about a setting that it cannot use. */
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
  const server = new Miniflare(await worker());

  let ending = false;
  const end = async (code) => {
    if (ending) return;
    ending = true;
    // Workers that do not let go must not keep the terminal.
    setTimeout(() => process.exit(code), 3000).unref();
    await server.dispose();
    process.exit(code);
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => end(0));
  process.stdin.on("end", () => end(0)).on("error", () => end(0)).resume();

  /** Makes the running build usable: database at its newest, the Worker answering. Returns its address, and what weakens it. */
  const prepare = async () => {
    const { origin } = await server.ready;
    for (const { binding, migrations_dir, migrations_table } of configuration.d1_databases) {
      const names = await applyMigrations(await server.getD1Database(binding), path.join(home, migrations_dir), migrations_table);
      for (const name of names) process.stderr.write(`applied migration ${name}\n`);
    }
    refused = undefined;
    const answer = await fetch(new URL("/health", origin));
    const health = await answer.json().catch(() => ({}));
    if (answer.status >= 500) {
      // Its words may come after its answer.
      for (let tries = 0; refused === undefined && tries < 20; tries++) await new Promise((resolve) => setTimeout(resolve, 50));
      throw new Error(refused === undefined ? `the Worker answers ${answer.status} at /health: its log says why` : `a setting is wrong: ${refused}`);
    }
    return { url: origin, weakening: health.data?.weakening };
  };
  const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  try {
    say({ ready: true, ...(await prepare()) });
    if (chosen.sweepEvery > 0) sweep(server, chosen.sweepEvery, () => ending);
    if (chosen.watch) {
      const watched = [chosen.dist, path.join(home, "migrations"), path.join(home, "wrangler.jsonc")];
      for await (const _ of changes(watched)) {
        try {
          configuration = await readConfiguration();
          await server.setOptions(await worker());
          say({ reloaded: true, url: (await prepare()).url });
        } catch (error) {
          process.stderr.write(`the new build was not taken: ${error.message}\n`);
        }
      }
    }
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    await end(1);
  }
}

/** Runs the scheduled handler now and every so many seconds, one at a time. */
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

/** Yields whenever files have changed, appeared or gone, and then stayed as they are for a moment. */
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

/** Names, sizes and times of some files and of all files in some folders. */
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
