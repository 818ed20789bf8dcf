// The built Worker and wrangler.jsonc as options of workerd's simulator.
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that wrangler.jsonc stands in. */
export const home = fileURLToPath(new URL("..", import.meta.url));

// The simulator takes the program it starts from the environment; workerd.sh starts its own workerd in turn.
process.env.ASSAY_WORKERD ??= createRequire(import.meta.resolve("miniflare"))("workerd").default;
process.env.MINIFLARE_WORKERD_PATH ??= fileURLToPath(new URL("workerd.sh", import.meta.url));

/** Parts of wrangler.jsonc that say nothing about how the Worker runs here. */
const ELSEWHERE = new Set(["$schema", "account_id", "build", "observability", "preview_urls", "routes", "workers_dev"]);

/** wrangler.jsonc: JSON, with comments on lines of their own. */
export async function readConfiguration() {
  const text = await readFile(path.join(home, "wrangler.jsonc"), "utf8");
  return JSON.parse(text.replace(/^\s*\/\/.*$/gm, ""));
}

/**
 * Options of the simulator for the build in `dist`. Throws where wrangler.jsonc holds a part that this function does not know, so
 * that the Worker never runs here without something that it has when deployed.
 */
export async function simulatorOptions(configuration, { dist, vars, state, privateNetwork, loopbackOnly }) {
  const { name, main, compatibility_date, compatibility_flags, vars: defaults, d1_databases, kv_namespaces, queues, ratelimits, triggers, assets, ...rest } =
    configuration;
  const unknown = Object.keys(rest).filter((key) => !ELSEWHERE.has(key));
  if (unknown.length > 0) throw new Error(`wrangler.jsonc has parts that this server does not know: ${unknown.join(", ")}`);

  const env = {};
  for (const [key, value] of Object.entries({ ...defaults, ...vars })) env[key] = { type: "text", value };
  for (const database of d1_databases) env[database.binding] = { type: "d1", id: database.database_id };
  for (const namespace of kv_namespaces) env[namespace.binding] = { type: "kv", id: namespace.id };
  for (const producer of queues.producers) env[producer.binding] = { type: "queue", name: producer.queue };
  for (const [binding, limiter] of rateLimiters(ratelimits, defaults, vars)) env[binding] = limiter;
  env[assets.binding] = { type: "assets" };

  const worker = {
    config: {
      name,
      compatibilityDate: compatibility_date,
      compatibilityFlags: compatibility_flags,
      manifest: await modules(dist, path.basename(main)),
      env,
      triggers: [
        ...queues.consumers.map((consumer) => ({
          type: "queue",
          name: consumer.queue,
          maxBatchSize: consumer.max_batch_size,
          maxBatchTimeout: consumer.max_batch_timeout,
          maxRetries: consumer.max_retries,
          retryDelay: consumer.retry_delay,
          deadLetterQueue: consumer.dead_letter_queue,
        })),
        ...triggers.crons.map((schedule) => ({ type: "scheduled", schedule })),
      ],
      assets: {
        directory: path.join(dist, path.basename(assets.directory)),
        hasUserWorker: true,
        runWorkerFirst: assets.run_worker_first,
      },
    },
    dev: { rootPath: home },
  };
  const workers = [worker];
  if (loopbackOnly || !privateNetwork) {
    worker.dev.outboundService = { type: "worker", worker: "outbound" };
    workers.push(outbound(compatibility_date, loopbackOnly ? "local" : "public"));
  }
  return { workers, resourcePersistencePath: state, cf: false, telemetry: { enabled: false } };
}

/**
 * The rate limiters, each with the limit that the setting of its name tells clients: `LIMIT_…` counts by `RATE_LIMIT_…`. Throws
 * where wrangler.jsonc tells another limit than it counts.
 */
function rateLimiters(ratelimits, defaults, vars = {}) {
  return ratelimits.flatMap(({ name, namespace_id, simple: { limit, period } }) => {
    const setting = `RATE_${name}`;
    const counted = `${limit}/${period}`;
    if (defaults[setting] !== counted) {
      throw new Error(`wrangler.jsonc counts ${counted} in ${name}, and says ${defaults[setting]} in ${setting}: make them equal`);
    }
    // The Worker refuses a setting that is no limit.
    const [, requests, seconds] = /^(\d+)\/(10|60)$/.exec(vars[setting] ?? counted) ?? [];
    if (!requests) return [];
    return [[name, { type: "rate-limit", namespace: namespace_id, simple: { limit: Number(requests), period: Number(seconds) } }]];
  });
}

/** The network of the Worker's own requests: workerd resolves the name and connects to addresses of one kind alone. */
function outbound(compatibilityDate, allowed) {
  const script = "export default { fetch: (request, env) => env.NETWORK.fetch(request) };";
  return {
    config: {
      name: "outbound",
      compatibilityDate,
      manifest: { mainModule: "outbound.js", modulesRoot: home, modules: { "outbound.js": { type: "esm", contents: script } } },
      env: { NETWORK: { type: "network", allow: [allowed], tlsOptions: { trustBrowserCas: true } } },
    },
    dev: { rootPath: home },
  };
}

/** The modules of a build: the entry and the WebAssembly beside it. */
export async function modules(dist, entry) {
  const files = await readdir(dist).catch(() => []);
  if (!files.includes(entry)) {
    throw new Error(`there is no built Worker in ${dist}: run \`cargo xtask build worker\``);
  }
  const found = {};
  for (const file of files) {
    const type = { ".js": "esm", ".wasm": "wasm" }[path.extname(file)];
    if (type) {
      const contents = await readFile(path.join(dist, file));
      found[file] = { type, contents: type === "wasm" ? new Uint8Array(contents) : contents.toString() };
    }
  }
  return { mainModule: entry, modulesRoot: dist, modules: found };
}
