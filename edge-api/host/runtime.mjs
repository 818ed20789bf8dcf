// Turns the built Worker and wrangler.jsonc into options of Miniflare, the simulator that runs workerd.
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of wrangler.jsonc. */
export const home = fileURLToPath(new URL("..", import.meta.url));

// The simulator starts the program named in the environment: bound.sh, which then starts the simulator's own workerd.
process.env.ASSAY_PROGRAM ??= createRequire(import.meta.resolve("miniflare"))("workerd").default;
process.env.MINIFLARE_WORKERD_PATH ??= fileURLToPath(new URL("bound.sh", import.meta.url));

/** Parts of wrangler.jsonc that do not affect a local run. */
const ELSEWHERE = new Set(["$schema", "account_id", "analytics_engine_datasets", "build", "observability", "preview_urls", "routes", "workers_dev"]);

/** Reads wrangler's configuration: JSON with comments on separate lines. */
export async function readConfiguration(file = path.join(home, "wrangler.jsonc")) {
  const text = await readFile(file, "utf8");
  return JSON.parse(text.replace(/^\s*\/\/.*$/gm, ""));
}

/**
 * Returns the simulator's options for the build in `dist`. Throws if wrangler.jsonc has a part that this function does not know, so that
 * a local Worker never lacks a part of the deployed one.
 */
export async function simulatorOptions(configuration, { dist, vars, state, privateNetwork, loopbackOnly }) {
  const {
    name,
    main,
    compatibility_date,
    compatibility_flags,
    vars: defaults,
    d1_databases,
    kv_namespaces,
    r2_buckets = [],
    queues,
    ratelimits,
    triggers,
    assets,
    version_metadata: version,
    ...rest
  } = configuration;
  const unknown = Object.keys(rest).filter((key) => !ELSEWHERE.has(key));
  if (unknown.length > 0) throw new Error(`wrangler.jsonc has parts that edge-api/host/runtime.mjs does not know: ${unknown.join(", ")}`);

  const env = {};
  for (const [key, value] of Object.entries({ ...defaults, ...vars })) env[key] = { type: "text", value };
  for (const { binding, database_id: id } of d1_databases) env[binding] = { type: "d1", id };
  for (const namespace of kv_namespaces) env[namespace.binding] = { type: "kv", id: namespace.id };
  for (const bucket of r2_buckets) env[bucket.binding] = { type: "r2", name: bucket.bucket_name };
  for (const producer of queues.producers) env[producer.binding] = { type: "queue", name: producer.queue };
  for (const [binding, limiter] of rateLimiters(ratelimits, defaults, vars)) env[binding] = limiter;
  env[assets.binding] = { type: "assets" };
  if (version) env[version.binding] = { type: "version-metadata" };

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
 * Returns the rate limiters `LIMIT_…` with the limits in the settings `RATE_LIMIT_…`. Throws if, in wrangler.jsonc itself, a limiter and
 * its setting have different limits.
 */
function rateLimiters(ratelimits, defaults, vars = {}) {
  return ratelimits.flatMap(({ name, namespace_id, simple: { limit, period } }) => {
    const setting = `RATE_${name}`;
    const counted = `${limit}/${period}`;
    if (defaults[setting] !== counted) {
      throw new Error(`in wrangler.jsonc, ${name} allows ${counted} (requests/seconds), but ${setting} is ${defaults[setting]}: make them equal`);
    }
    // Without a valid limit there is no limiter. The Worker itself refuses an invalid setting.
    const [, requests, seconds] = /^(\d+)\/(10|60)$/.exec(vars[setting] ?? counted) ?? [];
    if (!requests) return [];
    return [[name, { type: "rate-limit", namespace: namespace_id, simple: { limit: Number(requests), period: Number(seconds) } }]];
  });
}

/**
 * Returns the simulator's service for the Worker's outgoing requests. workerd resolves each host name, and connects only to addresses of
 * the allowed kind: `local` or `public`.
 */
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

/** Returns the modules of a build: the entry and the WebAssembly next to it. */
export async function modules(dist, entry) {
  const files = await readdir(dist).catch(() => []);
  if (!files.includes(entry)) {
    throw new Error(`there is no built Worker in ${dist}: run \`cargo xtask build worker\`, with \`--evm\` for a ledger on a chain`);
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
