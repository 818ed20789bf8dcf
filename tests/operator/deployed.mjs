// A deployed service: workerd runs the code, settings and resources that wrangler has uploaded to the fake platform.
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { Agent, createServer, request as send } from "node:http";
import path from "node:path";
import { Miniflare } from "miniflare";
import { home, readConfiguration, simulatorOptions } from "../../edge-api/host/runtime.mjs";
import { until } from "../support/until.mjs";
import { DUMPS } from "./platform.mjs";

/** Milliseconds between two runs of the cron trigger. The platform runs it every minute. */
const TICK = 1000;

/** The Worker's network: requests for a host in `HOSTS` go to its server on this machine, and all others fail. */
const NETWORK = `export default {
  async fetch(request, { HOSTS, LOCAL }) {
    const { host, pathname } = new URL(request.url);
    const to = HOSTS[host];
    return to === undefined ? new Response(null, { status: 502 }) : LOCAL.fetch(new Request(to + pathname.replace("/client/v4", ""), request));
  }
};`;

/** The header by which a request names the version that answers it, as `<Worker>="<version>"`. */
const OVERRIDE = "cloudflare-workers-version-overrides";
/** The name of the second Worker in the simulator: the version with the smaller share. */
const CANDIDATE = "candidate";

export class Deployed {
  /** The number of requests that each version answered without being named. */
  answered = new Map();
  /** Whether one client gets one version. Otherwise requests are divided by the shares. */
  keepsClients = true;
  /** The ids of versions that answer 500. */
  broken = new Set();
  /** True while clients send orders. A replacement of the version then waits until the response to an order is lost. */
  isUnderLoad = false;
  /** The texts of files that the service has instead of the files of the build, by path. */
  files = new Map();
  /** The requests whose responses were lost, as `method path`. */
  lost = [];
  /** The lines of the Worker's log. */
  log = [];
  #platform;
  #name;
  #folder;
  #alerts;
  #server;
  #simulator;
  /** The address of workerd. Undefined before the first version. */
  #origin;
  /** The rules of paths for which the platform calls the Worker first. */
  #first = [];
  #isLosing = false;
  #isTicking = false;
  #connections = new Agent({ keepAlive: true });

  /** `name` is the Worker's name, `folder` keeps its state, and `alerts` is the address of the server behind `hooks.example.org`. */
  constructor(platform, name, folder, alerts) {
    this.#platform = platform;
    this.#name = name;
    this.#folder = folder;
    this.#alerts = alerts;
  }

  async start() {
    this.#server = createServer((request, response) => this.#forward(request, response)).listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  async stop() {
    this.#isTicking = false;
    this.#server.closeAllConnections();
    this.#server.close();
    this.#connections.destroy();
    await this.#simulator?.dispose();
  }

  /** Passes a request to workerd and the response back. Loses the response while a version is replaced under load. */
  #forward(incoming, response) {
    const { method, url, headers } = incoming;
    if (this.#origin === undefined) return response.writeHead(404).end();
    const version = this.#versionFor(headers[OVERRIDE]);
    if (this.broken.has(version)) return response.writeHead(500, { "x-request-id": "1" }).end("broken");
    if (this.files.has(url)) return response.writeHead(200).end(this.files.get(url));
    // The simulator serves pages only in front of the first Worker. All versions of a walk have the same pages.
    if (version !== this.#platform.script(this.#name).active() && this.#isForWorker(url)) return this.#askCandidate(incoming, response);
    const lose = () => response.destroy();
    const outgoing = send(new URL(url, this.#origin), { method, headers, agent: this.#connections }, (answer) => {
      if (this.#isLosing) {
        this.lost.push(`${method} ${url}`);
        answer.resume();
        return lose();
      }
      response.writeHead(answer.statusCode, answer.headers);
      answer.on("error", lose).pipe(response);
    });
    incoming.pipe(outgoing.on("error", lose));
  }

  /** Returns the id of the version that answers a request with this header. */
  #versionFor(header) {
    const shares = this.#platform.script(this.#name).shares();
    const named = shares.find(({ version_id }) => header === `${this.#name}="${version_id}"`);
    if (named) return named.version_id;
    const [most, least] = shares;
    const total = [...this.answered.values()].reduce((sum, count) => sum + count, 0);
    const isLeast = !this.keepsClients && least?.percentage > 0 && total % Math.round(100 / least.percentage) === 0;
    const { version_id } = isLeast ? least : most;
    this.answered.set(version_id, (this.answered.get(version_id) ?? 0) + 1);
    return version_id;
  }

  /** Returns whether the platform calls the Worker before it looks for a page. */
  #isForWorker(url) {
    const { pathname } = new URL(url, this.#origin);
    return this.#first.some((rule) => (rule.endsWith("/*") ? pathname.startsWith(rule.slice(0, -1)) : pathname === rule));
  }

  /** Answers a GET request by the version with the smaller share. */
  async #askCandidate({ url, headers: { host: _, ...headers } }, response) {
    const worker = await this.#simulator.getWorker(CANDIDATE);
    const answer = await worker.fetch(new URL(url, this.#origin), { headers });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  }

  /** Returns one of the platform's databases. A database can be used before the Worker is uploaded. */
  async database({ uuid }) {
    if (this.#simulator === undefined) {
      const manifest = { mainModule: "none.js", modulesRoot: home, modules: { "none.js": { type: "esm", contents: "export default {};" } } };
      const worker = { config: { name: this.#name, compatibilityDate: "2026-10-01", manifest }, dev: { rootPath: home } };
      await this.#run({ workers: [worker], resourcePersistencePath: this.#folder, cf: false, telemetry: { enabled: false } });
    }
    return this.#simulator.getD1Database(uuid);
  }

  /** Returns an object of the service's bucket as bytes, or undefined. */
  async object(key) {
    const bucket = await this.#simulator.getR2Bucket("FILES_BUCKET");
    const object = await bucket.get(key);
    return object === null ? undefined : Buffer.from(await object.arrayBuffer());
  }

  /** Runs a Worker, and returns its address. All databases of the account are bound to the Worker under their ids. */
  async #run(options) {
    for (const { config } of options.workers.filter(({ config }) => config.name !== "outbound"))
      config.env = { ...config.env, ...Object.fromEntries(this.#platform.databases.map(({ uuid }) => [uuid, { type: "d1", id: uuid }])) };
    const all = { host: "127.0.0.1", port: 0, handleStructuredLogs: ({ message }) => this.log.push(message), ...options };
    if (this.#simulator) await this.#simulator.setOptions(all);
    else this.#simulator = new Miniflare(all);
    return (await this.#simulator.ready).origin;
  }

  /** Replaces the running versions, of which the first has the largest share. Under load, responses are lost meanwhile. The real platform loses none. */
  async activate([version, candidate]) {
    const options = await this.#optionsOf(version);
    if (candidate) {
      const [worker] = (await this.#optionsOf(candidate)).workers;
      // Only one Worker can consume a queue.
      Object.assign(worker.config, { name: CANDIDATE, triggers: [] });
      options.workers.push(worker);
    }
    if (this.isUnderLoad) {
      const { length } = this.lost;
      this.#isLosing = true;
      await until(
        () => this.lost.slice(length),
        (lost) => lost.includes("POST /orders"),
      );
    }
    this.#origin = await this.#run(options);
    this.#isLosing = false;
    if (!this.#isTicking) this.#tick();
  }

  /** Returns workerd's options for a version. */
  async #optionsOf({ id, settings, modules, secrets }) {
    const dist = path.join(this.#folder, id);
    await mkdir(dist, { recursive: true });
    for (const [name, bytes] of modules) await writeFile(path.join(dist, name), bytes);
    const bindings = (type) => settings.bindings.filter((binding) => binding.type === type);
    const consumers = this.#platform.queues.flatMap(({ queue_name: queue, consumers }) => {
      const own = consumers.filter(({ script }) => script === this.#name);
      return own.map(({ settings, dead_letter_queue }) => ({ ...settings, queue, dead_letter_queue }));
    });
    const { assets } = await readConfiguration();
    this.#first = settings.assets.config.run_worker_first;
    const configuration = {
      name: this.#name,
      main: settings.main_module,
      compatibility_date: settings.compatibility_date,
      compatibility_flags: settings.compatibility_flags,
      vars: Object.fromEntries([...bindings("plain_text").map(({ name, text }) => [name, text]), ...secrets]),
      d1_databases: bindings("d1").map(({ name, id }) => ({ binding: name, database_id: id, database_name: id })),
      kv_namespaces: bindings("kv_namespace").map(({ name, namespace_id }) => ({ binding: name, id: namespace_id })),
      r2_buckets: bindings("r2_bucket").map(({ name, bucket_name }) => ({ binding: name, bucket_name })),
      queues: { producers: bindings("queue").map(({ name, queue_name }) => ({ binding: name, queue: queue_name })), consumers },
      ratelimits: bindings("ratelimit"),
      triggers: { crons: [] },
      assets: { ...assets, binding: bindings("assets")[0].name, run_worker_first: settings.assets.config.run_worker_first },
    };
    const options = await simulatorOptions(configuration, { dist, vars: {}, state: this.#folder });
    const [worker, network] = options.workers;
    // wrangler does not upload the pages, because the fake platform says that it has them.
    worker.config.assets.directory = path.join(home, assets.directory);
    worker.config.env.VERSION = { type: "json", value: { id } };
    network.config.manifest.modules["outbound.js"].contents = NETWORK;
    const hosts = { "hooks.example.org": this.#alerts, "api.cloudflare.com": this.#platform.url, [DUMPS]: this.#platform.url };
    network.config.env = { HOSTS: { type: "json", value: hosts }, LOCAL: { type: "network", allow: ["local"] } };
    return options;
  }

  /** Runs the scheduled handler repeatedly, if wrangler has set a cron trigger. */
  async #tick() {
    for (this.#isTicking = true; this.#isTicking; await new Promise((resolve) => setTimeout(resolve, TICK))) {
      if (this.#platform.script(this.#name).crons.length === 0) continue;
      // This fails if the version is replaced meanwhile.
      await this.#simulator
        .getWorker()
        .then((worker) => worker.scheduled({ cron: "* * * * *" }))
        .catch(() => {});
    }
  }
}
